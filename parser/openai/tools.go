package openai

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// fields names the input that a tool acts on, where the general list (events.TargetKeys) would find another one first.
// The names belong to whoever wrote the agent, so a tool without its field goes by the general list all the same.
var fields = map[string]string{
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
func (p *Parser) target(name string, args scan.Members, wire scan.Value) string {
	if name == "apply_patch" {
		if path := p.patchTarget(args, wire); path != "" {
			return path
		}
	}
	if key := fields[name]; key != "" {
		if target := p.argument(args, key); target != "" {
			return target
		}
	}
	for _, key := range events.TargetKeys {
		if name == "apply_patch" && key == "input" {
			continue // the patch itself
		}
		if target := p.argument(args, key); target != "" {
			return target
		}
	}
	return ""
}

// argument gives the text of one argument; a command's is that of the command inside its shell.
func (p *Parser) argument(args scan.Members, key string) string {
	v := args.Get(key)
	if key == "command" || key == "cmd" {
		return p.command(v)
	}
	return p.Strings.Text(v)
}

func (p *Parser) patchTarget(args scan.Members, wire scan.Value) string {
	for _, key := range [...]string{"input", "patch", "patchText"} {
		if v := args.Get(key); v.Kind == scan.KindString {
			return lines.PatchFile(&p.Strings, &p.Scratch, v)
		}
	}
	if args == nil && wire.Kind == scan.KindString {
		return lines.PatchFile(&p.Strings, &p.Scratch, wire)
	}
	return ""
}
