package redact_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact"
)

// pieces are the building blocks of FuzzRedact's texts: a byte of the input is the number of a piece, or represents
// itself. Inputs stay short, which matters most to the fuzzer, since it tries to omit every part of an input.
var pieces = []string{
	"\n", " ", "\"", "'", "`", "\\", ":", "=", ",", ";", "{", "}", "[", "]", "(", ")", "<", ">", "|", "/", "@", "-", "_", ".", "$", "*", "&",
	"password", "passwd", "secret", "token", "api_key", "key", "apiKey", "auth", "Authorization", "Cookie", "Bearer ", "Basic ", "name", "value",
	"%20", "%3D", "%22", `\u0022`, `\x22`, "&quot;", "&#61;", `\n`, `\"`, `\\\"`, `\/\/`, "https", "://", "${", ":-", ":=", "=>", "||", " or ", "\"\"\"",
	"string", "[]byte(", "set", "ENV ", "login bob ", "curl", "mysql", " -u ", " -p", "--token", "IDENTIFIED BY ", ":5432:", "- ", "  ", "|-\n  ",
	"ghp_", "sk-", "AKIA", "eyJ", "hvs.", "$6$", "-----BEGIN ", "PRIVATE KEY-----", "-----END ", "[redacted]", "[redacted:aws]", "[redacted",
	"\x1b[31m", "\x1b]0;x", "\x00", "\u009b31m", "\u200b", "é", "\xc2", "hunter2", "Ab1Cd2Ef3", "0123456789abcdef", "MIIBdemoDEMOdemoDEMO0123", "x", "7",
	"true", "null", "***", "your-", "/run/x",
}

const maxPieces = 32

// textOf returns the text for an input of FuzzRedact.
func textOf(input []byte) string {
	var b strings.Builder
	for _, c := range input {
		if int(c) < len(pieces) {
			b.WriteString(pieces[c])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// FuzzRedact: redaction never panics and is idempotent; bytes and strings agree; valid UTF-8 and valid JSON stay
// valid; a text without a find is returned unchanged; and no part of a planted secret remains, whatever is around it
// on other lines, even after control sequences are removed.
func FuzzRedact(f *testing.F) {
	for i := range pieces {
		f.Add([]byte{byte(i), byte(i * 7 % len(pieces)), byte(i * 31 % len(pieces))}, []byte{byte(i * 13 % len(pieces))}, uint8(i))
	}
	r := newRedactor(f, redact.Settings{})
	f.Fuzz(func(t *testing.T, first, last []byte, which uint8) {
		if len(first)+len(last) > maxPieces {
			return
		}
		before, after := textOf(first), textOf(last)
		checkText(t, r, before+after)
		p := planted[int(which)%len(planted)]
		if leaks(before+after, p.secret) != "" {
			return // the surrounding text contains a part of it
		}
		text := before + "\n" + p.text + "\n" + after
		got := checkText(t, r, text)
		if part := leaks(got, p.secret) + leaks(events.CleanLine(got, 0), p.secret); part != "" {
			t.Fatalf("%q is left in %q of %q", part, got, text)
		}
	})
}

// checkText checks what must hold for every text.
func checkText(t *testing.T, r *redact.Redactor, s string) string {
	t.Helper()
	got := r.String(s)
	if again := r.String(got); again != got {
		t.Fatalf("twice is not once: %q of %q of %q", again, got, s)
	}
	if b := r.Bytes([]byte(s)); string(b) != got {
		t.Fatalf("bytes give %q, the string %q of %q", b, got, s)
	}
	if utf8.ValidString(s) && !utf8.ValidString(got) || json.Valid([]byte(s)) && !json.Valid([]byte(got)) || (got != s) != r.Contains(s) {
		t.Fatalf("%q of %q", got, s)
	}
	e := events.DisplayEvent{Text: s, Tool: events.Tool{Target: s, Summary: events.Summary(s), Output: []byte(s), Input: []byte(s)}}
	r.Event(&e)
	if e.Text != got || e.Tool.Target != got || strings.Contains(e.Tool.Summary, "\n") {
		t.Fatalf("an event gives %+v, the string %q", e, got)
	}
	return got
}
