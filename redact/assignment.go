package redact

// sep is what stands between a name and its value.
type sep uint8

const (
	sepNone     sep = iota
	sepTight        // NAME=value
	sepEqual        // name = value, name := value, name => value
	sepColon        // name: value
	sepBlank        // --name value
	sepTag          // <name>value</name>
	sepPair         // {"name": "API_KEY", "value": "..."}
	sepQuoted       // name 'value', as in SQL
	sepArgument     // "--name", "value": two elements of a list
)

// Longest values that are read, in bytes.
const (
	maxQuoted   = 8 << 10
	maxUnquoted = 4 << 10
)

// value is a value in the text, and how it stands there.
type value struct {
	start, end int
	sep        sep
	quoted     bool
	// closed: the closing quote was found.
	closed bool
	// quote is the quote that closes the name, with the backslashes before it; "" if there is none.
	quote string
	// subscript: the name stands in brackets, as in env["NAME"].
	subscript bool
}

// valueAfter reads what separates a name from its value, and the value.
func (f *finder[T]) valueAfter(id name) value {
	v := value{}
	i := id.end
	// What closes the name: a quote, with the backslashes of the string that it stands in.
	i, v.quote = f.closing(id.start, i)
	if i < len(f.s) && f.s[i] == ']' && v.quote != "" { // env["NAME"]
		v.subscript = true
		i++
	}
	if i < len(f.s) && f.s[i] == '*' { // **Password:** and password*:
		i = skipByte(f.s, i, '*')
	}
	if at := f.argumentAfter(id, i, v.quote); at > 0 {
		v.sep = sepArgument
		f.readValue(at, &v)
		return v
	}
	blanks := f.continued(i)
	spaced := blanks > i
	i = blanks
	if i >= len(f.s) {
		return v
	}
	switch {
	case hasAt(f.s, i, "==", false) || hasAt(f.s, i, "=~", false):
		i = skipByte(f.s, i, '=')
		v.sep = sepEqual
	case hasAt(f.s, i, "=>", false), hasAt(f.s, i, ":=", false):
		i += 2
		v.sep = sepEqual
	case f.s[i] == '=' || hasAt(f.s, i, "%3D", false) || hasAt(f.s, i, "%3d", false):
		if f.s[i] == '%' {
			i += 2
		}
		i++
		v.sep = sepTight
		if spaced || i < len(f.s) && is(f.s[i], cBlank) {
			v.sep = sepEqual
		}
	case f.s[i] == ':' && !hasAt(f.s, i, "::", false) && !hasAt(f.s, i, "://", false):
		i++
		v.sep = sepColon
		if i < len(f.s) && f.s[i] == '*' {
			i = skipByte(f.s, i, '*')
		}
	case f.s[i] == '>' && id.start > 0 && f.s[id.start-1] == '<':
		i++
		v.sep = sepTag
	case f.isPair(&i):
		v.sep = sepPair
	case spaced && v.quote == "" && f.isFlag(id):
		v.sep = sepBlank
	case spaced && v.quote == "" && f.s[i] == '\'':
		v.sep = sepQuoted
	default:
		return v
	}
	i = skip(f.s, i, len(f.s), cBlank)
	f.readValue(i, &v)
	return v
}

func skipByte[T text](s T, i int, c byte) int {
	for i < len(s) && s[i] == c {
		i++
	}
	return i
}

// closing reads the quote that closes a name: it must stand before the name too.
func (f *finder[T]) closing(start, i int) (int, string) {
	j := skipByte(f.s, i, '\\')
	if j >= len(f.s) || !is(f.s[j], cQuote) {
		return i, ""
	}
	if start > 0 && f.s[start-1] == f.s[j] || start == 0 && f.from == 0 && j == i {
		return j + 1, quoteText(j-i, f.s[j])
	}
	return i, ""
}

// quoteText is a quote with n backslashes before it, for the levels of JSON in JSON that occur.
func quoteText(n int, c byte) string {
	const slashes = `\\\\\\\`
	if c != '"' || n > len(slashes) {
		return "'"
	}
	return (slashes + `"`)[len(slashes)-n:]
}

