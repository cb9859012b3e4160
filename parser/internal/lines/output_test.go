package lines_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// fill returns a text that consists of parts: strings, where "\n" is a line break and a part that begins with "[" is JSON.
func fill(o *lines.Output, whole bool, parts ...string) (tool events.Tool, text []byte) {
	t := o.Text()
	for _, part := range parts {
		switch {
		case part == "\n":
			t.Newline()
		case strings.HasPrefix(part, "["):
			t.JSON(scan.Value{Kind: scan.KindArray, Raw: []byte(part)})
		default:
			t.Add(quoted(part))
		}
	}
	t.Fill(&tool)
	if whole {
		text = t.All()
	}
	return tool, text
}

func quoted(body string) scan.Value {
	return scan.Value{Kind: scan.KindString, Raw: []byte(`"` + body + `"`)}
}

func TestOutput(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, tc := range []struct {
		name          string
		parts         []string
		text, summary string
		kept          bool // if texts are dropped
	}{
		{name: "none"},
		{name: "one line", parts: []string{`go\u0020test`}, text: "go test", summary: "go test"},
		{name: "several parts", parts: []string{`one\ntwo`, "\n", "three"}, text: "one\ntwo\nthree", summary: "one"},
		{name: "parts of one line", parts: []string{"one", `\ttwo`}, text: "one\ttwo", summary: "one two"},
		{name: "json", parts: []string{`["a\n"]`}, text: `["a\n"]`, summary: `["a\n"]`},
		{name: "tabs and signs", parts: []string{`  1\t\tif a == \"\\b\" {\t\r\n2`}, text: "  1\t\tif a == \"\\b\" {\t\r\n2", summary: `1 if a == "\b" {`},
		{name: "exactly as long as is shown", parts: []string{long[:120] + `\nend`}, text: long[:120] + "\nend", summary: long[:120]},
		{name: "tabs beside blanks", parts: []string{`a\t \tb\n`}, text: "a\t \tb\n", summary: "a   b"},
		{name: "blank lines first", parts: []string{strings.Repeat(`\n`, 3000), `end\n`}, text: strings.Repeat("\n", 3000) + "end\n", summary: "end"},
		{name: "many blank lines first", parts: []string{strings.Repeat(` \n`, 30_000), `end`}, text: strings.Repeat(" \n", 30_000) + "end", summary: "end"},
		{name: "a long line", parts: []string{long}, text: long, summary: long[:119] + "…", kept: true},
		{name: "escapes alone first", parts: []string{`\u001b[1m\u001b[0m\r\nend`}, text: "\x1b[1m\x1b[0m\r\nend", summary: "end"},
		{name: "a line that ends in escapes", parts: []string{long[:119] + `   \u001b[0m`}, text: long[:119] + "   \x1b[0m", summary: long[:119]},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var keeps, drops lines.Output
			drops.Drop()
			want := events.Tool{Size: len(tc.text), Summary: tc.summary, Output: []byte(tc.text)}

			got, text := fill(&keeps, true, tc.parts...)
			assert.Equal(t, tc.text, string(text))
			assert.Equal(t, want.Summary, got.Summary)
			assert.Equal(t, string(want.Output), string(got.Output))
			assert.Equal(t, want.Size, got.Size)

			whole, text := fill(&drops, true, tc.parts...)
			assert.Equal(t, got.Summary, whole.Summary)
			assert.Equal(t, tc.text, string(text), "what the parser looks into is made whole")

			dropped, _ := fill(&drops, false, tc.parts...)
			assert.Equal(t, want.Summary, dropped.Summary)
			assert.Equal(t, want.Size, dropped.Size)
			assert.Equal(t, tc.kept, len(dropped.Output) > 0)
		})
	}
}

func TestOutputsOfALineLieBehindEachOther(t *testing.T) {
	var o lines.Output
	first, _ := fill(&o, false, "one")
	second, _ := fill(&o, false, "two")
	assert.Equal(t, "one", string(first.Output))
	assert.Equal(t, "two", string(second.Output))
	o.Reset()
	third, _ := fill(&o, false, "3")
	assert.Equal(t, "3", string(third.Output))
}

func TestLargeTextsAreNotMade(t *testing.T) {
	var o lines.Output
	o.Drop()
	body := quoted(`first line\n` + strings.Repeat(`func Total(prices ...int) int {\n`, 1<<15))
	var tool events.Tool
	text := o.Text(body)
	text.Fill(&tool) // allocates the buffer
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		o.Reset()
		text := o.Text(body)
		text.Fill(&tool)
	}), "of a megabyte that nobody keeps only the head is made")
	assert.Equal(t, "first line", tool.Summary)
}

// FuzzOutput checks, for any text in two parts with a line break between them:
//   - the fields of a tool that depend on a text are the same whether it is dropped or kept
//   - the summary is that of package events, except that events cuts a line before it trims the blanks
//   - if a summary was cut, the head is kept, and is valid UTF-8
func FuzzOutput(f *testing.F) {
	for _, seed := range []string{"", "a", `\n`, `é\r\n`, `x\u001b[0m`, "\xff", `\ud83d\ude00`, " ", `a\t\"\n`, `\t \t`} {
		for _, n := range []int{1, 50, 130, 600, 9000} {
			f.Add(strings.Repeat(seed, n), "end")
			f.Add(seed, strings.Repeat("0123456789", n))
		}
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		if strings.HasPrefix(first, "[") || strings.HasPrefix(second, "[") {
			return
		}
		var keeps, drops lines.Output
		drops.Drop()
		kept, text := fill(&keeps, true, first, "\n", second)
		dropped, _ := fill(&drops, false, first, "\n", second)
		require.Equal(t, kept.Summary, dropped.Summary)
		require.Equal(t, kept.Size, dropped.Size)
		require.Equal(t, len(text), kept.Size)
		if len(text) < 4*events.SummaryRunes {
			require.Equal(t, events.Summary(string(text)), kept.Summary)
		}
		require.True(t, strings.HasPrefix(string(text), string(dropped.Output)))
		require.True(t, utf8.Valid(dropped.Output))
		if strings.HasSuffix(kept.Summary, "…") {
			require.GreaterOrEqual(t, len(dropped.Output), min(events.OutputHead, len(text)))
		}
	})
}

// BenchmarkOutput decodes texts of results of several sizes, kept and dropped.
func BenchmarkOutput(b *testing.B) {
	for _, size := range []int{256, 4 << 10, 1 << 20} {
		body := quoted(strings.Repeat(`func Total(prices ...int) int {\n\tsum := 0 // \"cents\"\n`, size/56))
		for _, drop := range []bool{false, true} {
			b.Run(fmt.Sprintf("size=%d/drop=%t", size, drop), func(b *testing.B) {
				b.SetBytes(int64(len(body.Raw)))
				b.ReportAllocs()
				var o lines.Output
				if drop {
					o.Drop()
				}
				var t events.Tool
				for b.Loop() {
					o.Reset()
					text := o.Text(body)
					text.Fill(&t)
				}
				require.Equal(b, "func Total(prices ...int) int {", t.Summary)
			})
		}
	}
}
