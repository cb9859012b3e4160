package token

import (
	"slices"

	"github.com/tailspan/tailspan/redact/internal/text"
)

// Name is an identifier in the text.
type Name struct {
	Start, End int
	Class      Class
	// Caps: the identifier is written in capitals, like an environment variable.
	Caps bool
}

// MaxIdent is the maximum length of an identifier, in bytes.
const MaxIdent = 80

// Reader reads names and their values in one text. Set Input and Names before use.
type Reader[T text.Bytes] struct {
	valueReader[T]
	Names Names

	n     int // used bytes of ident
	ident [3 * MaxIdent]byte
}

// NameAround reads the identifier around the bytes from i to end, and classifies it.
func (r *Reader[T]) NameAround(i, end int) Name {
	for end < len(r.S) && end-i < MaxIdent && text.Is(r.S[end], text.Alnum|text.Ident) {
		end++
	}
	for end > i && r.S[end-1] == '.' { // the end of a sentence
		end--
	}
	if !r.mayEndName(i, end) {
		return Name{}
	}
	start := i
	for start > 0 && i-start < MaxIdent && text.Is(r.S[start-1], text.Alnum|text.Ident) {
		start--
	}
	// The letter of \n belongs to the escape if a backslash precedes it.
	if start > 0 && r.S[start-1] == '\\' && start < i && text.Starts(r.S, start+1) {
		start++
	}
	// So do the parameters of a written color sequence.
	if at := text.Skip(r.S, start, i, text.Digit); at < i && r.S[at] == 'm' && text.ColorBefore(r.S, at) {
		start = at + 1
	}
	n := Name{Start: start, End: end}
	m := text.MixOf(r.S, start, end)
	n.Caps = m.Lower == 0 && m.Upper > 0
	ident := r.Normal(start, end)
	n.Class = r.Names.Classify(ident, n.Caps)
	if n.Class == ClassNone && string(ident) == "key" {
		r.twoWords(&n)
	}
	return n
}

// twoWords adds the word before a lone "key" to the name, as in "api key".
func (r *Reader[T]) twoWords(n *Name) {
	end := n.Start - 1
	if end < 1 || r.S[end] != ' ' {
		return
	}
	start := end
	for start > 0 && end-start < MaxIdent && text.Is(r.S[start-1], text.Alnum) {
		start--
	}
	if slices.Contains(keyWords, string(r.Normal(start, end))) {
		n.Start, n.Class = start, ClassKey
	}
}

// mayEndName performs a cheap check of what follows the identifier around i, which ends at end: most identifiers have no value.
func (r *Reader[T]) mayEndName(i, end int) bool {
	if end >= len(r.S) {
		return false
	}
	switch c := r.S[end]; c {
	case '\\', '%', '&':
		if _, n := text.EscapeAt(r.S, end); n > 0 {
			r.Escapes = true
		}
		return c != '&'
	case '=', ':', '"', '\'', '>', ']', '`', '*', '(', '?', '!', '[', '<', '|':
		return true
	case ' ', '\t', '\n', '\r', ',':
		return r.valueMayFollow(i, end)
	}
	return false
}

// valueMayFollow compares the first byte after the blanks that follow the identifier around i with what valueAfter
// accepts. Some names need no such byte.
func (r *Reader[T]) valueMayFollow(i, end int) bool {
	s := r.S
	after := end
	if s[after] == ',' {
		after++
	}
	after = text.Skip(s, after, len(s), text.Space)
	if after >= len(s) {
		return false
	}
	switch s[after] {
	case '=', ':', '>', '%', ',', '\'', '"', '\\', 'v', 'V', '|', '?', '[':
		return true
	case 'p', 'P':
		if text.HasAt(s, after, "parametervalue", true) {
			return true
		}
	case '{':
		return true
	case 's', 'S', '*', 'a', 'A', 't', 'T':
		if r.typeWord(after) > 0 {
			return true
		}
	case 'o':
		if text.HasAt(s, after, "or ", false) {
			return true
		}
	}
	start := i
	for start > 0 && i-start < MaxIdent && text.Is(s[start-1], text.Alnum|text.Ident) {
		start--
	}
	return flagStart(s, start, i) >= 0 || text.Is(s[end], text.Blank) && r.isDirective(start, end)
}

// Normal copies a short piece to an array of the Reader, in lower case, with an underscore between its segments: apiKey,
// API-Key and api.key become api_key. A number at the end is not a segment.
func (r *Reader[T]) Normal(start, end int) []byte {
	r.n = 0
	put := func(c byte) {
		if r.n < len(r.ident) {
			r.ident[r.n] = c
			r.n++
		}
	}
	for i := start; i < end; i++ {
		c := r.S[i]
		switch {
		case text.Is(c, text.Ident):
			if r.n > 0 && r.ident[r.n-1] != '_' {
				put('_')
			}
			continue
		case text.Is(c, text.Upper) && i > start:
			before, after := r.S[i-1], byte(0)
			if i+1 < end {
				after = r.S[i+1]
			}
			if text.Is(before, text.Lower|text.Digit) || text.Is(before, text.Upper) && text.Is(after, text.Lower) {
				put('_')
			}
		}
		put(text.ToLower(c))
	}
	for r.n > 0 && (text.Is(r.ident[r.n-1], text.Digit) || r.ident[r.n-1] == '_') {
		r.n--
	}
	return r.ident[:r.n]
}
