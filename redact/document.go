package redact

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/tailspan/tailspan/redact/internal/find"
	"github.com/tailspan/tailspan/redact/internal/secret"
	"github.com/tailspan/tailspan/redact/internal/text"
	"github.com/tailspan/tailspan/redact/internal/token"
)

// maxDepth is the maximum nesting of JSON in JSON strings.
const maxDepth = 8

// isDocument performs a cheap check whether s may be one JSON object or array.
func isDocument[T text.Bytes](s T) bool {
	i := text.Skip(s, 0, len(s), text.Space)
	if i >= len(s) || s[i] != '{' && s[i] != '[' {
		return false
	}
	j := len(s)
	for j > i && text.Is(s[j-1], text.Space) {
		j--
	}
	return j-i >= 2 && s[j-1] == s[i]+2 // } is { + 2, and ] is [ + 2
}

// secureString is the type of a parameter of AWS Systems Manager that is stored encrypted: its "Value" is a secret.
const secureString = "SecureString"

func validDocument(s string) bool { return json.Valid([]byte(s)) }

// escapesControl reports whether a JSON text, or one in its strings, may encode a control or an invisible character as an escape, or
// any byte of ASCII.
func escapesControl[T text.Bytes](s T) bool {
	for i := 0; i+5 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		for i+6 < len(s) && s[i+1] == '\\' { // JSON in a string
			i++
		}
		if s[i+1] == 'u' {
			switch [2]byte{s[i+2], text.ToLower(s[i+3])} {
			case [2]byte{'0', '0'}, [2]byte{'2', '0'}, [2]byte{'f', 'e'}, [2]byte{'F', 'e'}, [2]byte{'f', 'f'}, [2]byte{'F', 'f'}:
				return true
			}
		}
		i++
	}
	return false
}

// redactDocument redacts the decoded strings of a valid JSON text, and the members with secret-like names. Everything else is
// unchanged byte for byte.
func redactDocument(r *Redactor, s string, depth int) (string, int) {
	d := document{r: r, s: s, depth: depth}
	d.walk()
	if d.count == 0 {
		return s, 0
	}
	d.out.WriteString(s[d.last:])
	return d.out.String(), d.count
}

// document is one pass over a JSON text.
type document struct {
	r     *Redactor
	s     string
	depth int

	out   strings.Builder
	last  int // s up to here was copied to out
	count int

	// levels are the open objects and arrays.
	levels []level
	// key is the key before the next value, and named is its class as a name.
	key   string
	named token.Name
}

type level struct {
	// elements is the name of an array: its key.
	elements token.Name
	// valueName is the name for the member "value": the member "name" or "key" next to it.
	valueName token.Name
	// flag is the name for the next element: the flag before it ("--token", "value").
	flag token.Name
}

func (d *document) walk() {
	s := d.s
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"':
			end := stringEnd(s, i)
			if next := text.Skip(s, end, len(s), text.Space); next < len(s) && s[next] == ':' {
				d.member(i, end)
				i = next + 1
				continue
			}
			d.stringValue(i, end)
			d.done()
			i = end
		case c == '{' || c == '[':
			l := level{}
			if c == '[' {
				l.elements = d.named
			}
			d.levels = append(d.levels, l)
			d.done()
			i++
		case c == '}' || c == ']':
			d.levels = d.levels[:max(0, len(d.levels)-1)]
			d.done()
			i++
		case c == ',' || text.Is(c, text.Space):
			i++
		default: // a number, true, false, null
			end := i
			for end < len(s) && !text.Is(s[end], text.Space) && s[end] != ',' && s[end] != '}' && s[end] != ']' {
				end++
			}
			if d.named.Class == token.ClassPassword && text.Is(c, text.Digit) && end-i >= secret.MinPassword {
				d.replace(i, end, text.Marker(""))
			}
			d.done()
			i = end
		}
	}
}

// done clears the key and sets the name of an array's next element.
func (d *document) done() {
	d.named, d.key = token.Name{}, ""
	if n := len(d.levels); n > 0 {
		d.named = d.levels[n-1].elements
	}
}

// stringEnd returns the end of the string that begins at i, including its quote.
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// member reads a key.
func (d *document) member(start, end int) {
	key := decode(d.s[start:end])
	if out, n := d.r.redact(key, d.depth+1, false); n > 0 {
		d.replace(start, end, out)
		d.count += n - 1
	}
	d.key = key
	d.named = secret.NameOf(d.r.search.Names(), key)
	if n := len(d.levels); n > 0 && strings.EqualFold(key, "value") {
		d.named = d.levels[n-1].valueName
	}
}

// stringValue redacts a value, or an element.
func (d *document) stringValue(start, end int) {
	v := decode(d.s[start:end])
	if n := len(d.levels); n > 0 && (strings.EqualFold(d.key, "name") || strings.EqualFold(d.key, "key")) {
		name := v
		if strings.HasPrefix(v, "/") { // /prod/db/password
			name = v[strings.LastIndexByte(v, '/')+1:]
		}
		d.levels[n-1].valueName = secret.NameOf(d.r.search.Names(), name)
	} else if n > 0 && v == secureString {
		d.levels[n-1].valueName = token.Name{Class: token.ClassPassword}
	}
	flag := d.flag(v)
	sp, ok := d.memberValue(d.named, v, token.SepColon)
	if !ok {
		sp, ok = d.memberValue(flag, v, token.SepArgument)
	}
	if ok {
		d.replace(start, end, v[:sp.Start]+text.Marker(sp.Kind)+v[sp.End:])
		return
	}
	if out, n := d.r.redact(v, d.depth+1, false); n > 0 {
		d.replace(start, end, out)
		d.count += n - 1
	}
}

// memberValue checks a value by its name, and by the allowed values of the settings.
func (d *document) memberValue(n token.Name, v string, by token.Sep) (text.Span, bool) {
	sp, ok := secret.Member(d.r.search.Names(), n, v, by)
	return sp, ok && !find.Allows(d.r.search, v, sp)
}

// flag returns the name for this element of an array: the flag before it, if any. It stores v if v is itself a flag.
func (d *document) flag(v string) token.Name {
	if len(d.levels) == 0 || d.key != "" {
		return token.Name{}
	}
	l := &d.levels[len(d.levels)-1]
	named := l.flag
	l.flag = token.Name{}
	if strings.HasPrefix(v, "-") {
		l.flag = secret.NameOf(d.r.search.Names(), v)
	}
	return named
}

func (d *document) replace(start, end int, with string) {
	d.out.WriteString(d.s[d.last:start])
	quote(&d.out, with)
	d.last = end
	d.count++
}

// decode decodes a JSON string.
func decode(raw string) string {
	body := raw[1 : len(raw)-1]
	if strings.IndexByte(body, '\\') < 0 {
		return body
	}
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return body // unreachable: the document is valid
	}
	return s
}

// quote writes s as a JSON string.
func quote(b *strings.Builder, s string) {
	const hex = "0123456789abcdef"
	b.WriteByte('"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < 0x20 || c == 0x7f:
			b.WriteString(`\u00`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		case c < utf8.RuneSelf:
			b.WriteByte(c)
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			b.WriteRune(r)
			i += n
			continue
		}
		i++
	}
	b.WriteByte('"')
}
