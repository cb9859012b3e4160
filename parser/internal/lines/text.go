package lines

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Text is the text of a result that a parser may inspect before it emits the result: for example to remove a header in
// front of a command's output, or to use the output of a failed call as its error. It consists of parts of the line and
// is decoded only as far as needed. It is valid as long as the texts of its Output. The zero value has no text.
type Text struct {
	out      *Output
	from, to int // range of its parts in out

	text  []byte // the decoded beginning
	whole bool   // text is complete
	skip  int    // number of bytes at the beginning of text to omit
}

// part is a piece of a text, in its encoded form in the line.
type part struct {
	raw   []byte
	plain bool // not a string, and without escapes
}

// lineFeed separates parts.
var lineFeed = []byte("\n")

// Text begins a text that concatenates some strings.
func (o *Output) Text(values ...scan.Value) Text {
	t := Text{out: o, from: len(o.parts), to: len(o.parts)}
	for _, v := range values {
		t.Add(v)
	}
	return t
}

// Joined begins a text of values with a line feed between them. The text of a value that is not a string is its JSON.
func (o *Output) Joined(values ...scan.Value) Text {
	t := o.Text()
	for i, v := range values {
		if i > 0 {
			t.Newline()
		}
		t.JSON(v)
	}
	return t
}

// JSON adds the text of a string, or the JSON of any other value.
func (t *Text) JSON(v scan.Value) {
	if v.Kind == scan.KindString {
		t.Add(v)
	} else {
		t.add(part{raw: v.Raw, plain: true})
	}
}

// Newline adds a line feed.
func (t *Text) Newline() { t.add(part{raw: lineFeed, plain: true}) }

// Add adds the text of a string; other values add nothing. Do not begin another text before the last call of Add.
func (t *Text) Add(v scan.Value) { t.add(part{raw: v.Body()}) }

// Line adds the text of a string on a new line. It adds nothing if the string is empty.
func (t *Text) Line(v scan.Value) {
	if len(v.Body()) == 0 {
		return
	}
	if t.to > t.from && !t.endsLine() {
		t.Newline()
	}
	t.Add(v)
}

func (t *Text) add(p part) {
	if len(p.raw) == 0 {
		return
	}
	t.out.parts = append(t.out.parts, p)
	t.to++
}

func (t *Text) endsLine() bool {
	p := t.out.parts[t.to-1]
	if p.plain {
		return p.raw[len(p.raw)-1] == '\n'
	}
	return scan.EndsLine(p.raw)
}

// Head returns the beginning of the text: at least n bytes, or all of it.
func (t *Text) Head(n int) []byte {
	if t.from == t.to {
		return nil
	}
	if !t.out.dropped {
		n = math.MaxInt
	}
	if made := len(t.text) - t.skip; !t.whole && (made < n || made == 0) {
		t.make(n)
	}
	return t.text[t.skip:]
}

// Begins reports whether the text begins with word, which must be plain ASCII. It usually decodes nothing.
func (t *Text) Begins(word string) bool {
	if t.from == t.to {
		return false
	}
	if t.skip == 0 { // the first letter nearly always decides
		raw := t.out.parts[t.from].raw
		for i := range min(len(raw), len(word)) {
			if raw[i] == '\\' {
				return bytes.HasPrefix(t.Head(len(word)), []byte(word))
			}
			if raw[i] != word[i] {
				return false
			}
		}
		if len(raw) >= len(word) {
			return true
		}
	}
	return bytes.HasPrefix(t.Head(len(word)), []byte(word))
}

// All returns the whole text.
func (t *Text) All() []byte { return t.Head(math.MaxInt) }

// make decodes n bytes after the skipped ones.
func (t *Text) make(n int) {
	o := t.out
	start := len(o.buf)
	end := math.MaxInt
	if n < math.MaxInt-start-t.skip {
		end = start + t.skip + n
	}
	t.whole = true
	for _, p := range o.parts[t.from:t.to] {
		if len(o.buf) >= end {
			t.whole = false
			break
		}
		var rest []byte
		switch {
		case p.plain:
			o.buf = scan.AppendJSON(o.buf, p.raw)
		case end == math.MaxInt:
			o.buf = scan.AppendString(o.buf, p.raw)
		default:
			o.buf, rest = scan.AppendHead(o.buf, p.raw, end-len(o.buf))
		}
		t.whole = t.whole && len(rest) == 0
	}
	t.text = o.buf[start:len(o.buf):len(o.buf)]
}

// Skip omits the first n bytes of the result of Head.
func (t *Text) Skip(n int) { t.skip += n }

// SkipBehind omits everything up to and including mark, if mark is within the first bytes of the encoded text.
// mark must be escaped as in the line. Call it before any other Skip.
func (t *Text) SkipBehind(mark string, within int) bool {
	if t.from == t.to {
		return false
	}
	raw := t.out.parts[t.from].raw
	i := bytes.Index(raw[:min(len(raw), within)], []byte(mark))
	if i < 0 {
		return false
	}
	t.skip = scan.TextLen(raw[:i+len(mark)])
	return true
}

// Size returns the length of the text in bytes.
func (t *Text) Size() int {
	if t.whole {
		return len(t.text) - t.skip
	}
	if t.from == t.to {
		return 0
	}
	n := -t.skip
	for _, p := range t.out.parts[t.from:t.to] {
		if p.plain {
			n += plainLen(p.raw)
		} else {
			n += scan.TextLen(p.raw)
		}
	}
	return n
}

func plainLen(raw []byte) int {
	if utf8.Valid(raw) {
		return len(raw)
	}
	return len(scan.AppendJSON(nil, raw))
}

// Summary returns the first non-blank line of the text, like [events.Summary], and whether it was cut.
func (t *Text) Summary() (summary string, cut bool) {
	if t.from == t.to {
		return "", false
	}
	if line := t.plainLine(); line != nil {
		return t.out.strings.Copy(line), false
	}
	for _, n := range [...]int{summaryBytes, events.OutputHead, math.MaxInt} {
		text := t.Head(n)
		if s, known := summaryOf(&t.out.strings, text, t.whole); known {
			return s, wasCut(s)
		}
	}
	return "", false
}

// plainLine returns the first line of a text that is not decoded yet if that line is its own summary: a short line of
// printable ASCII, as most are. The result points into the current line.
func (t *Text) plainLine() []byte {
	p := t.out.parts[t.from]
	if len(t.text) > 0 || t.skip > 0 || p.plain {
		return nil
	}
	end := 0
	for end < len(p.raw) && end <= events.SummaryRunes && p.raw[end] >= ' ' && p.raw[end] <= '~' && p.raw[end] != '\\' {
		end++
	}
	switch {
	case end == 0 || end > events.SummaryRunes || p.raw[0] == ' ' || p.raw[end-1] == ' ':
		return nil
	case end == len(p.raw) && t.to == t.from+1, bytes.HasPrefix(p.raw[end:], []byte(`\n`)):
		return p.raw[:end]
	}
	return nil
}

// Fill sets the text of a tool's result, its size and its summary. If texts are dropped, it keeps
// [events.OutputHead] bytes of a text whose summary was cut.
func (t *Text) Fill(tool *events.Tool) {
	summary, cut := t.Summary()
	tool.Summary = summary
	t.FillCut(tool, cut)
}

// FillCut is Fill without the summary. The parser passes whether the summary was cut.
func (t *Text) FillCut(tool *events.Tool, cut bool) {
	if t.from < t.to && (cut || !t.out.dropped) {
		tool.Output = t.Head(events.OutputHead)
	}
	tool.Size = t.Size()
}
