package secret

import (
	"strings"

	"github.com/tailspan/tailspan/redact/internal/text"
	"github.com/tailspan/tailspan/redact/internal/token"
)

// NameOf classifies the key of an object. It returns the zero name if s is not an identifier.
func NameOf(names token.Names, s string) token.Name {
	if s == "" || len(s) > token.MaxIdent || text.Skip(s, 0, len(s), text.Alnum|text.Ident|text.Blank) < len(s) || strings.Count(s, " ") > 1 {
		return token.Name{}
	}
	s = strings.ReplaceAll(s, " ", "_")
	var r Rules[string]
	r.S = s
	m := text.MixOf(s, 0, len(s))
	n := token.Name{End: len(s), Caps: m.Lower == 0 && m.Upper > 0}
	n.Class = names.Classify(r.Normal(0, len(s)), n.Caps)
	return n
}

// Member checks the value of a member with a secret-like name, or an element that follows a flag with such a name.
func Member(names token.Names, n token.Name, s string, by token.Sep) (text.Span, bool) {
	if n.Class == token.ClassNone || s == "" {
		return text.Span{}, false
	}
	var r Rules[string]
	r.S, r.Names = s, names
	v := token.Value{End: len(s), Sep: by, Quoted: true}
	var sp text.Span
	var ok bool
	switch n.Class {
	case token.ClassAuthorization:
		sp, ok = r.authorization(v)
	case token.ClassCookie:
		sp, ok = r.cookie(v)
	case token.ClassHeaders:
		sp, ok = r.headers(v)
	case token.ClassSignature:
	default:
		sp, ok = r.secretValue(n, v)
	}
	return sp, ok
}
