package redact

// sep is the separator of a name and its value.
type sep uint8

const (
	sepNone      sep = iota
	sepTight         // NAME=value
	sepEqual         // name = value, name := value, name => value
	sepColon         // name: value
	sepBlank         // --name value
	sepTag           // <name>value</name>
	sepPair          // {"name": "API_KEY", "value": "..."}
	sepQuoted        // name 'value', as in SQL
	sepArgument      // "--name", "value": two elements of a list
	sepCall          // set("name", "value"), setName("value"), name || "value"
	sepTable         // | name | value |
	sepDirective     // ENV name value, login user password value
)

// How much of a value is read, in bytes; a longer one is redacted as a whole.
const (
	maxQuoted   = 8 << 10
	maxUnquoted = 512
)

// value is a value in the text, and how it is written.
type value struct {
	start, end int
	sep        sep
	quoted     bool
	// closed: the closing quote was found.
	closed bool
	// quote is the quote that closes the name, with the backslashes before it; "" if there is none.
	quote string
	// subscript: the name is in brackets, as in env["NAME"].
	subscript bool
	// mark is the quote of the value, and slashes the number of backslashes before it.
	mark    byte
	slashes int
	// more is where a block of lines ends that begins with the value; 0 if it is one line.
	more int
}

// valueAfter reads what separates a name from its value, and the value.
func (f *finder[T]) valueAfter(id name) value {
	v := value{}
	i := id.end
	// What closes the name: a quote, with the backslashes of the string around it.
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
	if at := f.literalAfter(id, i, &v); at > 0 {
		if f.readValue(at, &v); !v.quoted || v.sep == sepCall && !f.endsArgument(&v) {
			v.sep = sepNone
		}
		return v
	}
	if i, v.sep = f.separator(id, i, v.quote); v.sep == sepNone {
		return v
	}
	i = skip(f.s, i, len(f.s), cBlank)
	if v.sep == sepColon && f.block(id, i, &v) {
		return v
	}
	f.readValue(i, &v)
	return v
}

// separator reads what is between a name and its value, blanks before it too.
func (f *finder[T]) separator(id name, i int, quote string) (int, sep) {
	s := f.s
	blanks := f.continued(i)
	spaced := blanks > i
	i = blanks
	if i >= len(s) {
		return i, sepNone
	}
	switch c := s[i]; {
	case hasAt(s, i, "==", false) || hasAt(s, i, "=~", false):
		return skipByte(s, i, '='), sepEqual
	case (hasAt(s, i, ":-", false) || hasAt(s, i, ":=", false)) && id.start > 1 && s[id.start-1] == '{' && s[id.start-2] == '$': // ${NAME:-value}
		return i + 2, sepTight
	case hasAt(s, i, "=>", false), hasAt(s, i, ":=", false):
		return i + 2, sepEqual
	case c == '=' || hasAt(s, i, "%3D", false) || hasAt(s, i, "%3d", false):
		if c == '%' {
			i += 2
		}
		i++
		if spaced || i < len(s) && is(s[i], cBlank) {
			return i, sepEqual
		}
		return i, sepTight
	case c == ':' && !hasAt(s, i, "::", false) && !hasAt(s, i, "://", false):
		i++
		if i < len(s) && s[i] == '*' {
			i = skipByte(s, i, '*')
		}
		return f.afterProperty(i), sepColon
	case c == '>' && id.start > 0 && (s[id.start-1] == '<' || quote != ""):
		return i + 1, sepTag
	case (hasAt(s, i, "</key>", true) || hasAt(s, i, "</name>", true)) && id.start > 0 && s[id.start-1] == '>': // <key>name</key><string>value</string>
		if at := f.nextElement(i); at > 0 {
			return at, sepTag
		}
	case f.isPair(&i):
		return i, sepPair
	case c == '|' && f.isCell(id.start):
		return i + 1, sepTable
	case !spaced || quote != "":
	case f.isFlag(id):
		return i, sepBlank
	case f.isDirective(id.start, id.end):
		if hasAt(s, i, "--body", false) { // gh secret set NAME --body value
			i = min(len(s), i+len("--body "))
		}
		return i, sepDirective
	case c == '\'', c == '"' && id.class == classPassword:
		return i, sepQuoted
	}
	return i, sepNone
}

// afterProperty skips a tag or an anchor in front of a YAML value: !!str value, &name value.
func (f *finder[T]) afterProperty(i int) int {
	j := skip(f.s, i, len(f.s), cBlank)
	if j == i || j >= len(f.s) || f.s[j] != '!' && f.s[j] != '&' {
		return i
	}
	k := skipByte(f.s, j, f.s[j])
	if k = skip(f.s, k, len(f.s), cAlnum|cIdent); k > j+1 && k < len(f.s) && is(f.s[k], cBlank) {
		return k
	}
	return i
}

// nextElement is where the text of the element begins that follows the end tag at i; 0 if none does.
func (f *finder[T]) nextElement(i int) int {
	limit := min(len(f.s), i+maxIdent)
	end := indexIn(f.s, i, limit, ">", false)
	if end < 0 {
		return 0
	}
	if j, _ := f.lines(end + 1); j < len(f.s) && f.s[j] == '<' && j+1 < len(f.s) && f.s[j+1] != '/' {
		if end = indexIn(f.s, j, min(len(f.s), j+maxIdent), ">", false); end > 0 {
			return end + 1
		}
	}
	return 0
}

// isCell reports whether the name that begins at i is alone in the cell of a table.
func (f *finder[T]) isCell(i int) bool {
	for i > 0 && (is(f.s[i-1], cBlank) || f.s[i-1] == '`' || f.s[i-1] == '*') {
		i--
	}
	return i > 0 && f.s[i-1] == '|'
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
	if hasAt(f.s, j, "parameter", true) {
		j += len("parameter")
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
