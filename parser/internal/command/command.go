// Package command returns the commands of tools as a person would type them: the words of an argument array are joined by
// blanks, and the shell that an agent wraps around a script is removed.
package command

import (
	"bytes"
	"strings"

	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Line returns the text of a command, from a string or an array of words; "" for other values. It uses the inner scanner.
func Line(d *decode.Decoder, v scan.Value) string {
	switch v.Kind {
	case scan.KindString:
		return Unwrap(d.Strings.Text(v))
	case scan.KindArray:
		if script, ok := scriptOf(v.Raw); ok {
			return d.Strings.Unescape(script)
		}
		return words(d, v)
	default:
		return ""
	}
}

func words(d *decode.Decoder, v scan.Value) string {
	var first, second scan.Value
	n := 0
	d.Scratch = d.Scratch[:0]
	d.Inner.Reset(v.Raw)
	for d.Inner.Array(); d.Inner.Element(); {
		word := d.Inner.Value()
		if word.Kind != scan.KindString {
			continue
		}
		switch n++; {
		case n == 1:
			first = word
		case n == 2:
			second = word
		case n == 3 && isShell(first.Body()) && isFlag(second.Body()):
			return d.Strings.Text(word)
		}
		if len(d.Scratch) > 0 {
			d.Scratch = append(d.Scratch, ' ')
		}
		d.Scratch = scan.AppendString(d.Scratch, word.Body())
	}
	return d.Strings.Copy(d.Scratch)
}

// scriptOf returns the bytes between the quotes of the script in ["/bin/bash","-lc","..."], the form of nearly all
// commands, unless the script contains a quote.
func scriptOf(argv []byte) (script []byte, ok bool) {
	const begin, middle, end = `["`, `","-lc","`, `"]`
	rest, ok := bytes.CutPrefix(argv, []byte(begin))
	if !ok {
		return nil, false
	}
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

// isShell reports whether a word names, by name or path, a shell in which agents run scripts.
func isShell[Word string | []byte](word Word) bool {
	name := len(word)
	for name > 0 && word[name-1] != '/' {
		name--
	}
	switch string(word[name:]) {
	case "bash", "sh", "zsh", "dash", "ksh":
		return true
	}
	return false
}

// isFlag reports whether a word is a flag that precedes a script.
func isFlag[Word string | []byte](word Word) bool {
	switch string(word) {
	case "-c", "-lc", "-ic", "-ilc":
		return true
	}
	return false
}

// Unwrap removes the shell from a command line that was quoted for it: bash -lc 'go test ./...'. It returns the line
// unchanged unless the quotes contain exactly one word.
func Unwrap(line string) string {
	shell, rest, ok := strings.Cut(line, " ")
	if !ok || !isShell(shell) || strings.ContainsAny(shell, "\t\n'\"") {
		return line
	}
	flag, script, ok := strings.Cut(strings.TrimLeft(rest, " "), " ")
	if !ok || !isFlag(flag) {
		return line
	}
	if word, ok := unquote(strings.Trim(script, " ")); ok {
		return word
	}
	return line
}

// unquote resolves the quotes of one shell word, which may consist of several pieces as in 'it'\”s'. It returns false
// if s is not exactly one word.
func unquote(s string) (string, bool) {
	if len(s) > 1 && s[0] == '\'' && strings.IndexByte(s[1:], '\'') == len(s)-2 {
		return s[1 : len(s)-1], true // entirely in single quotes: by far the most common form
	}
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == quote && quote != 0:
			quote = 0
		case quote == '\'':
			b.WriteByte(c)
		case c == '\\' && quote == 0:
			if i++; i == len(s) {
				return "", false
			}
			b.WriteByte(s[i])
		case c == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0:
			if i++; s[i] != '\n' {
				b.WriteByte(s[i])
			}
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), quote == 0
}
