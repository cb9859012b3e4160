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
		var a scan.Strings
		assert.Equal(t, want, lines.Summary(&a, []byte(in)), "%q", in)
		assert.Equal(t, want, events.Summary(in[:min(len(in), 4<<10)]), "%q", in)
	}
}

func text(s string) scan.Value { return scan.Value{Kind: scan.KindString, Raw: []byte(`"` + s + `"`)} }

func TestOutput(t *testing.T) {
	const least = 4 << 10 // of a limit
	pad := strings.Repeat("x", least-4)
	whole := text(pad + `one\ntwo\nthree`)
	object := scan.Value{Kind: scan.KindObject, Raw: []byte(`{"a":[1,2,3]}`)}
	for _, tc := range []struct {
		name  string
		limit int
		make  func(o *lines.Output) lines.Result
		want  string
		size  int
	}{
		{"whole", 0, func(o *lines.Output) lines.Result { return o.Text(whole) }, "one\ntwo\nthree", 13},
		{"head", least, func(o *lines.Output) lines.Result { return o.Text(whole) }, "one", 13},
		{"a limit below the least", 1, func(o *lines.Output) lines.Result { return o.Text(whole) }, "one", 13},
		{"within the limit", least + 11, func(o *lines.Output) lines.Result { return o.Text(whole) }, "one\ntwo\nthree", 13},
		{"joined", 0, func(o *lines.Output) lines.Result { return o.Join("\n", whole, object, text("é")) }, "one\ntwo\nthree\n{\"a\":[1,2,3]}\né", 30},
		{"joined to a limit", least + 12, func(o *lines.Output) lines.Result { return o.Join("\n", whole, object, text("é")) }, "one\ntwo\nthree\n{\"", 30},
		{"nothing behind a gap", least + 4, func(o *lines.Output) lines.Result { return o.Join("", whole, text("x")) }, "one\ntwo", 14},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var o lines.Output
			o.Limit(tc.limit)
			before := o.Text(text("before"))
			got := tc.make(&o)
			after := o.Text(text("after"))
			assert.Equal(t, tc.want, strings.TrimPrefix(string(got.Text), pad))
			assert.Equal(t, len(pad)+tc.size, got.Size)
			assert.Equal(t, len(tc.want) == tc.size, got.Whole())
			assert.Equal(t, "before after", string(before.Text)+" "+string(after.Text), "texts of one line don't touch")
		})
	}
	var o lines.Output
	assert.Equal(t, lines.Result{}, o.Text(object), "no string")
	assert.Equal(t, "two", string(o.Text(text(`onetwo`)).Skip(3).Text))
	assert.Zero(t, o.Limit(5<<10))
	assert.Equal(t, 5<<10, o.Limit(-1))
	assert.Zero(t, o.Limit(0))
}

func TestJoinerKnowsTheLastLine(t *testing.T) {
	for _, limit := range []int{0, 1} {
		var o lines.Output
		o.Limit(limit)
		j := o.Joiner()
		assert.False(t, j.EndsLine())
		j.Value(text(strings.Repeat("x", 4<<10)))
		j.Value(text(`a\n`))
		assert.True(t, j.EndsLine(), limit)
		j.Value(text(""))
		assert.True(t, j.EndsLine(), limit)
		j.Value(text(`a\\n`))
		assert.False(t, j.EndsLine(), limit)
		j.Add("\n")
		assert.True(t, j.EndsLine(), limit)
		assert.Equal(t, 4<<10+6, j.Size())
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
