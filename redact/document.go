package redact

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// maxDepth is how many levels of JSON in strings of JSON are parsed.
const maxDepth = 8

// isDocument reports cheaply whether s may be one JSON object or array.
func isDocument[T text](s T) bool {
	i := skip(s, 0, len(s), cSpace)
	if i >= len(s) || s[i] != '{' && s[i] != '[' {
		return false
	}
	j := len(s)
	for j > i && is(s[j-1], cSpace) {
		j--
	}
	return j-i >= 2 && s[j-1] == s[i]+2 // } is { + 2, and ] is [ + 2
}

func validDocument(s string) bool { return json.Valid([]byte(s)) }

// escapesControl reports whether a JSON text may write a control, or a character that is not seen, as an escape.
func escapesControl[T text](s T) bool {
	for i := 0; i+5 < len(s); i++ {
		if s[i] != '\\' {
			continue
		}
		if s[i+1] == 'u' {
			switch [2]byte{s[i+2], toLower(s[i+3])} {
			case [2]byte{'0', '0'}, [2]byte{'2', '0'}, [2]byte{'f', 'e'}, [2]byte{'F', 'e'}, [2]byte{'f', 'f'}, [2]byte{'F', 'f'}:
				return true
			}
		}
		i++ // \\ is no beginning of an escape
	}
	return false
}

// document redacts the decoded strings of a valid JSON text, and the members with secret-like names. The rest stays byte
// for byte.
func (r *Redactor) document(s string, depth int) (string, int) {
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
	last  int // s up to here is in out
	count int

	// levels are the open objects and arrays.
	levels []level
	// key is the key before the next value, and named its class as a name.
	key   string
	named name
}

type level struct {
	// elements is the name of an array: its key.
	elements name
	// valueName is the name of the member "value": the member "name" or "key" beside it.
	valueName name
	// flag is the name of the next element: the flag before it ("--token", "value").
	flag name
}

func (d *document) walk() {
	s := d.s
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '"':
			end := stringEnd(s, i)
			if next := skip(s, end, len(s), cSpace); next < len(s) && s[next] == ':' {
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
		case c == ',' || is(c, cSpace):
			i++
		default: // a number, true, false, null
			end := i
			for end < len(s) && !is(s[end], cSpace) && s[end] != ',' && s[end] != '}' && s[end] != ']' {
				end++
			}
			if d.named.class == classPassword && is(c, cDigit) && end-i >= minPassword {
				d.replace(i, end, markerOf(""))
			}
			d.done()
			i = end
		}
	}
}

// done clears the key, and sets the name of the next element of an array.
func (d *document) done() {
	d.named, d.key = name{}, ""
	if n := len(d.levels); n > 0 {
		d.named = d.levels[n-1].elements
	}
}

// stringEnd is where the string that begins at i ends, its quote included.
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
	d.named = d.r.nameOf(key)
	if n := len(d.levels); n > 0 && strings.EqualFold(key, "value") {
		d.named = d.levels[n-1].valueName
	}
}

// stringValue redacts a value, or an element.
func (d *document) stringValue(start, end int) {
	v := decode(d.s[start:end])
	if n := len(d.levels); n > 0 && (strings.EqualFold(d.key, "name") || strings.EqualFold(d.key, "key")) {
		d.levels[n-1].valueName = d.r.nameOf(v)
	}
	flag := d.flag(v)
	sp, ok := d.r.memberValue(d.named, v, sepColon)
	if !ok {
		sp, ok = d.r.memberValue(flag, v, sepArgument)
	}
	if ok {
		d.replace(start, end, v[:sp.start]+markerOf(sp.kind)+v[sp.end:])
		return
	}
	if out, n := d.r.redact(v, d.depth+1, false); n > 0 {
		d.replace(start, end, out)
		d.count += n - 1
	}
}

// flag returns the name of this element of an array: the flag before it, if any. It stores v if v is a flag itself.
func (d *document) flag(v string) name {
	if len(d.levels) == 0 || d.key != "" {
		return name{}
	}
	l := &d.levels[len(d.levels)-1]
	named := l.flag
	l.flag = name{}
	if strings.HasPrefix(v, "-") {
		l.flag = d.r.nameOf(v)
	}
	return named
}

func (d *document) replace(start, end int, with string) {
	d.out.WriteString(d.s[d.last:start])
	quote(&d.out, with)
	d.last = end
	d.count++
}

// nameOf classifies an identifier; the zero name if s is none.
func (r *Redactor) nameOf(s string) name {
	if s == "" || len(s) > maxIdent || skip(s, 0, len(s), cAlnum|cIdent|cBlank) < len(s) || strings.Count(s, " ") > 1 {
		return name{}
	}
	s = strings.ReplaceAll(s, " ", "_")
	f := finder[string]{r: r, s: s}
	m := mixOf(s, 0, len(s))
	n := name{end: len(s), caps: m.lower == 0 && m.upper > 0}
	n.class = r.classify(f.normal(0, len(s)), n.caps)
	return n
}

// memberValue decides on the value of a member with a secret-like name, or on an element behind a flag with one.
func (r *Redactor) memberValue(n name, s string, by sep) (span, bool) {
	if n.class == classNone || s == "" {
		return span{}, false
	}
	f := finder[string]{r: r, s: s}
	v := value{end: len(s), sep: by, quoted: true}
	var sp span
	var ok bool
	switch n.class {
	case classAuthorization:
		sp, ok = f.authorization(v)
	case classCookie:
		sp, ok = f.cookie(v)
	case classSignature:
	default:
		sp, ok = f.secretValue(n, v)
	}
	return sp, ok && !allowed(r, s, sp)
}

// decode decodes a JSON string.
func decode(raw string) string {
	body := raw[1 : len(raw)-1]
	if strings.IndexByte(body, '\\') < 0 {
		return body
	}
	var s string
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return body // not reached: the document is valid
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
