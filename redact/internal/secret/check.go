package secret

import (
	"github.com/tailspan/tailspan/redact/internal/text"
	"github.com/tailspan/tailspan/redact/internal/token"
)

// checks answers questions of the rules about a value.
type checks[T text.Bytes] struct{ token.Reader[T] }

// isCode reports whether a bare value is an expression of a programming language: a call, an index, a field or
// an address.
func (r *checks[T]) isCode(v token.Value) bool {
	if v.Quoted || v.Sep == token.SepTag {
		return false
	}
	if v.End < len(r.S) {
		switch r.S[v.End] {
		case '(', '[', '{', '<':
			return true
		}
	}
	if c := r.S[v.Start]; c == '&' || c == '*' || c == '!' || c == '(' || c == '[' || c == '{' || c == '@' {
		return v.Sep != token.SepTight || c == '(' || c == '[' || c == '{'
	}
	// Fields: words with at most a few digits between the dots.
	dots, digits, run := 0, 0, 0
	for i := v.Start; i < v.End; i++ {
		switch c := r.S[i]; {
		case c == '(' || c == ')' || c == '[' || c == '{':
			return true
		case c == '.' || c == ':' && i+1 < v.End && r.S[i+1] == ':':
			if run == 0 {
				return false
			}
			dots, run = dots+1, 0
		case text.Is(c, text.Digit):
			digits++
			run++
		case text.Is(c, text.Lower|text.Upper) || c == '_' || c == '?' || c == ':':
			run++
		default:
			return false
		}
	}
	return dots > 0 && digits <= 2
}

// isPath reports whether the value is the path of a file.
func (r *checks[T]) isPath(start, end int) bool {
	n := end - start
	c := r.S[start]
	switch {
	case c == '/' || text.HasAt(r.S, start, "./", false) || text.HasAt(r.S, start, "../", false) || text.HasAt(r.S, start, "~/", false):
	case n > 3 && text.Is(c, text.Lower|text.Upper) && r.S[start+1] == ':' && r.S[start+2] == '\\':
	case text.HasAt(r.S, start, "file:", false):
	default:
		return false
	}
	// The base64 form of a key may begin with a slash.
	m := text.MixOf(r.S, start, end)
	return !(n >= 32 && m.Digit > 2 && m.Upper > 2 && m.Lower > 2 && text.IndexIn(r.S, start, end, ".", false) < 0)
}

// namesItself reports whether the value consists of words of names, without digits: then it is the name of a secret,
// not a secret.
func (r *checks[T]) namesItself(start, end int) bool {
	if end-start > token.MaxIdent {
		return false
	}
	for i := start; i < end; i++ {
		if text.Is(r.S[i], text.Digit) {
			return false
		}
	}
	for _, w := range [...]string{"password", "passwd", "passphrase", "secret", "token", "key", "auth", "cred", "pwd"} {
		if text.IndexIn(r.S, start, end, w, true) >= 0 {
			return true
		}
	}
	return false
}

// repeats reports whether a bare value contains the name, as in X_AUTH_TOKEN = c.X_AUTH_TOKEN.
func (r *checks[T]) repeats(id token.Name, v token.Value) bool {
	n := id.End - id.Start
	if v.Quoted || n < minKey {
		return false
	}
	for i := v.Start; i+n <= v.End; i++ {
		k := 0
		for k < n && r.S[i+k] == r.S[id.Start+k] {
			k++
		}
		if k == n {
			return true
		}
	}
	return false
}

func (r *checks[T]) dots(start, end int) (n int) {
	for ; start < end; start++ {
		if r.S[start] == '.' {
			n++
		}
	}
	return n
}

// isNameOfKey reports whether a bare value is itself the name of a key, as in PrivateKey: testRSA2048PrivateKey.
func (r *checks[T]) isNameOfKey(start, end int) bool {
	for i := start; i < end; i++ {
		if !text.IsAlnum(r.S[i]) && r.S[i] != '_' && r.S[i] != '.' {
			return false
		}
	}
	if end-start > token.MaxIdent {
		return false
	}
	for _, w := range [...]string{"key", "token", "secret", "password"} {
		if text.HasAt(r.S, end-len(w), w, true) {
			return true
		}
	}
	return r.Names.Classify(r.Normal(start, end), false) != token.ClassNone
}

// lineEndsAt reports whether only blanks or a comment follow on the line.
func (r *checks[T]) lineEndsAt(i int) bool {
	i = text.Skip(r.S, i, len(r.S), text.Blank)
	return i >= len(r.S) || r.S[i] == '\n' || r.S[i] == '\r' || r.S[i] == '#' || text.HasAt(r.S, i, `\n`, false) || r.S[i] == '"'
}
