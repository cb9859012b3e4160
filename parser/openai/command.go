package openai

import (
	"strings"

	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// command is the text of a command: a string, or an array of words joined by blanks, without the shell around it.
func (p *Parser) command(v scan.Value) string {
	switch v.Kind {
	case scan.KindString:
		return unwrapShell(p.Strings.Text(v))
	case scan.KindArray:
		var words []string
		var last scan.Value // of the words
		p.Inner.Reset(v.Raw)
		for p.Inner.Array(); p.Inner.Element(); {
			if word := p.Inner.Value(); word.Kind == scan.KindString {
				words, last = append(words, p.Strings.Text(word)), word
			}
		}
		switch {
		case len(words) >= 3 && isShell(words[0]) && isScriptFlag(words[1]):
			return words[2]
		case len(words) == 2 && words[0] == "apply_patch":
			return lines.PatchFile(&p.Strings, &p.Scratch, last)
		}
		return strings.Join(words, " ")
	default:
		return ""
	}
}

// unwrapShell takes a wrapper such as `bash -lc '...'` off a command line. What is not exactly that stays as it is.
func unwrapShell(line string) string {
	shell, rest, ok := strings.Cut(line, " ")
	if !ok || !isShell(shell) {
		return line
	}
	flag, script, ok := strings.Cut(strings.TrimLeft(rest, " "), " ")
	if !ok || !isScriptFlag(flag) {
		return line
	}
	if script, ok = unquote(strings.Trim(script, " ")); !ok {
		return line
	}
	return script
}

func isShell(word string) bool {
	switch word[strings.LastIndexByte(word, '/')+1:] {
	case "bash", "sh", "zsh", "dash", "ksh":
		return true
	}
	return false
}

func isScriptFlag(word string) bool {
	return word == "-lc" || word == "-c" || word == "-ilc" || word == "-ic"
}

// unquote resolves a line that is one argument of a shell: quoted with single or double quotes, or plain, in any mixture.
// It reports false for a line of several words.
func unquote(line string) (word string, ok bool) {
	if line == "" || !strings.ContainsAny(line[:1], `'"`) {
		return line, line != ""
	}
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return "", false
			}
			b.WriteString(line[i+1 : i+1+end])
			i += end + 1
		case '"':
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' && i+1 < len(line) && strings.IndexByte("\"\\$`", line[i+1]) >= 0 {
					i++
				}
				b.WriteByte(line[i])
			}
			if i >= len(line) {
				return "", false
			}
		case '\\':
			if i++; i < len(line) {
				b.WriteByte(line[i])
			}
		case ' ', '\t', '\n':
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}
