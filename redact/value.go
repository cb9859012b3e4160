package redact

// sep is what stands between a name and its value.
type sep uint8

const (
	sepNone   sep = iota
	sepTight      // NAME=value
	sepEqual      // name = value, name := value, name => value
	sepColon      // name: value
	sepBlank      // --name value
	sepTag        // <name>value</name>
	sepPair       // {"name": "API_KEY", "value": "..."}
	sepQuoted     // name 'value', as in SQL
)

const (
	maxQuoted   = 8 << 10
	maxUnquoted = 4 << 10
	// Shortest values that are taken for a secret, in bytes.
	minPassword = 4
	minKey      = 8
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
}

// named looks at the identifier around the anchor of length n at i, and at the value that it is given.
func (f *finder[T]) named(i, n int) (span, bool) {
	if f.s[i+n-1] == '=' { // "sig="
		n--
	}
	id := f.nameAround(i, i+n)
	if id.class == classNone || id.end < i+n || id.start < f.from && f.from > 0 && id.end <= f.from {
		return span{}, false
	}
	v := f.valueAfter(id)
	if v.sep == sepNone || v.start < f.from {
		return span{}, false
	}
	switch id.class {
	case classAuthorization:
		return f.authorization(v)
	case classCookie:
		return f.cookie(id, v)
	case classSignature:
		if v.sep != sepTight || id.start == 0 || f.s[id.start-1] != '?' && f.s[id.start-1] != '&' && f.s[id.start-1] != ';' {
			return span{}, false
		}
	}
	return f.secretValue(id, v)
}

// secretValue decides on a value by its name and by how it stands there.
func (f *finder[T]) secretValue(id name, v value) (span, bool) {
	if f.touchesCut(v.end) && id.class != classShell && v.end > v.start && !f.isReference(v.start, v.end) && v.sep != sepBlank {
		if v.quoted || v.sep == sepTight || v.sep == sepPair || v.sep == sepTag {
			return span{start: v.start, end: v.end}, !f.isMarker(v.start, v.end)
		}
	}
	if v.end-v.start < minPassword || f.isPlaceholder(v.start, v.end) {
		return span{}, false
	}
	if v.sep == sepEqual && !v.quoted && hasAt(f.s, v.start, "0x", false) && v.end-v.start <= len("0x0123456789abcdef") {
		return span{}, false // a constant
	}
	sp := span{start: v.start, end: v.end}
	m := mixOf(f.s, v.start, v.end)
	if !v.quoted && v.quote != "" {
		// A bare word after a quoted name is code, a number may be JSON and must stay it.
		if id.class != classPassword && id.class != classOwn || m.digit != v.end-v.start {
			return span{}, false
		}
		sp.quote = v.quote
		return sp, true
	}
	switch id.class {
	case classShell:
		return sp, v.sep == sepTight && f.keyLike(id, v, m)
	case classPassword, classOwn:
		return sp, f.passwordLike(id, v, m)
	case classWeak:
		return sp, v.end-v.start >= 12 && m.random() && f.keyLike(id, v, m)
	case classEnvKey:
		return sp, v.end-v.start >= 20 && m.random() && v.sep != sepColon && f.keyLike(id, v, m)
	default:
		return sp, f.keyLike(id, v, m)
	}
}

// passwordLike reports whether v may be a password: anything but code and what is plainly a word of prose.
func (f *finder[T]) passwordLike(id name, v value, m mix) bool {
	letters := m.lower + m.upper
	plain := letters == v.end-v.start // nothing but letters
	switch {
	case f.isPath(v.start, v.end), f.isCode(v):
		return false
	case f.namesItself(v.start, v.end):
		return false // password=password, "password": "db_password"
	case v.quoted:
		return m.blank < 5
	case v.sep == sepBlank || v.sep == sepQuoted:
		return !plain && m.digit > 0
	case v.sep == sepTight:
		return id.caps || !plain || v.end >= len(f.s) || is(f.s[v.end], cSpace|cQuote) || f.s[v.end] == '&'
	case v.sep == sepColon:
		// A word at the end of its line may be a password in YAML; a capital begins the name of a type.
		return !plain || id.caps || !is(f.s[v.start], cUpper) && f.lineEndsAt(v.end)
	case v.sep == sepEqual:
		return id.caps || !plain && m.digit > 0
	default:
		return true
	}
}

