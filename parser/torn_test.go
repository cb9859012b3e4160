package parser_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
)

// linesOf reads the lines of a provider's fixtures of lines.
func linesOf(t testing.TB, provider string) (all [][][]byte) {
	t.Helper()
	for _, pattern := range []string{"*.jsonl", "*.sse"} {
		files, err := filepath.Glob(filepath.Join("..", "testdata", strings.TrimSuffix(provider, "_compatible"), pattern))
		require.NoError(t, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			all = append(all, bytes.Split(bytes.TrimSpace(data), []byte("\n")))
		}
	}
	return all
}

// summary returns the events of a stream without borrowed fields.
func summary(all []events.DisplayEvent) (s []string) {
	for i := range all {
		e := &all[i]
		s = append(s, strings.Join([]string{e.Kind.String(), e.SessionID, e.ItemID, e.Tool.ID, e.Tool.Name, e.Tool.Target, e.Text, string(e.Tool.Output)}, "|"))
	}
	return s
}

func feed(t testing.TB, provider string, lines [][]byte) ([]string, parser.Stats) {
	t.Helper()
	s, err := parser.New(provider)
	require.NoError(t, err)
	var got []string
	for _, line := range lines {
		got = append(got, summary(s.ParseEvents(line))...)
	}
	return append(got, summary(s.Flush())...), s.Stats()
}

// A crash during a write leaves a record without end and newline. What the restarted program writes next follows it on
// the same line. This is tested in every format of lines.
func TestRecordBehindATornOne(t *testing.T) {
	for _, provider := range parser.Names() {
		glued := 0
		for _, lines := range linesOf(t, provider) {
			for i := 0; i+1 < len(lines); i++ {
				torn, whole := bytes.TrimSpace(lines[i]), lines[i+1]
				if !isObject(torn) || !isObject(whole) || len(torn) > 4<<10 {
					continue
				}
				before := lines[max(0, i-2):i]
				for cut := 1 + bytes.IndexByte(torn, '{'); cut < len(torn); cut += 1 + len(torn)/5 {
					if bytes.IndexByte([]byte(":,[ "), torn[cut-1]) >= 0 {
						continue // it could be a value there
					}
					glued++
					want, _ := feed(t, provider, slices.Concat(before, [][]byte{torn[:cut]}, lines[i+1:min(i+3, len(lines))]))
					line := slices.Concat(torn[:cut], bytes.TrimSpace(whole))
					got, stats := feed(t, provider, slices.Concat(before, [][]byte{line}, lines[min(i+2, len(lines)):min(i+3, len(lines))]))
					require.Equal(t, want, got, "%s: %s", provider, line)
					require.GreaterOrEqual(t, stats.Malformed, 1)
					require.Equal(t, stats.Lines, stats.OK+stats.Ignored+stats.Unknown+stats.Malformed+stats.Passed+stats.Held)
				}
			}
		}
		if provider != parser.Auto && provider != parser.None {
			assert.Greater(t, glued, 100, provider)
		}
	}
}

func isObject(line []byte) bool {
	return json.Valid(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("data: "))) && bytes.HasSuffix(bytes.TrimSpace(line), []byte("}"))
}

func TestTornLines(t *testing.T) {
	const whole = `{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"whole"}]},"session_id":"s"}`
	for _, tc := range []struct {
		name, line       string
		texts, malformed int
	}{
		{"torn in a key", `{"type":"assi` + whole, 1, 1},
		{"two whole ones behind", `{"type":"assi` + whole + ` ` + strings.ReplaceAll(whole, "m2", "m3"), 2, 1},
		{"a whole one before", strings.ReplaceAll(whole, "m2", "m1") + `{"ty` + whole, 2, 1},
		{"torn where a value is due", `{"type":"assistant","message":` + whole, 1, 1},
		{"torn before the last bracket", `{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"whole"}]}`, 0, 1},
		{"torn in a text that ends with an object", `{"type":"assistant","message":{"content":[{"type":"text","text":"{\"type\":\"assistant\"}`, 0, 1},
		{"zeros of a full disk", `{"type":"assi` + strings.Repeat("\x00", 512) + whole, 1, 1},
		{"words before an object", `debug: got ` + whole, 0, 1},
		{"nothing torn", whole, 1, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, stats := feed(t, "claude", [][]byte{[]byte(tc.line)})
			texts := slices.DeleteFunc(got, func(s string) bool { return !strings.HasPrefix(s, "text|") })
			assert.Len(t, texts, tc.texts, got)
			assert.Equal(t, tc.malformed, stats.Malformed)
		})
	}
}

// A line that may cause repeated searches of its rest takes time linear in its length.
func TestTornLinesAreReadInLinearTime(t *testing.T) {
	for name, part := range map[string]string{
		"brackets": `{"a":[`, "objects": `{"a":{"b":1},`, "quotes": `"`, "escapes": `\\"`, "open objects": `{"type":"a`, "whole ones": `{"type":"a"}`,
	} {
		s := newSource(t, "claude")
		const short = 1 << 17
		took := func(size int) time.Duration { // the minimum of several, since other processes may run
			line := []byte(`{"type":"` + strings.Repeat(part, size/len(part)) + `}`)
			least := time.Duration(math.MaxInt64)
			for range 3 {
				begin := time.Now()
				s.ParseEvents(line)
				least = min(least, time.Since(begin))
			}
			return least
		}
		took(short)
		assert.Less(t, took(16*short), 200*(took(short)+time.Millisecond), name)
	}
}

// FuzzTorn checks, for every provider: a record that was cut anywhere and is followed by a whole one yields the latter's
// events, unless that could be a value there; and no line makes the counts inconsistent.
func FuzzTorn(f *testing.F) {
	for _, provider := range parser.Names() {
		for _, lines := range linesOf(f, provider) {
			f.Add(lines[0], uint16(len(lines[0])/2), lines[len(lines)-1])
		}
	}
	f.Fuzz(func(t *testing.T, torn []byte, cut uint16, whole []byte) {
		torn = torn[:min(int(cut), len(torn))]
		line := slices.Concat(torn, whole)
		for _, provider := range parser.Names() {
			_, stats := feed(t, provider, [][]byte{line})
			require.Equal(t, stats.Lines, stats.OK+stats.Ignored+stats.Unknown+stats.Malformed+stats.Passed+stats.Held)
		}
	})
}
