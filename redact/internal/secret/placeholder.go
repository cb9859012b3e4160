package secret

import (
	"github.com/tailspan/tailspan/redact/internal/text"
	"github.com/tailspan/tailspan/redact/internal/token"
)

// notValues are words that replace a secret but are none: types, constants, words of manuals.
var notValues = map[string]bool{
	"true": true, "false": true, "null": true, "none": true, "nil": true, "undefined": true, "empty": true,
	"string": true, "str": true, "bytes": true, "byte": true, "text": true, "varchar": true, "number": true,
	"integer": true, "boolean": true, "bool": true, "object": true, "optional": true, "required": true, "any": true,
	"input": true, "hidden": true, "prompt": true, "stdin": true, "default": true, "invalid": true, "missing": true,
	"basic": true, "bearer": true, "oauth": true, "oauth2": true, "digest": true, "self": true, "this": true,
	"await": true, "async": true, "return": true, "function": true, "const": true, "from": true, "with": true,
	"must": true, "should": true, "changed": true, "disabled": true, "enabled": true, "unset": true, "example": true,
	"placeholder": true, "changeme": true, "redacted": true, "masked": true, "removed": true, "todo": true, "pass": true,
}

// isPlaceholder reports whether the text from start to end is a placeholder for a value.
func (r *checks[T]) isPlaceholder(start, end int) bool {
	if r.IsMarker(start, end) || r.isReference(start, end) {
		return true
	}
	same, masked := true, true
	for i := start; i < end && (same || masked); i++ {
		same = same && r.S[i] == r.S[start]
		// The UTF-8 forms of the bullet and the ellipsis are E2 80 A2 and E2 80 A6.
		masked = masked && (text.Is(r.S[i], text.Mask) || r.S[i] == 0xe2 || r.S[i] == 0x80 || r.S[i] == 0xa2 || r.S[i] == 0xa6)
	}
	if same || masked {
		return true
	}
	if n := end - start; n <= 12 {
		var word [12]byte
		for i := range n {
			word[i] = text.ToLower(r.S[start+i])
		}
		if notValues[string(word[:n])] {
			return true
		}
	}
	return r.wordAt(start, end, "your") || r.wordAt(start, end, "redacted") || r.wordAt(start, end, "placeholder") || r.wordAt(start, end, "changeme")
}

// wordAt reports whether the value begins with word as a whole word ("your-key", not "yourk3y").
func (r *checks[T]) wordAt(start, end int, word string) bool {
	i := start + len(word)
	return i <= end && text.HasAt(r.S, start, word, true) && (i == end || text.Is(r.S[i], text.Ident|text.Space))
}

// isReference reports whether the value refers to another one: a variable, a command, a template's field, <a placeholder>.
func (r *checks[T]) isReference(start, end int) bool {
	if end <= start {
		return true
	}
	first, last := r.S[start], r.S[end-1]
	switch first {
	case '$':
		if end-start > 1 && (r.S[start+1] == '{' || r.S[start+1] == '(') {
			return true
		}
		return text.Skip(r.S, start+1, end, text.Alnum) == end || text.IndexIn(r.S, start, end, "_", false) > 0 && skipName(r.S, start+1, end) == end
	case '<':
		if last == '>' {
			return true
		}
		closes := text.IndexIn(r.S, end, min(len(r.S), end+token.MaxType), ">", false)
		return closes >= 0 && closes < r.LineEnd(end)
	case '{':
		return last == '}' || end < len(r.S) && r.S[end] == '}'
	case '[':
		return last == ']' || end < len(r.S) && r.S[end] == ']'
	case '%':
		return last == '%' || end-start <= 3 || r.S[start+1] == '(' || r.S[start+1] == 's' || r.S[start+1] == 'v'
	case '`':
		return true
	}
	return false
}

// skipName returns the end of the variable's name at i.
func skipName[T text.Bytes](s T, i, end int) int {
	for i < end && (text.IsAlnum(s[i]) || s[i] == '_' || s[i] == ':') {
		i++
	}
	return i
}