// keyLike reports whether v may be a key or a token.
func (f *finder[T]) keyLike(id name, v value, m mix) bool {
	n := v.end - v.start
	switch {
	case !v.quoted && (v.sep == sepColon || v.sep == sepEqual) && f.isNameOfKey(v.start, v.end):
		return false
	case m.blank > 0, f.isPath(v.start, v.end), f.isCode(v), f.namesItself(v.start, v.end):
		return false
	case n < minKey && !(id.caps && v.sep == sepTight && n >= 6):
		return false
	case m.digit == n: // a count, or an id
		return n >= 16
	case m.digit == 0:
		// Without a digit it is likely a word, or several; with both cases in a long run it is not.
		return id.caps && v.sep == sepTight && n >= 16 && m.other == 0 || n >= 20 && m.upper >= 4 && m.lower >= 4 && m.other == 0
	case v.quoted || v.sep == sepTight || v.sep == sepTag || v.sep == sepPair:
		return m.digit >= 2 || n >= 12
	default:
		return m.random()
	}
}

// isCode reports whether a bare value is an expression of a programming language: a call, an index, a field of
// something, an address of something.
func (f *finder[T]) isCode(v value) bool {
	if v.quoted || v.sep == sepTag {
		return false
	}
	if v.end < len(f.s) {
		switch f.s[v.end] {
		case '(', '[', '{', '<':
			return true
		}
	}
	if c := f.s[v.start]; c == '&' || c == '*' || c == '!' || c == '(' || c == '[' || c == '{' || c == '@' {
		return v.sep != sepTight || c == '(' || c == '[' || c == '{'
	}
	// Fields: words with at most a few digits between dots.
	dots, digits, run := 0, 0, 0
	for i := v.start; i < v.end; i++ {
		switch c := f.s[i]; {
		case c == '(' || c == ')' || c == '[' || c == '{':
			return true
		case c == '.' || c == ':' && i+1 < v.end && f.s[i+1] == ':':
			if run == 0 {
				return false
			}
			dots, run = dots+1, 0
		case is(c, cDigit):
			digits++
			run++
		case is(c, cLower|cUpper) || c == '_' || c == '?' || c == ':':
			run++
		default:
			return false
		}
	}
	return dots > 0 && digits <= 2
}

// isPath reports whether the value is the path of a file.
func (f *finder[T]) isPath(start, end int) bool {
	n := end - start
	c := f.s[start]
	switch {
	case c == '/' || hasAt(f.s, start, "./", false) || hasAt(f.s, start, "../", false) || hasAt(f.s, start, "~/", false):
	case n > 3 && is(c, cLower|cUpper) && f.s[start+1] == ':' && f.s[start+2] == '\\':
	case hasAt(f.s, start, "file:", false):
	default:
		return false
	}
	// The base64 of a key may begin with a slash.
	m := mixOf(f.s, start, end)
	return !(n >= 32 && m.digit > 2 && m.upper > 2 && m.lower > 2 && indexIn(f.s, start, end, ".", false) < 0)
}

// namesItself reports whether the value is made of the words of names, and no digit: then it is the name of a secret,
// not a secret.
func (f *finder[T]) namesItself(start, end int) bool {
	for i := start; i < end; i++ {
		if is(f.s[i], cDigit) {
			return false
		}
	}
	for _, w := range [...]string{"password", "passwd", "passphrase", "secret", "token", "key", "auth", "cred", "pwd"} {
		if indexIn(f.s, start, end, w, true) >= 0 {
			return true
		}
	}
	return false
}

// isNameOfKey reports whether a bare value is itself the name of a key, as in PrivateKey: testRSA2048PrivateKey.
func (f *finder[T]) isNameOfKey(start, end int) bool {
	for i := start; i < end; i++ {
		if !isAlnum(f.s[i]) && f.s[i] != '_' && f.s[i] != '.' {
			return false
		}
	}
	return end-start <= maxIdent && f.r.classify(f.normal(start, end), false) != classNone
}

// lineEndsAt reports whether nothing but blanks, or a comment, follows on the line.
func (f *finder[T]) lineEndsAt(i int) bool {
	i = skip(f.s, i, len(f.s), cBlank)
	return i >= len(f.s) || f.s[i] == '\n' || f.s[i] == '\r' || f.s[i] == '#' || hasAt(f.s, i, `\n`, false) || f.s[i] == '"'
}

// valueAfter reads what separates a name from its value, and the value.
func (f *finder[T]) valueAfter(id name) value {
	v := value{}
	i := id.end
	// What closes the name: a quote, with the backslashes of the string that it stands in.
	i, v.quote = f.closing(id.start, i)
	if i < len(f.s) && f.s[i] == ']' && v.quote != "" { // env["NAME"]
		i++
	}
	if i < len(f.s) && f.s[i] == '*' { // **Password:** and password*:
		i = skipByte(f.s, i, '*')
	}
	blanks := skip(f.s, i, len(f.s), cBlank)
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
	case f.isPair(&i, v.quote):
		v.sep = sepPair
	case spaced && v.quote == "" && id.start > 0 && f.s[id.start-1] != '"' && f.s[id.start] == '-':
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
func (f *finder[T]) isPair(i *int, quote string) bool {
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
		if !hasAt(f.s, v.end, "</", false) && !f.touchesCut(v.end) {
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
