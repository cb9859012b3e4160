package token

import (
	"slices"

	"github.com/tailspan/tailspan/redact/internal/text"
)

// MaxType is the maximum length of a type between a name and its value, in bytes.
const MaxType = 40

// literalAfter returns where the string literal begins that belongs to the name before i if more than a separator is in
// between, as in code. It returns 0 if there is none.
//
//	const apiKey: string = "value"      a type
//	os.Setenv("API_KEY", "value")       the next argument of a call
//	setPassword("value")                the argument of a setter
//	BasicAuth("user", "value")          the argument after a user
//	process.env.API_KEY || "value"      a default
func (r *Reader[T]) literalAfter(id Name, i int, v *Value) int {
	if i >= len(r.S) {
		return 0
	}
	if v.Quote == "" {
		if at := r.typed(i); at > 0 {
			v.Sep = SepEqual
			return at
		}
	}
	v.Sep = SepCall
	s := r.S
	switch j := text.Skip(s, i, len(s), text.Space); {
	case j >= len(s):
	case v.Quote != "" && s[j] == ',' && r.isCalled(id.Start):
		return r.quoteAt(text.Skip(s, j+1, len(s), text.Space))
	case id.Class == ClassWeak && (s[j] == '(' || s[j] == '=') && v.Quote == "":
		return r.secondArgument(j)
	case v.Quote == "" && s[i] == '(' && r.isSetter(id):
		return r.quoteAt(text.Skip(s, i+1, len(s), text.Space))
	default:
		return r.defaultAt(i)
	}
	return 0
}

// typed returns where the literal begins after a type and an equal sign.
func (r *Reader[T]) typed(i int) int {
	s := r.S
	if s[i] == '?' || s[i] == '!' {
		i++
	}
	array := false
	if i < len(s) && s[i] == '[' { // char password[] = "value"
		if i = text.Skip(s, i+1, len(s), text.Digit); i >= len(s) || s[i] != ']' {
			return 0
		}
		i, array = i+1, true
	}
	j := text.Skip(s, i, len(s), text.Blank)
	end := j
	switch {
	case j+1 < len(s) && s[j] == ':' && s[j+1] != ':' && s[j+1] != '=':
		j = text.Skip(s, j+1, len(s), text.Blank)
		for end = j; end < len(s) && end-j < MaxType && (text.Is(s[end], text.Alnum|text.Ident|text.Blank) || isTypeByte(s[end])); end++ {
		}
		if end == j || !text.Is(s[j], text.Lower|text.Upper) && s[j] != '&' && s[j] != '[' && s[j] != '*' && s[j] != '?' {
			return 0
		}
	case array:
	case text.HasAt(s, j, "{ get;", false): // public string Password { get; set; } = "value"
		if end = text.IndexIn(s, j, j+MaxType, "} =", false); end < 0 {
			return 0
		}
		end += len("} ")
	case j > i:
		if end = r.typeWord(j); end == 0 {
			return 0
		}
		end = text.Skip(s, end, len(s), text.Blank)
	default:
		return 0
	}
	if end >= len(s) || s[end] != '=' || end+1 < len(s) && (s[end+1] == '=' || s[end+1] == '>') {
		return 0
	}
	return r.quoteAt(text.Skip(s, end+1, len(s), text.Blank))
}

// isTypeByte reports whether c occurs in types, in addition to the bytes of identifiers.
func isTypeByte(c byte) bool {
	return c == '&' || c == '\'' || c == '<' || c == '>' || c == '[' || c == ']' || c == '*' || c == '|' || c == '?'
}

// typeWords are types of texts that follow a name without a colon in code.
var typeWords = []string{"string", "str", "[]byte", "*string", "as string", "text", "varchar"}

// typeWord returns the end of the type at i, or 0 if there is none.
func (r *Reader[T]) typeWord(i int) int {
	for _, w := range typeWords {
		if end := i + len(w); text.HasAt(r.S, i, w, true) && end < len(r.S) && text.Is(r.S[end], text.Blank) {
			return end
		}
	}
	return 0
}

// isCalled reports whether the quoted name that begins at i is the first argument of a call.
func (r *Reader[T]) isCalled(i int) bool {
	for i > 0 && (text.Is(r.S[i-1], text.Quote|text.Space) || r.S[i-1] == '\\') {
		i--
	}
	return i > 0 && r.S[i-1] == '('
}

// isSetter reports whether a call of id sets what id names: x.password("value"), setPassword("value"), PASSWORD('value').
func (r *Reader[T]) isSetter(id Name) bool {
	if id.Caps || id.Start > 0 && (r.S[id.Start-1] == '>' || r.S[id.Start-1] == ':') {
		return true
	}
	at := id.Start
	for i := id.Start; i < id.End; i++ {
		if r.S[i] == '.' {
			at = i + 1
		}
	}
	if at > id.Start || at > 0 && r.S[at-1] == '.' || at > 1 && r.S[at-1] == ')' {
		return true
	}
	return slices.ContainsFunc([]string{"set", "with", "add", "use", "put"}, func(w string) bool { return text.HasAt(r.S, at, w, true) })
}

// secondArgument returns where the second of two literals begins: ("user", "value") at i, possibly after an equal sign.
func (r *Reader[T]) secondArgument(i int) int {
	s := r.S
	if s[i] == '=' {
		i = text.Skip(s, i+1, len(s), text.Blank)
	}
	if i >= len(s) || s[i] != '(' {
		return 0
	}
	user := Value{}
	at := r.quoteAt(text.Skip(s, i+1, len(s), text.Space))
	if at == 0 {
		return 0
	}
	if r.ReadValue(at, &user); !user.closed {
		return 0
	}
	if j := r.behindQuote(&user); j < len(s) && s[j] == ',' {
		return r.quoteAt(text.Skip(s, j+1, len(s), text.Space))
	}
	return 0
}

// defaultAt returns where the literal begins that is the default for the expression before i: x || "value", x ?? "value", x or "value".
func (r *Reader[T]) defaultAt(i int) int {
	s := r.S
	if i < len(s) && s[i] == ')' { // getenv("NAME")
		i++
	}
	j := text.Skip(s, i, len(s), text.Blank)
	if j == i {
		return 0
	}
	for _, operator := range [...]string{"|| ", "?? ", "?: ", "or "} {
		if text.HasAt(s, j, operator, false) {
			return r.quoteAt(text.Skip(s, j+len(operator), len(s), text.Blank))
		}
	}
	return 0
}
