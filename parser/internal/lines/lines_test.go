package lines_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
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
		"":                                    "",
		"\n \r\n\t":                           "",
		"\n\x1b[31m\x1b[0m\n  two \nthree":    "two",
		"one\rtwo":                            "one",
		strings.Repeat("é", 3<<10) + "\nlast": strings.Repeat("é", 119) + "…",
	} {
		assert.Equal(t, want, lines.Summary([]byte(in)), "%q", in)
	}
}

func TestBlank(t *testing.T) {
	assert.True(t, lines.Blank(" \n\u00a0\u2028"))
	assert.True(t, lines.Blank(""))
	assert.False(t, lines.Blank(" . "))
}
