package openai

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/command"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// targets names the input that is a tool's target if the general list (events.TargetKeys) would find another one first.
// The author of the agent chooses the names, so a tool without its field also uses the general list.
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

// isArgument reports whether target uses an argument.
func isArgument(name []byte) bool {
	switch string(name) {
	case "patch", "patchText":
		return true
	}
	return events.IsTargetKey(name)
}

// target returns the primary argument of a call. wire is the arguments as received: a custom tool's input is
// not JSON but a text, such as a patch.
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

// argument returns the text of one argument; for a command, that of the command inside its shell.
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

// command returns the text of a command, or for apply_patch the first file of the patch.
func (cs *calls) command(v scan.Value) string {
	var words [2]scan.Value
	n := 0
	for range scan.Elements(&cs.Inner, v) {
		if word := cs.Inner.Value(); n < len(words) {
			words[n] = word
		}
		n++
	}
	if n == len(words) && words[0].Is("apply_patch") {
		return lines.PatchFile(&cs.Strings, &cs.Scratch, words[1])
	}
	return command.Line(&cs.Decoder, v)
}
