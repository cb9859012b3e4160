package redact_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/redact"
)

// benchTexts are a megabyte of each kind of text that agents write. They contain the words that name secrets, but no
// secret.
func benchTexts(t testing.TB) map[string]string {
	t.Helper()
	fill := func(s string) string { return strings.Repeat(s, 1+(1<<20)/len(s))[:1<<20] }
	var code strings.Builder
	for _, folder := range []string{"../events", "../telemetry", "../render"} {
		files, err := filepath.Glob(folder + "/*.go")
		require.NoError(t, err)
		for _, name := range files {
			b, err := os.ReadFile(name)
			require.NoError(t, err)
			code.Write(b)
		}
	}
	var lines strings.Builder
	files, err := filepath.Glob("../testdata/claude/*.jsonl")
	require.NoError(t, err)
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		lines.Write(b)
	}
	r := newRedactor(t, redact.Settings{})
	return map[string]string{
		"code":  fill(r.String(code.String())),
		"lines": fill(strings.NewReplacer("\x7f", "", "\u0085", "", "\u200b", "", "\u200d", "", "\u202e", "", "\ufeff", "", "\ufe0f", "").Replace(r.String(lines.String()))),
		"color": fill("\x1b[32mok\x1b[0m  	github.com/example/shop/cart	0.012s	\x1b[2mcoverage: 81.2% of statements\x1b[0m\n"),
		"prose": fill("The tool reads a file and tells what stands in it. A token is a part of a word; the key of a map is none.\n"),
		"log":   fill("2026-11-27T20:44:32.788Z INFO  server/http.go:118 request done status=200 path=/api/v1/items?page=3 duration=1.203ms id=838b1308\n"),
		"blank": fill(" "),
	}
}

// BenchmarkString searches clean text and, for comparison in the same run, for one byte, and with gjson through the
// members of a line of the same length.
func BenchmarkString(b *testing.B) {
	texts := benchTexts(b)
	r := newRedactor(b, redact.Settings{})
	for _, name := range []string{"code", "lines", "prose", "log", "color", "blank"} {
		s := texts[name]
		b.Run("text="+name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				if len(r.String(s)) != len(s) {
					b.Fatal("the text is not clean")
				}
			}
		})
	}
	code := []byte(texts["code"])
	b.Run("by=IndexByte", func(b *testing.B) {
		b.SetBytes(int64(len(code)))
		for b.Loop() {
			if bytes.IndexByte(code, 0) >= 0 {
				b.Fatal("found")
			}
		}
	})
	line := gjsonLine(texts["code"])
	b.Run("by=gjson", func(b *testing.B) {
		b.SetBytes(int64(len(line)))
		for b.Loop() {
			if members(line) == 0 {
				b.Fatal("no members")
			}
		}
	})
}

// gjsonLine returns a line of a thousand members and about a megabyte, escaped like the text of a transcript.
func gjsonLine(s string) []byte {
	var b bytes.Buffer
	b.WriteString(`{"type":"x"`)
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)
	for ; len(s) >= 1<<10; s = s[1<<10:] {
		b.WriteString(`,"text":"` + escape.Replace(s[:1<<10]) + `"`)
	}
	b.WriteString("}")
	return b.Bytes()
}

func members(line []byte) (n int) {
	gjson.ParseBytes(line).ForEach(func(_, _ gjson.Result) bool {
		n++
		return true
	})
	return n
}

// TestBenchmarkBodies checks that the benchmarks measure the intended work, and that clean text costs no allocation.
func TestBenchmarkBodies(t *testing.T) {
	r := newRedactor(t, redact.Settings{})
	for name, s := range benchTexts(t) {
		require.Equal(t, s, r.String(s), name)
		b := []byte(s)
		if name == "color" {
			continue // text that is searched without its controls is copied
		}
		require.Zero(t, testing.AllocsPerRun(2, func() { r.String(s) }), name)
		require.Zero(t, testing.AllocsPerRun(2, func() { r.Bytes(b) }), name)
	}
	require.Equal(t, 1+(1<<10), members(gjsonLine(strings.Repeat("a\n", 1<<19))))
}

// BenchmarkEvent searches a result whose summary was cut, as most are.
func BenchmarkEvent(b *testing.B) {
	r := newRedactor(b, redact.Settings{DropOutput: true})
	output := []byte(strings.ReplaceAll(benchTexts(b)["prose"][:32<<10], "\n", " "))
	summary := events.Summary(string(output))
	b.ReportAllocs()
	for b.Loop() {
		e := events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{Summary: summary, Output: output}}
		if r.Event(&e) > 0 {
			b.Fatal("the text is not clean")
		}
	}
}

// turnSource returns the events of a turn for each line: a text, its tokens, a call, a result.
type turnSource struct {
	evs [4]events.DisplayEvent
	n   int
}

func (s *turnSource) ParseEvents([]byte) []events.DisplayEvent {
	s.n++
	message, call := turnIDs[s.n%len(turnIDs)], turnIDs[(s.n+1)%len(turnIDs)]
	for i, kind := range [...]events.Kind{events.KindText, events.KindUsage, events.KindToolUse, events.KindToolResult} {
		s.evs[i] = events.DisplayEvent{
			Kind: kind, SessionID: "7f0c53e2-9a41-4a3c-8f5e-2b1d6c9e0a17", MessageID: "msg_" + message, ItemID: "9d0e2c1b-4a5f-4e6d-8c7b-" + message[:12],
			Model: "claude-sonnet-4-5-20250929",
		}
	}
	s.evs[2].Tool, s.evs[3].Tool = events.Tool{ID: "toolu_" + call, Name: "Read"}, events.Tool{ID: "toolu_" + call}
	return s.evs[:]
}

// turnIDs are the generated parts of IDs.
var turnIDs = [...]string{
	"01A7cQ2kVd9RtXw4ZpLm3NbH", "01BzY8sEfG5hJ6kLqW2eRtYu", "01Cn4MvBxZ7aSdFgHjKlPoIu", "01DqWeRtYu3iOpAsDfGhJkLz",
}

// BenchmarkIDs searches the IDs and names of turns without other text; the figure is per turn of four events.
func BenchmarkIDs(b *testing.B) {
	s := redact.New(&turnSource{}, newRedactor(b, redact.Settings{}))
	for b.Loop() {
		s.ParseEvents(nil)
	}
	if s.Redacted() > 0 {
		b.Fatal("the ids are not clean")
	}
}
