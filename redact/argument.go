package redact

import "slices"

// flagStart is where the flag begins whose word stands at i in the identifier that begins at start; -1 if it is no flag.
// Before its dashes may be the rest of an escape: the n of \n, 000a of \u000a, the 0m of a colour.
func flagStart[T text](s T, start, i int) int {
	if start < len(s) && s[start] == '-' {
		return start
	}
	if start < i && s[start+1] == '-' && start > 0 && s[start-1] == '\\' {
		return start + 1
	}
	for j := i - 2; j > start; j-- {
		if s[j] == '-' && s[j+1] == '-' {
			return j
		}
	}
	return -1
}

// isFlag reports whether an identifier is a flag, such as --token.
func (f *finder[T]) isFlag(id name) bool { return flagStart(f.s, id.start, id.end) >= 0 }

// directives are words before a name whose value follows behind a blank.
var directives = []string{"ENV", "setenv", "setx", "set", "SET", "-x", "-gx", "-Ux"}

// settings are names at the beginning of a line whose value follows behind a blank, in files of Redis and LDAP.
var settings = []string{"requirepass", "masterauth", "bindpw", "rootpw"}

// isDirective reports whether the name from start to end is behind a directive (ENV API_KEY value), behind a login in a
// netrc file (login bob password value), or one itself (requirepass value).
func (f *finder[T]) isDirective(start, end int) bool {
	s := f.s
	i := start
	for i > 0 && is(s[i-1], cBlank) {
		i--
	}
	if i == 0 || s[i-1] == '\n' || is(s[i-1], cQuote) {
		if slices.ContainsFunc(settings, func(w string) bool { return hasAt(s, start, w, true) && start+len(w) == end }) {
			return true
		}
	}
	if i == start && (i == 0 || s[i-1] != '\n') {
		return false
	}
	if i > 0 {
		switch s[i-1] {
		case 'V', 'v', 'x', 't', 'T':
			for _, w := range directives {
				if at := i - len(w); at >= 0 && hasAt(s, at, w, false) && (at == 0 || !is(s[at-1], cAlnum|cIdent)) {
					return true
				}
			}
		}
	}
	return f.isLogin(start, end)
}

// isLogin reports whether "login" and a user are before the password from start to end, on the line or the one above.
func (f *finder[T]) isLogin(start, end int) bool {
	s := f.s
	if end-start > len("password") || !hasAt(s, start, "passw", true) {
		return false
	}
	word := func(i int) (from, to int) {
		for to = i; to > 0 && is(s[to-1], cSpace); to-- {
		}
		for from = to; from > 0 && to-from < maxIdent && !is(s[from-1], cSpace); from-- {
		}
		return from, to
	}
	user, userEnd := word(start)
	login, loginEnd := word(user)
	return user < userEnd && loginEnd-login == len("login") && hasAt(s, login, "login", true)
}

// continued is the first place from i on that is no blank; a line that ends with a backslash goes on.
func (f *finder[T]) continued(i int) int {
	for {
		i = skip(f.s, i, len(f.s), cBlank)
		switch {
		case hasAt(f.s, i, "\\\n", false):
			i += 2
		case hasAt(f.s, i, "\\\r\n", false):
			i += 3
		default:
			return i
		}
	}
}

// argumentAfter is where the value begins that follows a flag as the next element of a list: "--name", "value" in JSON
// and code, [--name, value] and lines with a dash in YAML, "--name" "value" in a shell. i is behind the flag and the
// quote that closes it. 0 if there is none.
func (f *finder[T]) argumentAfter(id name, i int, quote string) int {
	if !f.isFlag(id) || i >= len(f.s) {
		return 0
	}
	j := f.continued(i)
	if j < len(f.s) && f.s[j] == ',' {
		j, _ = f.lines(j + 1)
		return j
	}
	if quote != "" && j > i {
		if k := skipByte(f.s, j, '\\'); k < len(f.s) && is(f.s[k], cQuote) {
			return j
		}
	}
	if next, broken := f.lines(j); broken && hasAt(f.s, next, "- ", false) && f.isItem(id.start, quote) {
		return skip(f.s, next+1, len(f.s), cBlank)
	}
	return 0
}

// lines skips blanks and line breaks, also those that are written out.
func (f *finder[T]) lines(i int) (end int, broken bool) {
	for i < len(f.s) {
		j := skipByte(f.s, i, '\\')
		switch {
		case j > i && j < len(f.s) && (f.s[j] == 'n' || f.s[j] == 'r' || f.s[j] == 't'):
			broken = broken || f.s[j] != 't'
			i = j + 1
		case is(f.s[i], cSpace):
			broken = broken || !is(f.s[i], cBlank)
			i++
		default:
			return i, broken
		}
	}
	return i, broken
}

// isItem reports whether the flag at i is an item of a YAML list: a dash and a blank stand before it.
func (f *finder[T]) isItem(i int, quote string) bool {
	for i > 0 && (is(f.s[i-1], cQuote) || f.s[i-1] == '\\') && quote != "" {
		i--
	}
	for i > 0 && is(f.s[i-1], cBlank) {
		i--
	}
	return i > 0 && f.s[i-1] == '-'
}
