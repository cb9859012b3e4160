package lines

import (
	"math"
	"strings"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// keepBytes is the size from which a buffer is not kept for the next line.
const keepBytes = 1 << 20

// Buffer empties a buffer for the next line; one that a large line made large is given back.
func Buffer(b []byte) []byte {
	if cap(b) > keepBytes {
		return nil
	}
	return b[:0]
}

// Output makes the texts of the results of a line, in memory that the next line uses again. The zero value is ready.
type Output struct {
	buf   []byte
	limit int
}

// Result is the text of a result, or its head where the reader wants no more.
type Result struct {
	Text []byte
	// Size is the length of the whole text, in bytes.
	Size int
}

// Whole reports whether Text is all of it.
func (r *Result) Whole() bool { return len(r.Text) == r.Size }

// Skip gives r without its first n bytes.
func (r Result) Skip(n int) Result { return Result{Text: r.Text[n:], Size: r.Size - n} }

// Reset makes room for the results of the next line.
func (o *Output) Reset() { o.buf = Buffer(o.buf) }

// minLimit is the least that texts are bounded to, in bytes: parsers look at what programs write before an output.
const minLimit = 4 << 10

// Limit bounds the texts to come, see events.OutputLimiter, and gives the limit before.
func (o *Output) Limit(limit int) (before int) {
	before = o.limit
	if o.limit = 0; limit > 0 {
		o.limit = max(limit, minLimit)
	}
	return before
}

// Text gives the text of a string, or its head; nothing of all other kinds.
func (o *Output) Text(v scan.Value) Result {
	if v.Kind != scan.KindString {
		return Result{}
	}
	return o.Join("", v)
}

// Join gives several texts as one, with the separator before each but the first. A value that is no string is its own
// text.
func (o *Output) Join(separator string, values ...scan.Value) Result {
	j := o.Joiner()
	for i, v := range values {
		if i > 0 {
			j.Add(separator)
		}
		j.Value(v)
	}
	return j.Result()
}

// Joiner puts a text together. Nothing else may be asked of its Output until Result.
type Joiner struct {
	out      *Output
	start    int
	size     int
	endsLine bool
}

// Joiner begins a text.
func (o *Output) Joiner() Joiner { return Joiner{out: o, start: len(o.buf)} }

// Size is the length of the text so far.
func (j *Joiner) Size() int { return j.size }

// EndsLine reports whether the text so far ends in a line feed.
func (j *Joiner) EndsLine() bool { return j.endsLine }

// Add adds plain bytes.
func (j *Joiner) Add(text string) {
	if len(text) <= j.room() {
		j.out.buf = append(j.out.buf, text...)
	}
	j.size += len(text)
	j.endsLine = strings.HasSuffix(text, "\n")
}

// Value adds the text of a value; one that is no string is its own text.
func (j *Joiner) Value(v scan.Value) {
	body, makeText := v.Body(), scan.AppendString
	if v.Kind != scan.KindString {
		body, makeText = v.Raw, scan.AppendJSON
	}
	room, before := j.room(), len(j.out.buf)
	switch {
	case len(body) <= room:
		j.out.buf = makeText(j.out.buf, body)
		j.size += len(j.out.buf) - before
	case v.Kind == scan.KindString:
		j.out.buf = makeText(j.out.buf, scan.Head(body, room))
		j.size += scan.TextLen(body)
	default:
		j.out.buf = makeText(j.out.buf, scan.Head(body, room))
		j.size += len(makeText(nil, body))
	}
	if len(body) > 0 {
		j.endsLine = v.Kind == scan.KindString && scan.EndsLine(body)
	}
}

// room is how many more bytes are wanted: none behind a text of which only the head was.
func (j *Joiner) room() int {
	switch {
	case j.out.limit == 0:
		return math.MaxInt
	case len(j.out.buf)-j.start < j.size:
		return 0
	default:
		return max(j.out.limit-(len(j.out.buf)-j.start), 0)
	}
}

// Result gives the text.
func (j *Joiner) Result() Result {
	buf := j.out.buf
	return Result{Text: buf[j.start:len(buf):len(buf)], Size: j.size}
}
