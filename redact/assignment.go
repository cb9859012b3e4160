package redact

// sep is what stands between a name and its value.
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

// How much of a value is looked at, in bytes; a longer one is redacted as a whole.
const (
	maxQuoted   = 8 << 10
	maxUnquoted = 512
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

// readValue reads the value that begins at i: up to its closing quote, or up to what ends a bare word.
func (f *finder[T]) readValue(i int, v *value) {
	j := f.literalAt(i)
	k := skipByte(f.s, j, '\\')
	if k < len(f.s) && is(f.s[k], cQuote) {
		if n := k - j + 1; f.equal(j, k+1, n) && f.equal(j, k+1+n, n) { // """text""", '''text'''
			k += 2 * n
		}
		v.start, v.quoted = k+1, true
		v.mark, v.slashes = f.s[k], skipByte(f.s, j, '\\')-j
		v.end, v.closed = f.quotedEnd(k+1, v.mark, v.slashes)
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
	if v.sep == sepTight && v.start > 1 && f.s[v.start-1] == '-' && f.s[v.start-2] == ':' { // ${NAME:-value}
		for v.end = i; v.end < len(f.s) && v.end < i+maxUnquoted && f.s[v.end] != '}' && !is(f.s[v.end], cSpace); v.end++ {
		}
		return
	}
	v.end = f.bareEnd(i, v.sep)
}

// whole is where the value ends, also if it is longer than what was looked at.
func (f *finder[T]) whole(v value) int {
	end := v.end
	switch {
	case v.more > 0:
		return v.more
	case v.mark != 0 && !v.closed && v.end-v.start >= maxQuoted:
		for closed := false; !closed; {
			next, isClosed := f.quotedEnd(end, v.mark, v.slashes)
			if next <= end {
				break
			}
			end, closed = next, isClosed
		}
	case !v.quoted && v.end-v.start >= maxUnquoted:
		for next := f.bareEnd(end, v.sep); next > end; next = f.bareEnd(end, v.sep) {
			end = next
		}
	}
	return end
}

// equal reports whether n bytes at i and at k are the same.
func (f *finder[T]) equal(i, k, n int) bool {
	if k+n > len(f.s) {
		return false
	}
	for n > 0 && f.s[i+n-1] == f.s[k+n-1] {
		n--
	}
	return n == 0
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
