package token

import (
	"slices"

	"github.com/tailspan/tailspan/redact/internal/text"
)

// How much of a value is read, in bytes. A longer value is redacted as a whole.
const (
	MaxQuoted   = 8 << 10
	maxUnquoted = 512
)

// Value is the position of a value in the text, and how it is written.
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
	// mark is the quote of the value, slashes the number of backslashes before it.
	mark    byte
	slashes int
	// more is the end of a block of lines that begins with the value; 0 if it is one line.
	more int
}

// valueReader reads values in one text.
type valueReader[T text.Bytes] struct{ text.Input[T] }

// quoteText returns a quote with n backslashes before it, for the levels of JSON in JSON that occur.
func quoteText(n int, c byte) string {
	const slashes = `\\\\\\\`
	if c != '"' || n > len(slashes) {
		return "'"
	}
	return (slashes + `"`)[len(slashes)-n:]
}

// ReadValue reads the value that begins at i: up to its closing quote, or up to the end of a bare word.
func (r *valueReader[T]) ReadValue(i int, v *Value) {
	j := r.literalAt(i)
	k := text.SkipByte(r.S, j, '\\')
	if k < len(r.S) && text.Is(r.S[k], text.Quote) {
		if n := k - j + 1; r.equal(j, k+1, n) && r.equal(j, k+1+n, n) { // """text""", '''text'''
			k += 2 * n
		}
		v.Start, v.Quoted = k+1, true
		v.mark, v.slashes = r.S[k], text.SkipByte(r.S, j, '\\')-j
		v.End, v.closed = r.quotedEnd(k+1, v.mark, v.slashes)
		return
	}
	v.Start = i
	if v.Sep == SepTag {
		for v.End = i; v.End < len(r.S) && r.S[v.End] != '<' && r.S[v.End] != '\n'; v.End++ {
		}
		if !text.HasAt(r.S, v.End, "</", false) && !r.TouchesCut(v.End) && !(v.End < len(r.S) && r.TouchesCut(v.End+1)) {
			v.Sep = SepNone
		}
		return
	}
	if v.Sep == SepTight && v.Start > 1 && r.S[v.Start-1] == '-' && r.S[v.Start-2] == ':' { // ${NAME:-value}
		for v.End = i; v.End < len(r.S) && v.End < i+maxUnquoted && r.S[v.End] != '}' && !text.Is(r.S[v.End], text.Space); v.End++ {
		}
		return
	}
	v.End = r.BareEnd(i, v.Sep)
}

// Whole returns the end of the value, even if it is longer than what was read.
func (r *valueReader[T]) Whole(v Value) int {
	end := v.End
	switch {
	case v.more > 0:
		return v.more
	case v.mark != 0 && !v.closed && v.End-v.Start >= MaxQuoted:
		for closed := false; !closed; {
			next, isClosed := r.quotedEnd(end, v.mark, v.slashes)
			if next <= end {
				break
			}
			end, closed = next, isClosed
		}
	case !v.Quoted && v.End-v.Start >= maxUnquoted:
		for next := r.BareEnd(end, v.Sep); next > end; next = r.BareEnd(end, v.Sep) {
			end = next
		}
	}
	return end
}

// equal reports whether the n bytes at i and at k are the same.
func (r *valueReader[T]) equal(i, k, n int) bool {
	if k+n > len(r.S) {
		return false
	}
	for n > 0 && r.S[i+n-1] == r.S[k+n-1] {
		n--
	}
	return n == 0
}

// quotedEnd finds the quote c that closes a string opened with n backslashes before the quote. A quote with fewer
// backslashes closes an outer string; one with more belongs to the text unless its backslashes form pairs.
func (r *valueReader[T]) quotedEnd(i int, c byte, n int) (end int, closed bool) {
	slashes := 0
	limit := min(len(r.S), i+MaxQuoted)
	for ; i < limit; i++ {
		switch b := r.S[i]; {
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
func (r *valueReader[T]) BareEnd(i int, sp Sep) int {
	start := i
	limit := min(len(r.S), i+maxUnquoted)
loop:
	for ; i < limit; i++ {
		c := r.S[i]
		switch {
		case text.Is(c, text.Space|text.Quote):
			break loop
		case c == '\\':
			if c, n := text.EscapeAt(r.S, i); n > 0 && (text.IsAlnum(c) || c == '+' || c == '/' || c == '=') { // \u002B, as .NET writes it
				i += n - 1
				continue
			}
			if j := text.SkipByte(r.S, i, '\\'); j < len(r.S) && (text.Is(r.S[j], text.Quote) || r.S[j] == 'n' || r.S[j] == 'r' || r.S[j] == 't' || r.S[j] == 'u' || r.S[j] == '\n') {
				break loop
			}
		case c == '&', c == ';', c == ',', c == '|':
			if r.assignmentAt(i+1) || sp != SepTight && c != '&' {
				break loop
			}
		case c == '<' || c == '>':
			if i > start || c == '>' {
				break loop
			}
		case c == '(' || c == '[' || c == '{':
			// The call or the index of an expression: isCode looks for it after the end.
			if i > start && sp != SepTight {
				break loop
			}
		}
	}
	// The punctuation of the sentence, or of the text around the value.
	if i < limit || limit == len(r.S) {
		for i > start && (r.S[i-1] == ',' || r.S[i-1] == ';' || r.S[i-1] == ')' || r.S[i-1] == '}' || r.S[i-1] == ']' || r.S[i-1] == '.') {
			if r.IsMarker(start, i) {
				break
			}
			i--
		}
	}
	return i
}

// assignmentAt reports whether another NAME= begins at i, or the text ends.
func (r *valueReader[T]) assignmentAt(i int) bool {
	if i >= len(r.S) || text.Is(r.S[i], text.Space|text.Quote) {
		return true
	}
	j := text.Skip(r.S, i, min(len(r.S), i+MaxIdent), text.Alnum|text.Ident)
	return j > i && j < len(r.S) && (r.S[j] == '=' || r.S[j] == ':')
}

// quoteAt returns i if a string literal begins there, and 0 otherwise.
func (r *valueReader[T]) quoteAt(i int) int {
	j := r.literalAt(i)
	if k := text.SkipByte(r.S, j, '\\'); k < len(r.S) && text.Is(r.S[k], text.Quote) {
		return i
	}
	return 0
}

// behindQuote returns the first offset after the closing quote of a value that is not white space.
func (r *valueReader[T]) behindQuote(v *Value) int {
	i := text.SkipByte(r.S, v.End, '\\')
	for i < len(r.S) && text.Is(r.S[i], text.Quote) {
		i++
	}
	return text.Skip(r.S, i, len(r.S), text.Space)
}

// endsArgument reports whether the value is a whole argument.
func (r *valueReader[T]) endsArgument(v *Value) bool {
	i := r.behindQuote(v)
	return v.closed && (i >= len(r.S) || r.S[i] == ')' || r.S[i] == ',' || r.S[i] == '.' || r.S[i] == ';' || r.S[i] == '}' || r.S[i] == '\\') || r.TouchesCut(v.End)
}

// wrappers are functions that return their only argument: String::from("value"), Some("value"), []byte("value").
var wrappers = []string{"from", "some", "secretstr", "secretstring", "secret", "string", "str", "bytes", "byte", "of", "just"}

// literalAt skips what precedes the quote of a literal: the letter of r"", b"", $"", @"", L"", N”, and a wrapper.
func (r *valueReader[T]) literalAt(i int) int {
	s := r.S
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
