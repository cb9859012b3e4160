package token

import (
	"slices"

	"github.com/tailspan/tailspan/redact/internal/text"
)

// flagStart returns where the flag begins whose word is at i in the identifier that begins at start, or -1 if it is
// not a flag. The end of an escape may precede its dashes: the n of \n, 000a of \u000a, the 0m of a color.
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
func (r *Reader[T]) isFlag(id Name) bool { return flagStart(r.S, id.Start, id.End) >= 0 }

// directives are words before a name whose value follows after a blank.
var directives = []string{"ENV", "setenv", "setx", "set", "SET", "-x", "-gx", "-Ux"}

// settings are names at the beginning of a line whose value follows after a blank, in files of Redis and LDAP.
var settings = []string{"requirepass", "masterauth", "bindpw", "rootpw"}

// ngrokSetting is a command of ngrok, whose dashboard gives it out with the token.
const ngrokSetting = "add-authtoken"

// isDirective reports whether the name from start to end follows a directive (ENV API_KEY value) or a login in a netrc
// file (login bob password value), or is itself a setting (requirepass value).
func (r *Reader[T]) isDirective(start, end int) bool {
	s := r.S
	i := start
	for i > 0 && text.Is(s[i-1], text.Blank) {
		i--
	}
	if i == 0 || s[i-1] == '\n' || text.Is(s[i-1], text.Quote) {
		if slices.ContainsFunc(settings, func(w string) bool { return text.HasAt(s, start, w, true) && start+len(w) == end }) {
			return true
		}
	}
	if text.HasAt(s, start, ngrokSetting, false) && start+len(ngrokSetting) == end {
		return true
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
	return r.isLogin(start, end)
}

// isLogin reports whether "login" and a user precede the password from start to end, on the same line or the one above.
func (r *Reader[T]) isLogin(start, end int) bool {
	s := r.S
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

// argumentAfter returns where the value begins that follows a flag as the next element of a list: "--name", "value" in
// JSON and code, [--name, value] and lines with a dash in YAML, "--name" "value" in a shell. i is after the flag and
// its closing quote. It returns 0 if there is none.
func (r *Reader[T]) argumentAfter(id Name, i int, quote string) int {
	if !r.isFlag(id) || i >= len(r.S) {
		return 0
	}
	j := r.continued(i)
	if j < len(r.S) && r.S[j] == ',' {
		j, _ = r.lines(j + 1)
		return j
	}
	if quote != "" && j > i {
		if k := text.SkipByte(r.S, j, '\\'); k < len(r.S) && text.Is(r.S[k], text.Quote) {
			return j
		}
	}
	if next, broken := r.lines(j); broken && text.HasAt(r.S, next, "- ", false) && r.isItem(id.Start, quote) {
		return text.Skip(r.S, next+1, len(r.S), text.Blank)
	}
	return 0
}

// isItem reports whether the flag at i is an item of a YAML list: a dash and a blank precede it.
func (r *Reader[T]) isItem(i int, quote string) bool {
	for i > 0 && (text.Is(r.S[i-1], text.Quote) || r.S[i-1] == '\\') && quote != "" {
		i--
	}
	for i > 0 && text.Is(r.S[i-1], text.Blank) {
		i--
	}
	return i > 0 && r.S[i-1] == '-'
}
