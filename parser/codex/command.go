package codex

import (
	"bytes"
	"strings"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// command is a command line as a person would have typed it: argv joined by blanks, without the login shell that Codex
// wraps around a script.
func (p *Parser) command(v scan.Value) string {
	switch v.Kind {
	case scan.KindString:
		return unwrapShell(p.Strings.Text(v))
	case scan.KindArray:
		return p.argv(v)
	default:
		return ""
	}
}

func (p *Parser) argv(v scan.Value) string {
	if script, ok := shellScript(v.Raw); ok {
		return p.Strings.Unescape(script)
	}
	s := &p.Scanner
	s.Reset(v.Raw)
	words, first, last := 0, scan.Value{}, scan.Value{}
	p.Scratch = p.Scratch[:0]
	for s.Array(); s.Element(); words++ {
		word := s.Value()
		switch {
		case words == 0:
			first = word
		case words == 2 && last.Is("-lc") && isShell(first.Body()):
			p.Scratch = p.Scratch[:0] // the words so far are the wrapper, and this one mostly is all that is in it
		default:
			p.addWord(last)
		}
		last = word
	}
	if len(p.Scratch) == 0 {
		return p.Strings.Text(last)
	}
	p.addWord(last)
	return p.Strings.Copy(p.Scratch)
}

// shellScript gives the bytes between the quotes of the script in ["/bin/bash","-lc","..."], which nearly all commands
// are, if no quote is in it.
func shellScript(argv []byte) (script []byte, ok bool) {
	const begin, middle, end = `["`, `","-lc","`, `"]`
	if !bytes.HasPrefix(argv, []byte(begin)) {
		return nil, false
	}
	rest := argv[len(begin):]
	at := bytes.IndexByte(rest, '"')
	if at < 0 || !bytes.HasPrefix(rest[at:], []byte(middle)) || bytes.IndexByte(rest[:at], '\\') >= 0 || !isShell(rest[:at]) {
		return nil, false
	}
	script = rest[at+len(middle):]
	if at = bytes.IndexByte(script, '"'); at <= 0 || script[at-1] == '\\' || string(script[at:]) != end {
		return nil, false
	}
	return script[:at], true
}

// addWord adds a word to the words in scratch, a blank between them.
func (p *Parser) addWord(word scan.Value) {
	if len(p.Scratch) > 0 {
		p.Scratch = append(p.Scratch, ' ')
	}
	p.Scratch = scan.AppendString(p.Scratch, word.Body())
}

// isShell recognises the shells that Codex starts a script with, by name or path.
func isShell[Word string | []byte](word Word) bool {
	name := len(word)
	for name > 0 && word[name-1] != '/' {
		name--
	}
	switch string(word[name:]) {
	case "bash", "zsh", "sh":
		return true
	}
	return false
}

// unwrapShell takes the login shell off a command that was quoted for a shell: bash -lc 'go test ./...'. What does not
// quote exactly one word is left as it is.
func unwrapShell(s string) string {
	const flag = " -lc "
	end := strings.IndexByte(s, ' ')
	if end < 0 || !strings.HasPrefix(s[end:], flag) || !isShell(s[:end]) || strings.ContainsAny(s[:end], "\t\n'\"") {
		return s
	}
	word, ok := unquote(s[end+len(flag):])
	if !ok {
		return s
	}
	return word
}

// unquote resolves the quotes of one shell word, which may be glued of several pieces as in 'it'\”s'. It reports false
// if s is not exactly one word.
func unquote(s string) (string, bool) {
	if len(s) > 1 && s[0] == '\'' && strings.IndexByte(s[1:], '\'') == len(s)-2 {
		return s[1 : len(s)-1], true // all of it in single quotes, by far the most common
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return "", false
			}
			b.WriteString(s[i+1 : i+1+end])
			i += 1 + end
		case '"':
			n, ok := appendDoubleQuoted(&b, s[i+1:])
			if !ok {
				return "", false
			}
			i += n
		case '\\':
			if i++; i == len(s) {
				return "", false
			}
			b.WriteByte(s[i])
		case ' ', '\t', '\n':
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// appendDoubleQuoted writes what is in double quotes, given what follows the opening one, and gives its length with
// the closing one.
func appendDoubleQuoted(b *strings.Builder, s string) (int, bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return i + 1, true
		case '\\':
			if i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
				i++
				if s[i] != '\n' {
					b.WriteByte(s[i])
				}
				continue
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return 0, false
}

// firstPath is the first file of a change: of a list of {path, kind} in E2 and E3, else of an object by path.
func (p *Parser) firstPath(v scan.Value) string {
	s := &p.Scanner
	switch v.Kind {
	case scan.KindObject:
		s.Reset(v.Raw)
		if s.Object(); s.Key() {
			return p.Strings.Unescape(s.Name())
		}
	case scan.KindArray:
		s.Reset(v.Raw)
		if s.Array(); !s.Element() || s.Peek() != scan.KindObject {
			return ""
		}
		for s.Object(); s.Key(); {
			if string(s.Name()) == "path" {
				return p.Strings.Text(s.Value())
			}
			s.Skip()
		}
	}
	return ""
}

// firstString is the first element of an array, if it is a string.
func (p *Parser) firstString(v scan.Value) string {
	if v.Kind != scan.KindArray {
		return ""
	}
	s := &p.Scanner
	s.Reset(v.Raw)
	if s.Array(); !s.Element() {
		return ""
	}
	return p.Strings.Intern(s.Value())
}
