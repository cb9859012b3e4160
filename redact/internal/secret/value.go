package secret

import (
	"strings"

	"github.com/tailspan/tailspan/redact/internal/text"
	"github.com/tailspan/tailspan/redact/internal/token"
)

// Minimum lengths of a secret, in bytes.
const (
	MinPassword = 4
	minKey      = 8
)

// Rules decides what is a secret in one text. Set Input and Names before use.
type Rules[T text.Bytes] struct{ checks[T] }

// Named reads the identifier around the anchor word at i and checks its value.
func (r *Rules[T]) Named(i int, word string) (text.Span, bool) {
	n := len(strings.TrimSuffix(word, "="))
	id := r.NameAround(i, i+n)
	if id.Class == token.ClassNone || id.End < i+n {
		return text.Span{}, false
	}
	v := r.ValueAfter(id)
	if v.Sep == token.SepNone || v.Start < r.From {
		return text.Span{}, false
	}
	switch id.Class {
	case token.ClassAuthorization:
		return r.authorization(v)
	case token.ClassCookie:
		return r.cookie(v)
	case token.ClassHeaders:
		return r.headers(v)
	case token.ClassSignature:
		if v.Sep != token.SepTight || id.Start == 0 || r.S[id.Start-1] != '?' && r.S[id.Start-1] != '&' && r.S[id.Start-1] != ';' {
			return text.Span{}, false
		}
	}
	sp, ok := r.secretValue(id, v)
	if ok && sp.End == v.End {
		sp.End = r.Whole(v)
	}
	return sp, ok
}

// secretValue checks a value by its name and by the separator between the two.
func (r *Rules[T]) secretValue(id token.Name, v token.Value) (text.Span, bool) {
	if r.TouchesCut(v.End) && id.Class != token.ClassShell && v.End > v.Start && !r.isReference(v.Start, v.End) && r.S[v.Start] != '-' {
		if v.Quoted || v.Subscript || v.Sep == token.SepTight || v.Sep == token.SepPair || v.Sep == token.SepTag || v.Sep == token.SepBlank || v.Sep == token.SepArgument {
			return text.Span{Start: v.Start, End: v.End}, !r.IsMarker(v.Start, v.End)
		}
		// A bare word needs a digit: prose or code may be cut too.
		if v.Quote == "" && !r.isCode(v) && !r.isPath(v.Start, v.End) && text.MixOf(r.S, v.Start, v.End).Digit > 0 {
			return text.Span{Start: v.Start, End: v.End}, !r.isPlaceholder(v.Start, v.End)
		}
	}
	if v.End-v.Start < MinPassword || r.isPlaceholder(v.Start, v.End) {
		return text.Span{}, false
	}
	if v.Sep == token.SepEqual && !v.Quoted && text.HasAt(r.S, v.Start, "0x", false) && v.End-v.Start <= len("0x0123456789abcdef") {
		return text.Span{}, false // a constant
	}
	sp := text.Span{Start: v.Start, End: v.End}
	m := text.MixOf(r.S, v.Start, v.End)
	switch {
	case v.Subscript && !v.Quoted && m.Digit < v.End-v.Start:
		return sp, m.Random() && !r.isCode(v) && !r.isPath(v.Start, v.End)
	case (v.Sep == token.SepArgument || v.Sep == token.SepBlank && !v.Quoted) && text.HasAt(r.S, v.Start, "--", false): // the next flag
		return text.Span{}, false
	case !v.Quoted && v.Quote != "" && v.Sep != token.SepTag:
		// A bare word after a quoted name is code. A number may be JSON and must stay valid JSON.
		if id.Class != token.ClassPassword && id.Class != token.ClassOwn || m.Digit != v.End-v.Start {
			return text.Span{}, false
		}
		sp.Quote = v.Quote
		return sp, true
	}
	switch id.Class {
	case token.ClassShell:
		return sp, v.Sep == token.SepTight && r.keyLike(id, v, m)
	case token.ClassPassword, token.ClassOwn:
		return sp, r.passwordLike(id, v, m)
	case token.ClassWeak:
		return sp, v.End-v.Start >= 12 && m.Random() && m.Lower+m.Upper >= 4 && r.keyLike(id, v, m)
	case token.ClassEnvKey:
		return sp, v.End-v.Start >= 20 && m.Random() && v.Sep != token.SepColon && r.keyLike(id, v, m)
	default:
		return sp, r.keyLike(id, v, m)
	}
}

