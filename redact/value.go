package redact

import "strings"

// The shortest values that can be a secret, in bytes.
const (
	minPassword = 4
	minKey      = 8
)

// named reads the identifier around the anchor word at i, and its value.
func (f *finder[T]) named(i int, word string) (span, bool) {
	n := len(strings.TrimSuffix(word, "="))
	id := f.nameAround(i, i+n)
	if id.class == classNone || id.end < i+n {
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
		return f.cookie(v)
	case classSignature:
		if v.sep != sepTight || id.start == 0 || f.s[id.start-1] != '?' && f.s[id.start-1] != '&' && f.s[id.start-1] != ';' {
			return span{}, false
		}
	}
	sp, ok := f.secretValue(id, v)
	if ok && sp.end == v.end {
		sp.end = f.whole(v)
	}
	return sp, ok
}

// secretValue decides on a value by its name and by how the two are separated.
func (f *finder[T]) secretValue(id name, v value) (span, bool) {
	if f.touchesCut(v.end) && id.class != classShell && v.end > v.start && !f.isReference(v.start, v.end) && f.s[v.start] != '-' {
		if v.quoted || v.subscript || v.sep == sepTight || v.sep == sepPair || v.sep == sepTag || v.sep == sepBlank || v.sep == sepArgument {
			return span{start: v.start, end: v.end}, !f.isMarker(v.start, v.end)
		}
		// A bare word needs a digit: what begins as prose or code may be cut too.
		if v.quote == "" && !f.isCode(v) && !f.isPath(v.start, v.end) && mixOf(f.s, v.start, v.end).digit > 0 {
			return span{start: v.start, end: v.end}, !f.isPlaceholder(v.start, v.end)
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
	switch {
	case v.subscript && !v.quoted && m.digit < v.end-v.start:
		return sp, m.random() && !f.isCode(v) && !f.isPath(v.start, v.end)
	case (v.sep == sepArgument || v.sep == sepBlank && !v.quoted) && hasAt(f.s, v.start, "--", false): // the next flag
		return span{}, false
	case !v.quoted && v.quote != "" && v.sep != sepTag:
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
		return sp, v.end-v.start >= 12 && m.random() && m.lower+m.upper >= 4 && f.keyLike(id, v, m)
	case classEnvKey:
		return sp, v.end-v.start >= 20 && m.random() && v.sep != sepColon && f.keyLike(id, v, m)
	default:
		return sp, f.keyLike(id, v, m)
	}
}

// passwordLike reports whether v may be a password: anything but code and plain prose.
func (f *finder[T]) passwordLike(id name, v value, m mix) bool {
	plain := m.lower+m.upper == v.end-v.start // nothing but letters
	switch {
	case m.lower+m.upper+m.blank == 0 && f.dots(v.start, v.end) > 1 && m.digit+m.other == v.end-v.start && m.other == f.dots(v.start, v.end):
		return false // a version, an address or an OID
	case f.isPath(v.start, v.end), f.isCode(v):
		return false
	case f.namesItself(v.start, v.end), f.repeats(id, v):
		return false // password=password, "password": "db_password"
	case v.sep == sepArgument: // lists of flags in code have texts of help beside them
		return !plain && m.digit > 0 && m.blank < 3
	case v.sep == sepCall, v.sep == sepTable, v.sep == sepDirective:
		return !plain && m.digit > 0 && m.blank == 0 && v.end-v.start >= 6
	case v.sep == sepQuoted:
		return id.caps || !plain && m.digit > 0
	case v.quoted:
		return m.blank < 5
	case v.sep == sepBlank:
		return !plain && m.digit > 0
	case v.sep == sepTight:
		word := skip(f.s, v.start, v.end, cLower|cUpper|cIdent) == v.end && f.dots(v.start, v.end) == 0
		return id.caps || !word || v.end >= len(f.s) || is(f.s[v.end], cSpace|cQuote) || f.s[v.end] == '&'
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
	case m.blank > 0, f.isPath(v.start, v.end), f.isCode(v), f.namesItself(v.start, v.end), f.repeats(id, v):
		return false
	case n < minKey && !(id.caps && v.sep == sepTight && n >= 6):
		return false
	case m.digit == n: // a count, or an id
		return n >= 16
	case m.digit == 0:
		// Without a digit it is likely a word, or several; with both cases in a long run it is not.
		return id.caps && v.sep == sepTight && n >= 16 && m.other == 0 || n >= 20 && m.upper >= 4 && m.lower >= 4 && m.other == 0
	case v.sep == sepCall, v.sep == sepTable, v.sep == sepQuoted, v.sep == sepDirective:
		return m.random() && indexIn(f.s, v.start, v.end, `\`, false) < 0
	case v.sep != sepArgument && v.quoted, v.sep == sepTight, v.sep == sepTag, v.sep == sepPair:
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
	if end-start > maxIdent {
		return false
	}
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

// repeats reports whether a bare value has the name in it, as in X_AUTH_TOKEN = c.X_AUTH_TOKEN.
func (f *finder[T]) repeats(id name, v value) bool {
	n := id.end - id.start
	if v.quoted || n < minKey {
		return false
	}
	for i := v.start; i+n <= v.end; i++ {
		k := 0
		for k < n && f.s[i+k] == f.s[id.start+k] {
			k++
		}
		if k == n {
			return true
		}
	}
	return false
}

func (f *finder[T]) dots(start, end int) (n int) {
	for ; start < end; start++ {
		if f.s[start] == '.' {
			n++
		}
	}
	return n
}

// isNameOfKey reports whether a bare value is itself the name of a key, as in PrivateKey: testRSA2048PrivateKey.
func (f *finder[T]) isNameOfKey(start, end int) bool {
	for i := start; i < end; i++ {
		if !isAlnum(f.s[i]) && f.s[i] != '_' && f.s[i] != '.' {
			return false
		}
	}
	if end-start > maxIdent {
		return false
	}
	for _, w := range [...]string{"key", "token", "secret", "password"} {
		if hasAt(f.s, end-len(w), w, true) {
			return true
		}
	}
	return f.r.classify(f.normal(start, end), false) != classNone
}

// lineEndsAt reports whether nothing but blanks, or a comment, follows on the line.
func (f *finder[T]) lineEndsAt(i int) bool {
	i = skip(f.s, i, len(f.s), cBlank)
	return i >= len(f.s) || f.s[i] == '\n' || f.s[i] == '\r' || f.s[i] == '#' || hasAt(f.s, i, `\n`, false) || f.s[i] == '"'
}
