package token

import (
	"github.com/tailspan/tailspan/redact/internal/text"
)

// Sep is the separator of a name and its value.
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

// ValueAfter reads what separates a name from its value, and the value.
func (f *Reader[T]) ValueAfter(id Name) Value {
	v := Value{}
	i := id.End
	// What closes the name: a quote, with the backslashes of the string around it.
	i, v.Quote = f.closing(id.Start, i)
	if i < len(f.S) && f.S[i] == ']' && v.Quote != "" { // env["NAME"]
		v.Subscript = true
		i++
	}
	if i < len(f.S) && f.S[i] == '*' { // **Password:** and password*:
		i = text.SkipByte(f.S, i, '*')
	}
	if at := f.argumentAfter(id, i, v.Quote); at > 0 {
		v.Sep = SepArgument
		f.ReadValue(at, &v)
		return v
	}
	if at := f.literalAfter(id, i, &v); at > 0 {
		if f.ReadValue(at, &v); !v.Quoted || v.Sep == SepCall && !f.endsArgument(&v) {
			v.Sep = SepNone
		}
		return v
	}
	if i, v.Sep = f.separator(id, i, v.Quote); v.Sep == SepNone {
		return v
	}
	i = text.Skip(f.S, i, len(f.S), text.Blank)
	if v.Sep == SepColon && f.block(id, i, &v) {
		return v
	}
	f.ReadValue(i, &v)
	return v
}

// separator reads what is between a name and its value, blanks before it too.
func (f *Reader[T]) separator(id Name, i int, quote string) (int, Sep) {
	s := f.S
	blanks := f.continued(i)
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
		return f.afterProperty(i), SepColon
	case c == '>' && id.Start > 0 && (s[id.Start-1] == '<' || quote != ""):
		return i + 1, SepTag
	case (text.HasAt(s, i, "</key>", true) || text.HasAt(s, i, "</name>", true)) && id.Start > 0 && s[id.Start-1] == '>': // <key>name</key><string>value</string>
		if at := f.nextElement(i); at > 0 {
			return at, SepTag
		}
	case f.isPair(&i):
		return i, SepPair
	case c == '|' && f.isCell(id.Start):
		return i + 1, SepTable
	case !spaced || quote != "":
	case f.isFlag(id):
		return i, SepBlank
	case f.isDirective(id.Start, id.End):
		if text.HasAt(s, i, "--body", false) { // gh secret set NAME --body value
			i = min(len(s), i+len("--body "))
		}
		return i, SepDirective
	case c == '\'', c == '"' && id.Class == ClassPassword:
		return i, SepQuoted
	}
	return i, SepNone
}

// afterProperty skips a tag or an anchor in front of a YAML value: !!str value, &name value.
func (f *Reader[T]) afterProperty(i int) int {
	j := text.Skip(f.S, i, len(f.S), text.Blank)
	if j == i || j >= len(f.S) || f.S[j] != '!' && f.S[j] != '&' {
		return i
	}
	k := text.SkipByte(f.S, j, f.S[j])
	if k = text.Skip(f.S, k, len(f.S), text.Alnum|text.Ident); k > j+1 && k < len(f.S) && text.Is(f.S[k], text.Blank) {
		return k
	}
	return i
}

// nextElement is where the text of the element begins that follows the end tag at i; 0 if none does.
func (f *Reader[T]) nextElement(i int) int {
	limit := min(len(f.S), i+MaxIdent)
	end := text.IndexIn(f.S, i, limit, ">", false)
	if end < 0 {
		return 0
	}
	if j, _ := f.lines(end + 1); j < len(f.S) && f.S[j] == '<' && j+1 < len(f.S) && f.S[j+1] != '/' {
		if end = text.IndexIn(f.S, j, min(len(f.S), j+MaxIdent), ">", false); end > 0 {
			return end + 1
		}
	}
	return 0
}

// isCell reports whether the name that begins at i is alone in the cell of a table.
func (f *Reader[T]) isCell(i int) bool {
	for i > 0 && (text.Is(f.S[i-1], text.Blank) || f.S[i-1] == '`' || f.S[i-1] == '*') {
		i--
	}
	return i > 0 && f.S[i-1] == '|'
}

// closing reads the quote that closes a name: it must be before the name too.
func (f *Reader[T]) closing(start, i int) (int, string) {
	j := text.SkipByte(f.S, i, '\\')
	if j >= len(f.S) || !text.Is(f.S[j], text.Quote) {
		return i, ""
	}
	if start > 0 && f.S[start-1] == f.S[j] || start == 0 && f.From == 0 && j == i {
		return j + 1, quoteText(j-i, f.S[j])
	}
	return i, ""
}

// isPair recognises a name that is itself a value, beside the value that it names: {"name":"X","value":"..."},
// name: X and value: on the next line, <add key="X" value="..."/>.
func (f *Reader[T]) isPair(i *int) bool {
	j := *i
	if j < len(f.S) && f.S[j] == ',' {
		j++
	}
	j = text.Skip(f.S, j, min(len(f.S), j+80), text.Space)
	j = text.SkipByte(f.S, j, '\\')
	if j < len(f.S) && f.S[j] == '"' {
		j++
	}
	if text.HasAt(f.S, j, "parameter", true) {
		j += len("parameter")
	}
	if !text.HasAt(f.S, j, "value", true) {
		return false
	}
	j = text.SkipByte(f.S, j+len("value"), '\\')
	if j < len(f.S) && f.S[j] == '"' {
		j++
	}
	j = text.Skip(f.S, j, len(f.S), text.Blank)
	if j >= len(f.S) || f.S[j] != ':' && f.S[j] != '=' {
		return false
	}
	*i = j + 1
	return true
}
