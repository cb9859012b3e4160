package token

import (
	"github.com/tailspan/tailspan/redact/internal/text"
)

// block reads a value that is in the lines below its name, as "|" and ">" of YAML announce it at i.
func (f *valueReader[T]) block(id Name, i int, v *Value) bool {
	s := f.S
	if i >= len(s) || s[i] != '|' && s[i] != '>' {
		return false
	}
	for i++; i < len(s) && (s[i] == '-' || s[i] == '+' || text.Is(s[i], text.Digit)); i++ {
	}
	start, broken := f.lines(i)
	if !broken || start >= len(s) {
		return false
	}
	v.Start, v.Quoted, v.closed = start, true, true
	v.End = f.LineEnd(start)
	for end := v.End; ; {
		next, broken := f.lines(end)
		if !broken || next >= len(s) || f.indent(next) <= f.indent(id.Start) || f.indent(next) != f.indent(start) {
			break
		}
		if end = f.LineEnd(next); text.MixOf(s, next, end).Blank > 0 {
			break
		}
		v.more = end
	}
	return true
}

// LineEnd is the end of the line at i, without blanks, also where the line break is written out.
func (f *valueReader[T]) LineEnd(i int) int {
	end := i
	for ; end < len(f.S) && end-i < MaxQuoted && f.S[end] != '\n' && f.S[end] != '\r'; end++ {
		if f.S[end] == '\\' && end+1 < len(f.S) && (f.S[end+1] == 'n' || f.S[end+1] == 'r' || f.S[end+1] == '"') {
			break
		}
	}
	for end > i && text.Is(f.S[end-1], text.Blank) {
		end--
	}
	return end
}

// indent is how many blanks are in front of what is at i on its line; 0 if something else is.
func (f *valueReader[T]) indent(i int) int {
	n := 0
	for i > n && text.Is(f.S[i-n-1], text.Blank) {
		n++
	}
	return n
}

// continued is the first place from i on that is no blank; a line that ends with a backslash continues.
func (f *valueReader[T]) continued(i int) int {
	for {
		i = text.Skip(f.S, i, len(f.S), text.Blank)
		switch {
		case text.HasAt(f.S, i, "\\\n", false):
			i += 2
		case text.HasAt(f.S, i, "\\\r\n", false):
			i += 3
		default:
			return i
		}
	}
}

// lines skips blanks and line breaks, also those that are written out.
func (f *valueReader[T]) lines(i int) (end int, broken bool) {
	for i < len(f.S) {
		j := text.SkipByte(f.S, i, '\\')
		switch {
		case j > i && j < len(f.S) && (f.S[j] == 'n' || f.S[j] == 'r' || f.S[j] == 't'):
			broken = broken || f.S[j] != 't'
			i = j + 1
		case text.Is(f.S[i], text.Space):
			broken = broken || !text.Is(f.S[i], text.Blank)
			i++
		default:
			return i, broken
		}
	}
	return i, broken
}
