package openai

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// targets names the input that a tool acts on, where the general list (events.TargetKeys) would find another one first.
// The names belong to whoever wrote the agent, so a tool without its field goes by the general list all the same.
var targets = map[string]string{
	"bash":                "command",
	"Bash":                "command",
	"container.exec":      "command",
	"exec":                "command",
	"exec_command":        "cmd",
	"execute_command":     "command",
	"local_shell":         "command",
	"run_command":         "command",
	"run_shell":           "command",
	"run_shell_command":   "command",
	"run_terminal_cmd":    "command",
	"shell":               "command",
	"Shell":               "command",
	"terminal":            "command",
	"Glob":                "pattern",
	"glob":                "pattern",
	"Grep":                "pattern",
	"grep":                "pattern",
	"grep_search":         "pattern",
	"ripgrep":             "pattern",
	"search_file_content": "pattern",
}

// isArgument reports whether target looks at an argument.
func isArgument(name []byte) bool {
	switch string(name) {
	case "patch", "patchText":
		return true
	}
	return events.IsTargetKey(name)
}

// target is the primary argument of a call. wire is the arguments as received: a custom tool's input is no
// JSON but a text of its own, such as a patch.
func (cs *calls) target(name string, args scan.Members, wire scan.Value) string {
	if name == "apply_patch" {
		if path := cs.patchTarget(args, wire); path != "" {
			return path
		}
	}
	if key := targets[name]; key != "" {
		if target := cs.argument(args, key); target != "" {
			return target
		}
	}
	for _, key := range events.TargetKeys {
		if name == "apply_patch" && key == "input" {
			continue // the patch itself
		}
		if target := cs.argument(args, key); target != "" {
			return target
		}
	}
	return ""
}

// argument gives the text of one argument; a command's is that of the command inside its shell.
func (cs *calls) argument(args scan.Members, key string) string {
	v := args.Get(key)
	if key == "command" || key == "cmd" {
		return cs.command(v)
	}
	return cs.Strings.Text(v)
}

func (cs *calls) patchTarget(args scan.Members, wire scan.Value) string {
	for _, key := range [...]string{"input", "patch", "patchText"} {
		if v := args.Get(key); v.Kind == scan.KindString {
			return lines.PatchFile(&cs.Strings, &cs.Scratch, v)
		}
	}
	if args == nil && wire.Kind == scan.KindString {
		return lines.PatchFile(&cs.Strings, &cs.Scratch, wire)
	}
	return ""
}

// command is the text of a command: a string, or an array of words joined by blanks, without the shell around it.
func (cs *calls) command(v scan.Value) string {
	switch v.Kind {
	case scan.KindString:
		return unwrapShell(cs.Strings.Text(v))
	case scan.KindArray:
		var words []string
		var last scan.Value // of the words
		cs.Inner.Reset(v.Raw)
		for cs.Inner.Array(); cs.Inner.Element(); {
			if word := cs.Inner.Value(); word.Kind == scan.KindString {
				words, last = append(words, cs.Strings.Text(word)), word
			}
		}
		switch {
		case len(words) >= 3 && isShell(words[0]) && isScriptFlag(words[1]):
			return words[2]
		case len(words) == 2 && words[0] == "apply_patch":
			return lines.PatchFile(&cs.Strings, &cs.Scratch, last)
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
