package token

import (
	"github.com/tailspan/tailspan/redact/internal/text"
)

// Sep is the kind of separator between a name and its value.
type Sep uint8

const (
	SepNone      Sep = iota
	SepTight         // NAME=value
	SepEqual         // name = value, name := value, name => value
	SepColon         // name: value
	SepBlank         // --name value
	SepTag           // <name>value</name>
	SepPair          // {"name": "API_KEY", "value": "..."}
	SepQuoted        // name 'value', as in SQL
	SepArgument      // "--name", "value": two elements of a list
	SepCall          // set("name", "value"), setName("value"), name || "value"
	SepTable         // | name | value |
	SepDirective     // ENV name value, login user password value
)

// ValueAfter reads the separator after a name, and the value.
func (r *Reader[T]) ValueAfter(id Name) Value {
	v := Value{}
	i := id.End
	// The name may end with a quote, with the backslashes of the string around it.
	i, v.Quote = r.closing(id.Start, i)
	if i < len(r.S) && r.S[i] == ']' && v.Quote != "" { // env["NAME"]
		v.Subscript = true
		i++
	}
	if i < len(r.S) && r.S[i] == '*' { // **Password:** and password*:
		i = text.SkipByte(r.S, i, '*')
	}
	if at := r.argumentAfter(id, i, v.Quote); at > 0 {
		v.Sep = SepArgument
		r.ReadValue(at, &v)
		return v
	}
	if at := r.literalAfter(id, i, &v); at > 0 {
		if r.ReadValue(at, &v); !v.Quoted || v.Sep == SepCall && !r.endsArgument(&v) {
			v.Sep = SepNone
		}
		return v
	}
	if i, v.Sep = r.separator(id, i, v.Quote); v.Sep == SepNone {
		return v
	}
	i = text.Skip(r.S, i, len(r.S), text.Blank)
	if v.Sep == SepColon && r.block(id, i, &v) {
		return v
	}
	r.ReadValue(i, &v)
	return v
}

// separator reads what is between a name and its value, including the blanks before it.
func (r *Reader[T]) separator(id Name, i int, quote string) (int, Sep) {
	s := r.S
	blanks := r.continued(i)
	spaced := blanks > i
	i = blanks
	if i >= len(s) {
		return i, SepNone
	}
	switch c := s[i]; {
	case text.HasAt(s, i, "==", false) || text.HasAt(s, i, "=~", false):
		return text.SkipByte(s, i, '='), SepEqual
	case (text.HasAt(s, i, ":-", false) || text.HasAt(s, i, ":=", false)) && id.Start > 1 && s[id.Start-1] == '{' && s[id.Start-2] == '$': // ${NAME:-value}
		return i + 2, SepTight
	case text.HasAt(s, i, "=>", false), text.HasAt(s, i, ":=", false):
		return i + 2, SepEqual
	case c == '=' || text.HasAt(s, i, "%3D", false) || text.HasAt(s, i, "%3d", false):
		if c == '%' {
			i += 2
		}
		i++
		if spaced || i < len(s) && text.Is(s[i], text.Blank) {
			return i, SepEqual
		}
		return i, SepTight
	case c == ':' && !text.HasAt(s, i, "::", false) && !text.HasAt(s, i, "://", false):
		i++
		if i < len(s) && s[i] == '*' {
			i = text.SkipByte(s, i, '*')
		}
		return r.afterProperty(i), SepColon
	case c == '>' && id.Start > 0 && (s[id.Start-1] == '<' || quote != ""):
		return i + 1, SepTag
	case (text.HasAt(s, i, "</key>", true) || text.HasAt(s, i, "</name>", true)) && id.Start > 0 && s[id.Start-1] == '>': // <key>name</key><string>value</string>
		if at := r.nextElement(i); at > 0 {
			return at, SepTag
		}
	case r.isPair(&i):
		return i, SepPair
	case c == '|' && r.isCell(id.Start):
		return i + 1, SepTable
	case !spaced || quote != "":
	case r.isFlag(id):
		return i, SepBlank
	case r.isDirective(id.Start, id.End):
		if text.HasAt(s, i, "--body", false) { // gh secret set NAME --body value
			i = min(len(s), i+len("--body "))
		}
		return i, SepDirective
	case c == '\'', c == '"' && id.Class == ClassPassword:
		return i, SepQuoted
	}
	return i, SepNone
}

// afterProperty skips a tag or an anchor before a YAML value: !!str value, &name value.
func (r *Reader[T]) afterProperty(i int) int {
	j := text.Skip(r.S, i, len(r.S), text.Blank)
	if j == i || j >= len(r.S) || r.S[j] != '!' && r.S[j] != '&' {
		return i
	}
	k := text.SkipByte(r.S, j, r.S[j])
	if k = text.Skip(r.S, k, len(r.S), text.Alnum|text.Ident); k > j+1 && k < len(r.S) && text.Is(r.S[k], text.Blank) {
		return k
	}
	return i
}

// nextElement returns where the text of the element begins that follows the end tag at i, or 0 if there is none.
func (r *Reader[T]) nextElement(i int) int {
	limit := min(len(r.S), i+MaxIdent)
	end := text.IndexIn(r.S, i, limit, ">", false)
	if end < 0 {
		return 0
	}
	if j, _ := r.lines(end + 1); j < len(r.S) && r.S[j] == '<' && j+1 < len(r.S) && r.S[j+1] != '/' {
		if end = text.IndexIn(r.S, j, min(len(r.S), j+MaxIdent), ">", false); end > 0 {
			return end + 1
		}
	}
	return 0
}

// isCell reports whether the name that begins at i is alone in a table cell.
func (r *Reader[T]) isCell(i int) bool {
	for i > 0 && (text.Is(r.S[i-1], text.Blank) || r.S[i-1] == '`' || r.S[i-1] == '*') {
		i--
	}
	return i > 0 && r.S[i-1] == '|'
}

// closing reads the quote that closes a name. The same quote must precede the name.
func (r *Reader[T]) closing(start, i int) (int, string) {
	j := text.SkipByte(r.S, i, '\\')
	if j >= len(r.S) || !text.Is(r.S[j], text.Quote) {
		return i, ""
	}
	if start > 0 && r.S[start-1] == r.S[j] || start == 0 && r.From == 0 && j == i {
		return j + 1, quoteText(j-i, r.S[j])
	}
	return i, ""
}

// isPair reports whether a name is itself a value next to the value that it names: {"name":"X","value":"..."},
// name: X and value: on the next line, <add key="X" value="..."/>.
func (r *Reader[T]) isPair(i *int) bool {
	j := *i
	if j < len(r.S) && r.S[j] == ',' {
		j++
	}
	j, _ = r.lines(j)
	j = text.SkipByte(r.S, j, '\\')
	if j < len(r.S) && r.S[j] == '"' {
		j++
	}
	if text.HasAt(r.S, j, "parameter", true) {
		j += len("parameter")
	}
	if !text.HasAt(r.S, j, "value", true) {
		return false
	}
	j = text.SkipByte(r.S, j+len("value"), '\\')
	if j < len(r.S) && r.S[j] == '"' {
		j++
	}
	j = text.Skip(r.S, j, len(r.S), text.Blank)
	if j >= len(r.S) || r.S[j] != ':' && r.S[j] != '=' {
		return false
	}
	*i = j + 1
	return true
}
