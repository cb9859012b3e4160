package token

import (
	"github.com/tailspan/tailspan/redact/internal/text"
)

// block reads a value on the lines below its name, which "|" or ">" of YAML announces at i.
func (r *valueReader[T]) block(id Name, i int, v *Value) bool {
	s := r.S
	if i >= len(s) || s[i] != '|' && s[i] != '>' {
		return false
	}
	for i++; i < len(s) && (s[i] == '-' || s[i] == '+' || text.Is(s[i], text.Digit)); i++ {
	}
	start, broken := r.lines(i)
	if !broken || start >= len(s) {
		return false
	}
	v.Start, v.Quoted, v.closed = start, true, true
	v.End = r.LineEnd(start)
	for end := v.End; ; {
		next, broken := r.lines(end)
		if !broken || next >= len(s) || r.indent(next) <= r.indent(id.Start) || r.indent(next) != r.indent(start) {
			break
		}
		if end = r.LineEnd(next); text.MixOf(s, next, end).Blank > 0 {
			break
		}
		v.more = end
	}
	return true
}

// LineEnd returns the end of the line at i, without trailing blanks. A line break may also be written as an escape.
func (r *valueReader[T]) LineEnd(i int) int {
	end := i
	for ; end < len(r.S) && end-i < MaxQuoted && r.S[end] != '\n' && r.S[end] != '\r'; end++ {
		if r.S[end] == '\\' && end+1 < len(r.S) && (r.S[end+1] == 'n' || r.S[end+1] == 'r' || r.S[end+1] == '"') {
			break
		}
	}
	for end > i && text.Is(r.S[end-1], text.Blank) {
		end--
	}
	return end
}

// indent returns the number of blanks between the beginning of the line and i; 0 if anything else is there.
func (r *valueReader[T]) indent(i int) int {
	n := 0
	for i > n && text.Is(r.S[i-n-1], text.Blank) {
		n++
	}
	return n
}

// continued returns the first offset from i on that is not a blank. A line that ends with a backslash continues.
func (r *valueReader[T]) continued(i int) int {
	for {
		i = text.Skip(r.S, i, len(r.S), text.Blank)
		switch {
		case text.HasAt(r.S, i, "\\\n", false):
			i += 2
		case text.HasAt(r.S, i, "\\\r\n", false):
			i += 3
		default:
			return i
		}
	}
}

// lines skips blanks and line breaks, including those written as an escape.
func (r *valueReader[T]) lines(i int) (end int, broken bool) {
	for i < len(r.S) {
		j := text.SkipByte(r.S, i, '\\')
		switch {
		case j > i && j < len(r.S) && (r.S[j] == 'n' || r.S[j] == 'r' || r.S[j] == 't'):
			broken = broken || r.S[j] != 't'
			i = j + 1
		case text.Is(r.S[i], text.Space):
			broken = broken || !text.Is(r.S[i], text.Blank)
			i++
		default:
			return i, broken
		}
	}
	return i, broken
}
