package token

import (
	"slices"

	"github.com/tailspan/tailspan/redact/internal/text"
)

// How much of a value is read, in bytes; a longer one is redacted as a whole.
const (
	MaxQuoted   = 8 << 10
	maxUnquoted = 512
)

// Value is a value in the text, and how it is written.
type Value struct {
	Start, End int
	Sep        Sep
	Quoted     bool
	// Quote is the quote that closes the name, with the backslashes before it; "" if there is none.
	Quote string
	// Subscript: the name is in brackets, as in env["NAME"].
	Subscript bool
	// closed: the closing quote was found.
	closed bool
	// mark is the quote of the value, and slashes the number of backslashes before it.
	mark    byte
	slashes int
	// more is where a block of lines ends that begins with the value; 0 if it is one line.
	more int
}

// valueReader reads values in one text.
type valueReader[T text.Bytes] struct{ text.Input[T] }

// quoteText is a quote with n backslashes before it, for the levels of JSON in JSON that occur.
func quoteText(n int, c byte) string {
	const slashes = `\\\\\\\`
	if c != '"' || n > len(slashes) {
		return "'"
	}
	return (slashes + `"`)[len(slashes)-n:]
}

// ReadValue reads the value that begins at i: up to its closing quote, or up to what ends a bare word.
func (f *valueReader[T]) ReadValue(i int, v *Value) {
	j := f.literalAt(i)
	k := text.SkipByte(f.S, j, '\\')
	if k < len(f.S) && text.Is(f.S[k], text.Quote) {
		if n := k - j + 1; f.equal(j, k+1, n) && f.equal(j, k+1+n, n) { // """text""", '''text'''
			k += 2 * n
		}
		v.Start, v.Quoted = k+1, true
		v.mark, v.slashes = f.S[k], text.SkipByte(f.S, j, '\\')-j
		v.End, v.closed = f.quotedEnd(k+1, v.mark, v.slashes)
		return
	}
	v.Start = i
	if v.Sep == SepTag {
		for v.End = i; v.End < len(f.S) && f.S[v.End] != '<' && f.S[v.End] != '\n'; v.End++ {
		}
		if !text.HasAt(f.S, v.End, "</", false) && !f.TouchesCut(v.End) && !(v.End < len(f.S) && f.TouchesCut(v.End+1)) {
			v.Sep = SepNone
		}
		return
	}
	if v.Sep == SepTight && v.Start > 1 && f.S[v.Start-1] == '-' && f.S[v.Start-2] == ':' { // ${NAME:-value}
		for v.End = i; v.End < len(f.S) && v.End < i+maxUnquoted && f.S[v.End] != '}' && !text.Is(f.S[v.End], text.Space); v.End++ {
		}
		return
	}
	v.End = f.BareEnd(i, v.Sep)
}

// Whole is where the value ends, also if it is longer than what was read.
func (f *valueReader[T]) Whole(v Value) int {
	end := v.End
	switch {
	case v.more > 0:
		return v.more
	case v.mark != 0 && !v.closed && v.End-v.Start >= MaxQuoted:
		for closed := false; !closed; {
			next, isClosed := f.quotedEnd(end, v.mark, v.slashes)
			if next <= end {
				break
			}
			end, closed = next, isClosed
		}
	case !v.Quoted && v.End-v.Start >= maxUnquoted:
		for next := f.BareEnd(end, v.Sep); next > end; next = f.BareEnd(end, v.Sep) {
			end = next
		}
	}
	return end
}

// equal reports whether n bytes at i and at k are the same.
func (f *valueReader[T]) equal(i, k, n int) bool {
	if k+n > len(f.S) {
		return false
	}
	for n > 0 && f.S[i+n-1] == f.S[k+n-1] {
		n--
	}
	return n == 0
}

// quotedEnd finds the quote c that closes what was opened with n backslashes before it. A quote with fewer closes an
// outer string; one with more belongs to the text if its backslashes don't make pairs of their own.
func (f *valueReader[T]) quotedEnd(i int, c byte, n int) (end int, closed bool) {
	slashes := 0
	limit := min(len(f.S), i+MaxQuoted)
	for ; i < limit; i++ {
		switch b := f.S[i]; {
		case b == '\\':
			slashes++
			continue
		case b == c || b == '"' && slashes < n:
			if slashes <= n && !(c == '\'' && slashes > 0 && n == 0) {
				return i - slashes, slashes == n
			}
			if extra := slashes - n; extra%(n+1) == 0 && extra/(n+1)%2 == 0 {
				return i - n, true
			}
		case b == '\n' && c != '`':
			return i - slashes, false
		case (b == 'n' || b == 'r') && n > 0 && slashes == n && slashes > 0:
			return i - slashes, false // a line break of the outer string
		}
		slashes = 0
	}
	return i, false
}

