package lines_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

func TestTrim(t *testing.T) {
	for in, want := range map[string]string{
		"":                          "",
		" \t{}\r":                   "{}",
		"\xef\xbb\xbf{\"a\":1}":     `{"a":1}`,
		"\x00\x00":                  "",
		"{}\x00\x00":                "{}",
		"\xef\xbb\xbf \xef\xbb{":    "\xef\xbb{",
		"\xef\xbb\xbf\xef\xbb\xbf{": "{",
	} {
		assert.Equal(t, want, string(lines.Trim([]byte(in))), "%q", in)
	}
}

func TestVerdict(t *testing.T) {
	var v lines.Verdict
	v.Status = events.LineIgnored
	v.NoteUnknown("new")
	assert.Equal(t, lines.Verdict{Status: events.LineUnknownType, Unknown: "new"}, v)
	v.Note(events.LineOK)
	v.Note(events.LineIgnored)
	v.NoteUnknown("newer")
	assert.Equal(t, events.LineOK, v.Status)
	v.Note(events.LineMalformed)
	v.Note(events.LineOK)
	assert.Equal(t, events.LineMalformed, v.Status)
}

func TestTypeName(t *testing.T) {
	assert.Equal(t, "item/(none)", lines.TypeName("item/", nil))
	assert.Equal(t, "hologram", lines.TypeName("", []byte(`holo\u001b[31mgram`)))
	assert.Len(t, lines.TypeName("", []byte(strings.Repeat("x", 500))), 64)
}

func TestSummary(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"\n \r\n\t":                            "",
		"\n\x1b[31m\x1b[0m\n  two \nthree":     "two",
		"one\rtwo":                             "one",
		strings.Repeat("é", 3<<10) + "\nlast":  strings.Repeat("é", 119) + "…",
		strings.Repeat("x", 5<<10) + "\nlast":  strings.Repeat("x", 119) + "…",
		strings.Repeat("x", 120) + " y":        strings.Repeat("x", 119) + "…",
		strings.Repeat("x", 120) + " \ny":      strings.Repeat("x", 120),
		"a\x1b[31m" + strings.Repeat("x", 130): "a" + strings.Repeat("x", 118) + "…",
	} {
		assert.Equal(t, want, lines.Summary([]byte(in)), "%q", in)
		assert.Equal(t, want, events.Summary(in[:min(len(in), 4<<10)]), "%q", in)
	}
}

func TestBufferGivesLargeOnesBack(t *testing.T) {
	assert.Equal(t, 64, cap(lines.Buffer(make([]byte, 10, 64))))
	assert.Empty(t, lines.Buffer(make([]byte, 10, 64)))
	assert.Zero(t, cap(lines.Buffer(make([]byte, 10, 2<<20))))
}

func TestBlank(t *testing.T) {
	assert.True(t, lines.Blank(" \n\u00a0\u2028"))
	assert.True(t, lines.Blank(""))
	assert.False(t, lines.Blank(" . "))
}

func TestAgain(t *testing.T) {
	var a scan.Strings
	var g lines.Again
	for _, tc := range []struct{ body, want string }{
		{"a", "a"}, {"a", "a"}, {`\u0061`, "a"}, {`b\\n`, `b\n`}, {`b\n`, "b\n"}, {"", ""}, {"a", "a"}, {"c", "c"},
	} {
		assert.Equal(t, tc.want, g.Text(&a, text(tc.body)))
	}
	assert.Empty(t, g.Text(&a, scan.Value{Kind: scan.KindNumber, Raw: []byte("1")}))
	id := text("call_1")
	assert.Zero(t, testing.AllocsPerRun(10_000, func() { g.Text(&a, id) }))
}
