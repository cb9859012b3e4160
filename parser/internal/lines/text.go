package lines

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Text is the text of a result that a parser looks into before it emits it: where a program writes a head before the
// output of a command, where the output of a failed call is its error. It is put together of parts of the line, and made
// only as far as somebody looks at it. It lives as long as the texts of its Output. The zero value has no text.
type Text struct {
	out      *Output
	from, to int // its parts

	text  []byte // what is made of it
	whole bool   // text is all of it
	skip  int    // how much of text does not count
}

// part is a piece of a text as encoded in the line.
type part struct {
	raw   []byte
	plain bool // it is no string and holds no escapes
}

// lineFeed is a part of its own.
var lineFeed = []byte("\n")

// Text begins a text of some strings that follow each other.
func (o *Output) Text(values ...scan.Value) Text {
	t := Text{out: o, from: len(o.parts), to: len(o.parts)}
	for _, v := range values {
		t.Add(v)
	}
	return t
}

// Joined begins a text of values with a line feed between them; one that is no string is its own text.
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

// JSON adds the text of a string; another value is its own text.
func (t *Text) JSON(v scan.Value) {
	if v.Kind == scan.KindString {
		t.Add(v)
	} else {
		t.add(part{raw: v.Raw, plain: true})
	}
}

// Newline adds a line feed.
func (t *Text) Newline() { t.add(part{raw: lineFeed, plain: true}) }

// Add adds the text of a string; all other values have none. No other text may have been begun since.
func (t *Text) Add(v scan.Value) { t.add(part{raw: v.Body()}) }

// Line adds the text of a string that begins on a line of its own. One without a text adds nothing.
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

// Head gives the beginning of the text: n bytes and maybe more, or all of it.
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

// Begins reports whether the text begins with a prefix of plain letters. For that nothing of it has to be made.
func (t *Text) Begins(word string) bool {
	if t.from == t.to {
		return false
	}
	if t.skip == 0 { // the first letter decides, nearly always
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

// All gives the whole text.
func (t *Text) All() []byte { return t.Head(math.MaxInt) }

// make makes n bytes behind what is skipped.
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

// Skip leaves out the next n bytes of what Head gave.
func (t *Text) Skip(n int) { t.skip += n }

// SkipBehind leaves out what is before a mark and the mark, if one is found in the first bytes of the line that the
// text is made of; mark is escaped as in the line. Nothing may have been left out before.
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

// Size is the length of the text in bytes.
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

// Summary gives the first line of the text that says something, as [events.Summary] has it, and whether it was cut.
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

// plainLine gives the first line of a text of which nothing is made yet, if it is its own summary: a short line of plain
// letters, as most are. It is taken out of the line at hand as it stands.
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

// Fill fills in the text and what describes it: its size and, unless the parser knows better, its summary. A text
// that is dropped stays for [events.OutputHead] bytes behind a summary that was cut.
func (t *Text) Fill(tool *events.Tool) {
	summary, cut := t.Summary()
	tool.Summary = summary
	t.FillCut(tool, cut)
}

// FillCut is Fill without the summary, of which the parser says whether it was cut.
func (t *Text) FillCut(tool *events.Tool, cut bool) {
	if t.from < t.to && (cut || !t.out.dropped) {
		tool.Output = t.Head(events.OutputHead)
	}
	tool.Size = t.Size()
}