// BareEnd finds the end of a value without quotes.
func (f *valueReader[T]) BareEnd(i int, sp Sep) int {
	start := i
	limit := min(len(f.S), i+maxUnquoted)
loop:
	for ; i < limit; i++ {
		c := f.S[i]
		switch {
		case text.Is(c, text.Space|text.Quote):
			break loop
		case c == '\\':
			if j := text.SkipByte(f.S, i, '\\'); j < len(f.S) && (text.Is(f.S[j], text.Quote) || f.S[j] == 'n' || f.S[j] == 'r' || f.S[j] == 't' || f.S[j] == 'u' || f.S[j] == '\n') {
				break loop
			}
		case c == '&', c == ';', c == ',', c == '|':
			if f.assignmentAt(i+1) || sp != SepTight && c != '&' {
				break loop
			}
		case c == '<' || c == '>':
			if i > start || c == '>' {
				break loop
			}
		case c == '(' || c == '[' || c == '{':
			// The call or the index of an expression: isCode sees it behind the end.
			if i > start && sp != SepTight {
				break loop
			}
		}
	}
	// The punctuation of the sentence, or of the text around the value.
	if i < limit || limit == len(f.S) {
		for i > start && (f.S[i-1] == ',' || f.S[i-1] == ';' || f.S[i-1] == ')' || f.S[i-1] == '}' || f.S[i-1] == ']' || f.S[i-1] == '.') {
			if f.IsMarker(start, i) {
				break
			}
			i--
		}
	}
	return i
}

// assignmentAt reports whether another NAME= begins at i, or nothing more.
func (f *valueReader[T]) assignmentAt(i int) bool {
	if i >= len(f.S) || text.Is(f.S[i], text.Space|text.Quote) {
		return true
	}
	j := text.Skip(f.S, i, min(len(f.S), i+MaxIdent), text.Alnum|text.Ident)
	return j > i && j < len(f.S) && (f.S[j] == '=' || f.S[j] == ':')
}

// quoteAt is i if a string literal begins there, 0 if none does.
func (f *valueReader[T]) quoteAt(i int) int {
	j := f.literalAt(i)
	if k := text.SkipByte(f.S, j, '\\'); k < len(f.S) && text.Is(f.S[k], text.Quote) {
		return i
	}
	return 0
}

// behindQuote is the first place behind the closing quote of a value that is no white space.
func (f *valueReader[T]) behindQuote(v *Value) int {
	i := text.SkipByte(f.S, v.End, '\\')
	for i < len(f.S) && text.Is(f.S[i], text.Quote) {
		i++
	}
	return text.Skip(f.S, i, len(f.S), text.Space)
}

// endsArgument reports whether the value is a whole argument.
func (f *valueReader[T]) endsArgument(v *Value) bool {
	i := f.behindQuote(v)
	return v.closed && (i >= len(f.S) || f.S[i] == ')' || f.S[i] == ',' || f.S[i] == '.' || f.S[i] == ';' || f.S[i] == '}' || f.S[i] == '\\') || f.TouchesCut(v.End)
}

// wrappers are functions that return their only argument: String::from("value"), Some("value"), []byte("value").
var wrappers = []string{"from", "some", "secretstr", "secretstring", "secret", "string", "str", "bytes", "byte", "of", "just"}

// literalAt skips what is in front of the quote of a literal: the letter of r"", b"", $"", @"", L"", N”, and a wrapper.
func (f *valueReader[T]) literalAt(i int) int {
	s := f.S
	j := i
	for n := 0; n < 2 && j < len(s) && (text.Is(s[j], text.Lower|text.Upper) || s[j] == '$' || s[j] == '@'); n++ {
		j++
		if k := text.SkipByte(s, j, '\\'); k < len(s) && text.Is(s[k], text.Quote) {
			return j
		}
	}
	if j == i && (j >= len(s) || s[j] != '[' && s[j] != '&') {
		return i
	}
	word := i
	for j = i; j < len(s) && j-i < MaxType && (text.Is(s[j], text.Alnum) || s[j] == '_' || s[j] == ':' || s[j] == '.' || s[j] == '[' || s[j] == ']' || s[j] == '&' || s[j] == ' '); j++ {
		if !text.IsAlnum(s[j]) && s[j] != '_' {
			word = j + 1
		}
	}
	if j+1 >= len(s) || s[j] != '(' || j == word {
		return i
	}
	k := text.SkipByte(s, j+1, '\\')
	if k >= len(s) || !text.Is(s[k], text.Quote) || !slices.ContainsFunc(wrappers, func(w string) bool { return len(w) == j-word && text.HasAt(s, word, w, true) }) {
		return i
	}
	return j + 1
}
