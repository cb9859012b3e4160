package redact

// notValues are words in the place of a secret that are none: types, constants, words of manuals.
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
func (f *finder[T]) isPlaceholder(start, end int) bool {
	if f.isMarker(start, end) || f.isReference(start, end) {
		return true
	}
	same, masked := true, true
	for i := start; i < end && (same || masked); i++ {
		same = same && f.s[i] == f.s[start]
		// The bullet and the ellipsis, in UTF-8, are E2 80 A2 and E2 80 A6.
		masked = masked && (is(f.s[i], cMask) || f.s[i] == 0xe2 || f.s[i] == 0x80 || f.s[i] == 0xa2 || f.s[i] == 0xa6)
	}
	if same || masked {
		return true
	}
	if n := end - start; n <= 12 {
		var word [12]byte
		for i := range n {
			word[i] = toLower(f.s[start+i])
		}
		if notValues[string(word[:n])] {
			return true
		}
	}
	return f.wordAt(start, end, "your") || f.wordAt(start, end, "redacted") || f.wordAt(start, end, "placeholder") || f.wordAt(start, end, "changeme")
}

// wordAt reports whether the value begins with a whole word ("your-key", not "yourk3y").
func (f *finder[T]) wordAt(start, end int, word string) bool {
	i := start + len(word)
	return i <= end && hasAt(f.s, start, word, true) && (i == end || is(f.s[i], cIdent|cSpace))
}

// isReference reports whether the value refers to another: a variable, a command, a template's field, <a thing to fill in>.
func (f *finder[T]) isReference(start, end int) bool {
	if end <= start {
		return true
	}
	first, last := f.s[start], f.s[end-1]
	switch first {
	case '$':
		if end-start > 1 && (f.s[start+1] == '{' || f.s[start+1] == '(') {
			return true
		}
		return skip(f.s, start+1, end, cAlnum) == end || indexIn(f.s, start, end, "_", false) > 0 && skipName(f.s, start+1, end) == end
	case '<':
		return last == '>' || indexIn(f.s, end, min(len(f.s), end+maxType), ">", false) >= 0 && f.lineEnd(end) > indexIn(f.s, end, end+maxType, ">", false)
	case '{':
		return last == '}' || end < len(f.s) && f.s[end] == '}'
	case '[':
		return last == ']' || end < len(f.s) && f.s[end] == ']'
	case '%':
		return last == '%' || end-start <= 3 || f.s[start+1] == '(' || f.s[start+1] == 's' || f.s[start+1] == 'v'
	case '`':
		return true
	}
	return false
}

// skipName is the end of the variable's name at i.
func skipName[T text](s T, i, end int) int {
	for i < end && (isAlnum(s[i]) || s[i] == '_' || s[i] == ':') {
		i++
	}
	return i
}

// isMarker reports whether the text from start to end is exactly one of our markers.
func (f *finder[T]) isMarker(start, end int) bool {
	if !hasAt(f.s, start, markerStart, false) || end > len(f.s) || f.s[end-1] != ']' {
		return false
	}
	i := start + len(markerStart)
	if i < end && f.s[i] == ':' {
		for i++; i < end && (is(f.s[i], cLower|cDigit) || f.s[i] == '-'); i++ {
		}
	}
	return i == end-1
}
