package token

import (
	"slices"

	"github.com/tailspan/tailspan/redact/internal/text"
)

// flagStart is where the flag begins whose word is at i in the identifier that begins at start; -1 if it is no flag.
// Before its dashes may be the rest of an escape: the n of \n, 000a of \u000a, the 0m of a colour.
func flagStart[T text.Bytes](s T, start, i int) int {
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
func (f *Reader[T]) isFlag(id Name) bool { return flagStart(f.S, id.Start, id.End) >= 0 }

// directives are words before a name whose value follows behind a blank.
var directives = []string{"ENV", "setenv", "setx", "set", "SET", "-x", "-gx", "-Ux"}

// settings are names at the beginning of a line whose value follows behind a blank, in files of Redis and LDAP.
var settings = []string{"requirepass", "masterauth", "bindpw", "rootpw"}

// isDirective reports whether the name from start to end is behind a directive (ENV API_KEY value), behind a login in a
// netrc file (login bob password value), or one itself (requirepass value).
func (f *Reader[T]) isDirective(start, end int) bool {
	s := f.S
	i := start
	for i > 0 && text.Is(s[i-1], text.Blank) {
		i--
	}
	if i == 0 || s[i-1] == '\n' || text.Is(s[i-1], text.Quote) {
		if slices.ContainsFunc(settings, func(w string) bool { return text.HasAt(s, start, w, true) && start+len(w) == end }) {
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
				if at := i - len(w); at >= 0 && text.HasAt(s, at, w, false) && (at == 0 || !text.Is(s[at-1], text.Alnum|text.Ident)) {
					return true
				}
			}
		}
	}
	return f.isLogin(start, end)
}

// isLogin reports whether "login" and a user are before the password from start to end, on the line or the one above.
func (f *Reader[T]) isLogin(start, end int) bool {
	s := f.S
	if end-start > len("password") || !text.HasAt(s, start, "passw", true) {
		return false
	}
	word := func(i int) (from, to int) {
		for to = i; to > 0 && text.Is(s[to-1], text.Space); to-- {
		}
		for from = to; from > 0 && to-from < MaxIdent && !text.Is(s[from-1], text.Space); from-- {
		}
		return from, to
	}
	user, userEnd := word(start)
	login, loginEnd := word(user)
	return user < userEnd && loginEnd-login == len("login") && text.HasAt(s, login, "login", true)
}

// argumentAfter is where the value begins that follows a flag as the next element of a list: "--name", "value" in JSON
// and code, [--name, value] and lines with a dash in YAML, "--name" "value" in a shell. i is behind the flag and the
// quote that closes it. 0 if there is none.
func (f *Reader[T]) argumentAfter(id Name, i int, quote string) int {
	if !f.isFlag(id) || i >= len(f.S) {
		return 0
	}
	j := f.continued(i)
	if j < len(f.S) && f.S[j] == ',' {
		j, _ = f.lines(j + 1)
		return j
	}
	if quote != "" && j > i {
		if k := text.SkipByte(f.S, j, '\\'); k < len(f.S) && text.Is(f.S[k], text.Quote) {
			return j
		}
	}
	if next, broken := f.lines(j); broken && text.HasAt(f.S, next, "- ", false) && f.isItem(id.Start, quote) {
		return text.Skip(f.S, next+1, len(f.S), text.Blank)
	}
	return 0
}

// isItem reports whether the flag at i is an item of a YAML list: a dash and a blank are before it.
func (f *Reader[T]) isItem(i int, quote string) bool {
	for i > 0 && (text.Is(f.S[i-1], text.Quote) || f.S[i-1] == '\\') && quote != "" {
		i--
	}
	for i > 0 && text.Is(f.S[i-1], text.Blank) {
		i--
	}
	return i > 0 && f.S[i-1] == '-'
}
