package redact_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact"
)

// FuzzRedact: redaction never panics; twice is once; bytes and strings agree; valid UTF-8 and valid JSON stay valid; a
// text without a find is the text itself; and a planted secret doesn't survive, in no part, whatever stands around it on
// other lines, nor does it once control sequences are taken out.
func FuzzRedact(f *testing.F) {
	files, err := filepath.Glob("../testdata/claude/*.jsonl")
	require.NoError(f, err)
	for i, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(f, err)
		head := string(b[:min(len(b), 1<<10)])
		f.Add(head, "", uint8(i))
		f.Add("", head, uint8(i))
	}
	for i, s := range []string{
		"password=\"", "TOKEN=\\", "{\"password\":\"", "\x1b]0;x", "-----BEGIN PRIVATE KEY-----\n", "https://u:", "Authorization: ",
		"[redacted]", "password=[redacted", "[redacted:aws]", "\xc2", "\u009b31m", "a\\\\\\\"", "-u ", "\x00", "{", "[\"", pem,
	} {
		f.Add(s, s, uint8(i))
		f.Add("x", s, uint8(i))
	}
	r := newRedactor(f, redact.Settings{})
	f.Fuzz(func(t *testing.T, before, after string, which uint8) {
		checkText(t, r, before+after)
		p := planted[int(which)%len(planted)]
		if leaks(before+after, p.secret) != "" {
			return // the text around has a part of it of its own
		}
		text := before + "\n" + p.text + "\n" + after
		got := checkText(t, r, text)
		require.Empty(t, leaks(got, p.secret), "%q of %q", got, text)
		clean := events.CleanLine(got, 0)
		require.Empty(t, leaks(clean, p.secret), "%q of %q", clean, text)
	})
}

// checkText holds what is true of every text.
func checkText(t *testing.T, r *redact.Redactor, s string) string {
	t.Helper()
	got := r.String(s)
	require.Equal(t, got, r.String(got), "twice is once: %q", s)
	require.Equal(t, got, string(r.Bytes([]byte(s))))
	if utf8.ValidString(s) {
		require.True(t, utf8.ValidString(got), "%q of %q", got, s)
	}
	if json.Valid([]byte(s)) {
		require.True(t, json.Valid([]byte(got)), "%q of %q", got, s)
	}
	require.Equal(t, got != s, r.Contains(s))
	e := events.DisplayEvent{Text: s, Tool: events.Tool{Target: s, Summary: events.Summary(s), Output: []byte(s), Input: []byte(s)}}
	r.Event(&e)
	require.Equal(t, got, e.Tool.Target)
	require.LessOrEqual(t, strings.Count(e.Tool.Summary, "\n"), 0)
	return got
}