// isPair recognises a name that is itself a value, beside the value that it names: {"name":"X","value":"..."},
// name: X and value: on the next line, <add key="X" value="..."/>.
func (f *finder[T]) isPair(i *int) bool {
	j := *i
	if j < len(f.s) && f.s[j] == ',' {
		j++
	}
	j = skip(f.s, j, min(len(f.s), j+80), cSpace)
	j = skipByte(f.s, j, '\\')
	if j < len(f.s) && f.s[j] == '"' {
		j++
	}
	if !hasAt(f.s, j, "value", true) {
		return false
	}
	j = skipByte(f.s, j+len("value"), '\\')
	if j < len(f.s) && f.s[j] == '"' {
		j++
	}
	j = skip(f.s, j, len(f.s), cBlank)
	if j >= len(f.s) || f.s[j] != ':' && f.s[j] != '=' {
		return false
	}
	*i = j + 1
	return true
}

// readValue reads the value that begins at i: up to its closing quote, or up to what ends a bare word.
func (f *finder[T]) readValue(i int, v *value) {
	j := i
	// Prefixes of string literals: b"", f"", r"", $"".
	if j+1 < len(f.s) && (f.s[j] == 'b' || f.s[j] == 'f' || f.s[j] == 'r' || f.s[j] == 'u' || f.s[j] == '@') && is(f.s[j+1], cQuote) {
		j++
	}
	k := skipByte(f.s, j, '\\')
	if k < len(f.s) && is(f.s[k], cQuote) {
		for q := 0; q < 2 && hasAt(f.s, k+1, `""`, false); q++ { // """text"""
			k += 2
			break
		}
		v.start, v.quoted = k+1, true
		v.end, v.closed = f.quotedEnd(k+1, f.s[k], k-j)
		return
	}
	v.start = i
	if v.sep == sepTag {
		for v.end = i; v.end < len(f.s) && f.s[v.end] != '<' && f.s[v.end] != '\n'; v.end++ {
		}
		if !hasAt(f.s, v.end, "</", false) && !f.touchesCut(v.end) && !(v.end < len(f.s) && f.touchesCut(v.end+1)) {
			v.sep = sepNone
		}
		return
	}
	v.end = f.bareEnd(i, v.sep)
}

// quotedEnd finds the quote c that closes what was opened with n backslashes before it. A quote with fewer closes an
// outer string; one with more belongs to the text if its backslashes don't make pairs of their own.
func (f *finder[T]) quotedEnd(i int, c byte, n int) (end int, closed bool) {
	slashes := 0
	limit := min(len(f.s), i+maxQuoted)
	for ; i < limit; i++ {
		switch b := f.s[i]; {
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

// bareEnd finds the end of a value without quotes.
func (f *finder[T]) bareEnd(i int, sp sep) int {
	start := i
	limit := min(len(f.s), i+maxUnquoted)
loop:
	for ; i < limit; i++ {
		c := f.s[i]
		switch {
		case is(c, cSpace|cQuote):
			break loop
		case c == '\\':
			if j := skipByte(f.s, i, '\\'); j < len(f.s) && (is(f.s[j], cQuote) || f.s[j] == 'n' || f.s[j] == 'r' || f.s[j] == 't' || f.s[j] == 'u' || f.s[j] == '\n') {
				break loop
			}
		case c == '&', c == ';', c == ',', c == '|':
			if f.assignmentAt(i+1) || sp != sepTight && c != '&' {
				break loop
			}
		case c == '<' || c == '>':
			if i > start || c == '>' {
				break loop
			}
		case c == '(' || c == '[' || c == '{':
			// The call or the index of an expression: isCode sees it behind the end.
			if i > start && sp != sepTight {
				break loop
			}
		}
	}
	// The punctuation of the sentence, or of what the value stands in.
	if i < limit || limit == len(f.s) {
		for i > start && (f.s[i-1] == ',' || f.s[i-1] == ';' || f.s[i-1] == ')' || f.s[i-1] == '}' || f.s[i-1] == ']' || f.s[i-1] == '.') {
			if f.isMarker(start, i) {
				break
			}
			i--
		}
	}
	return i
}

// assignmentAt reports whether another NAME= begins at i, or nothing more.
func (f *finder[T]) assignmentAt(i int) bool {
	if i >= len(f.s) || is(f.s[i], cSpace|cQuote) {
		return true
	}
	j := skip(f.s, i, min(len(f.s), i+maxIdent), cAlnum|cIdent)
	return j > i && j < len(f.s) && (f.s[j] == '=' || f.s[j] == ':')
}