// passwordLike reports whether v may be a password: anything but code and plain prose.
func (r *Rules[T]) passwordLike(id token.Name, v token.Value, m text.Mix) bool {
	plain := m.Lower+m.Upper == v.End-v.Start // only letters
	switch {
	case m.Lower+m.Upper+m.Blank == 0 && r.dots(v.Start, v.End) > 1 && m.Digit+m.Other == v.End-v.Start && m.Other == r.dots(v.Start, v.End):
		return false // a version, an address or an OID
	case r.isPath(v.Start, v.End), r.isCode(v):
		return false
	case r.namesItself(v.Start, v.End), r.repeats(id, v):
		return false // password=password, "password": "db_password"
	case v.Sep == token.SepArgument: // lists of flags in code have help texts next to them
		return !plain && m.Digit > 0 && m.Blank < 3
	case v.Sep == token.SepCall, v.Sep == token.SepTable, v.Sep == token.SepDirective:
		return !plain && m.Digit > 0 && m.Blank == 0 && v.End-v.Start >= 6
	case v.Sep == token.SepQuoted:
		return id.Caps || !plain && m.Digit > 0
	case v.Quoted:
		return m.Blank < 5
	case v.Sep == token.SepBlank:
		return !plain && m.Digit > 0
	case v.Sep == token.SepTight:
		word := text.Skip(r.S, v.Start, v.End, text.Lower|text.Upper|text.Ident) == v.End && r.dots(v.Start, v.End) == 0
		return id.Caps || !word || v.End >= len(r.S) || text.Is(r.S[v.End], text.Space|text.Quote) || r.S[v.End] == '&'
	case v.Sep == token.SepColon:
		// In YAML, a word at the end of its line may be a password; a capital begins the name of a type.
		return !plain || id.Caps || !text.Is(r.S[v.Start], text.Upper) && r.lineEndsAt(v.End)
	case v.Sep == token.SepEqual:
		return id.Caps || !plain && m.Digit > 0
	default:
		return true
	}
}

// keyLike reports whether v may be a key or a token.
func (r *Rules[T]) keyLike(id token.Name, v token.Value, m text.Mix) bool {
	n := v.End - v.Start
	switch {
	case !v.Quoted && (v.Sep == token.SepColon || v.Sep == token.SepEqual) && r.isNameOfKey(v.Start, v.End):
		return false
	case m.Blank > 0, r.isPath(v.Start, v.End), r.isCode(v), r.namesItself(v.Start, v.End), r.repeats(id, v):
		return false
	case n < minKey && !(id.Caps && v.Sep == token.SepTight && n >= 6):
		return false
	case m.Digit == n: // a count, or an ID
		return n >= 16
	case m.Digit == 0:
		// Without a digit it is probably one or several words, unless it is a long sequence of both cases.
		return id.Caps && v.Sep == token.SepTight && n >= 16 && m.Other == 0 || n >= 20 && m.Upper >= 4 && m.Lower >= 4 && m.Other == 0
	case v.Sep == token.SepCall, v.Sep == token.SepTable, v.Sep == token.SepQuoted, v.Sep == token.SepDirective:
		return m.Random() && text.IndexIn(r.S, v.Start, v.End, `\`, false) < 0
	case v.Sep != token.SepArgument && v.Quoted, v.Sep == token.SepTight, v.Sep == token.SepTag, v.Sep == token.SepPair:
		return m.Digit >= 2 || n >= 12
	default:
		return m.Random()
	}
}
