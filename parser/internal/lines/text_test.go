package lines_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

func text(s string) scan.Value { return scan.Value{Kind: scan.KindString, Raw: []byte(`"` + s + `"`)} }

func TestText(t *testing.T) {
	object := scan.Value{Kind: scan.KindObject, Raw: []byte(`{"a":[1,2]}`)}
	null := scan.Value{Kind: scan.KindNull, Raw: []byte("null")}
	long, line := strings.Repeat(`x\u0041\"\n`, 5000), strings.Repeat("y", 200)
	longText := strings.Repeat("xA\"\n", 5000)
	for _, tc := range []struct {
		name    string
		make    func(o *lines.Output) lines.Text
		skip    int
		want    string
		summary string
		head    bool // kept if texts are dropped
	}{
		{name: "none", make: func(o *lines.Output) lines.Text { return o.Text(null, object, scan.Value{}, text("")) }},
		{name: "one", make: func(o *lines.Output) lines.Text { return o.Text(text(`a\nb`)) }, want: "a\nb", summary: "a"},
		{name: "behind each other", make: func(o *lines.Output) lines.Text { return o.Text(text("a"), text("b")) }, want: "ab", summary: "ab"},
		{name: "joined", make: func(o *lines.Output) lines.Text { return o.Joined(text("a"), object, text("")) }, want: "a\n{\"a\":[1,2]}\n", summary: "a"},
		{name: "lines", make: func(o *lines.Output) lines.Text {
			t := o.Text()
			for _, v := range []string{"", "a", "b", "", `c\n`, "d"} {
				t.Line(text(v))
			}
			return t
		}, want: "a\nb\nc\nd", summary: "a"},
		{name: "long", make: func(o *lines.Output) lines.Text { return o.Text(text(long)) }, want: longText, summary: "xA\""},
		{name: "long of several", make: func(o *lines.Output) lines.Text { return o.Joined(text(long), text(long), object) }, want: longText + "\n" + longText + "\n" + `{"a":[1,2]}`, summary: "xA\""},
		{name: "a head left out", make: func(o *lines.Output) lines.Text { return o.Text(text("head:" + long)) }, skip: 5, want: longText, summary: "xA\""},
		{name: "a long line", make: func(o *lines.Output) lines.Text { return o.Text(text(line + long)) }, want: line + longText, summary: line[:119] + "…", head: true},
		{name: "blank for long", make: func(o *lines.Output) lines.Text { return o.Text(text(strings.Repeat(` \n`, 9000)), text("end")) }, want: strings.Repeat(" \n", 9000) + "end", summary: "end"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, drop := range []bool{false, true} {
				var o lines.Output
				if drop {
					o.Drop()
				}
				before := o.Text(text("before"))
				first := before.All()
				got := tc.make(&o)
				if tc.skip > 0 {
					assert.Equal(t, "head:", string(got.Head(tc.skip)[:tc.skip]))
					got.Skip(tc.skip)
				}
				var tool events.Tool
				got.Fill(&tool)
				assert.Equal(t, tc.summary, tool.Summary)
				assert.Equal(t, len(tc.want), tool.Size)
				switch {
				case !drop:
					assert.Equal(t, tc.want, string(tool.Output))
				case tc.head:
					assert.True(t, strings.HasPrefix(tc.want, string(tool.Output)))
					assert.GreaterOrEqual(t, len(tool.Output), events.OutputHead)
				default:
					assert.Empty(t, tool.Output)
				}
				assert.Equal(t, tc.want, string(got.All()))
				assert.Equal(t, "before", string(first), "texts of one line don't touch")
			}
		})
	}
}

func TestTextsThatAreDroppedAreNotMade(t *testing.T) {
	var o lines.Output
	o.Drop()
	v := text(`first line\n` + strings.Repeat(`func Total(prices ...int) int {\n`, 1<<15))
	var tool events.Tool
	took := testing.AllocsPerRun(100, func() {
		o.Reset()
		text := o.Text(v)
		text.Fill(&tool)
	})
	assert.Zero(t, took, "of a megabyte that nobody keeps only the head is made")
	assert.Equal(t, "first line", tool.Summary)
}

func TestTextBegins(t *testing.T) {
	for _, tc := range []struct {
		body, word string
		want       bool
	}{
		{"abc", "ab", true}, {"abc", "abd", false}, {"a", "ab", false}, {`\u0061bc`, "ab", true}, {`a\nb`, "ab", false}, {"", "a", false}, {"{", "{", true},
	} {
		for _, skip := range []string{"", "head:"} {
			var o lines.Output
			o.Drop()
			got := o.Text(text(skip + tc.body))
			if skip != "" {
				got.Head(len(skip))
				got.Skip(len(skip))
			}
			assert.Equal(t, tc.want, got.Begins(tc.word), "%s begins with %s", tc.body, tc.word)
		}
	}
	assert.False(t, new(lines.Text).Begins("a"))
}

func TestTextSkipBehind(t *testing.T) {
	for _, drop := range []bool{false, true} {
		var o lines.Output
		if drop {
			o.Drop()
		}
		got := o.Text(text(`<path>a\tb</path>\n<content>\n1: x\n2: y`))
		assert.False(t, got.SkipBehind(`<file>\n`, 100))
		assert.False(t, got.SkipBehind(`<content>\n`, 20), "it lies further behind")
		assert.True(t, got.SkipBehind(`<content>\n`, 100))
		var tool events.Tool
		got.Fill(&tool)
		assert.Equal(t, "1: x", tool.Summary)
		assert.Equal(t, len("1: x\n2: y"), tool.Size)
	}
	assert.False(t, new(lines.Text).SkipBehind("a", 1))
}
