package opencode

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/command"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// tool describes one of OpenCode's tools.
type tool struct {
	// field is the input that names the tool's target. A listed tool without a field only has the target that
	// calls.target computes for it; tools that are not listed use events.TargetKeys.
	field    string
	readOnly bool
	shell    bool // its exit code shows whether it failed
	standIn  bool // replaces a call that could not be made
	// wrappers are marks, escaped as in a line, after which the text of its result begins.
	wrappers []string
}

// tools are those of versions 0.5 to 1.18. All others belong to MCP servers, as <server>_<tool>, or to plugins; the
// end of the server's name is ambiguous.
var tools = map[string]tool{
	"apply_patch": {}, // the first file of the patch
	"bash":        {field: "command", shell: true},
	"batch":       {},
	"codesearch":  {field: "query", readOnly: true},
	"edit":        {field: "filePath"},
	"glob":        {field: "pattern", readOnly: true},
	"grep":        {field: "pattern", readOnly: true},
	"invalid":     {field: "tool", standIn: true}, // the tool that the model asked for
	"list":        {field: "path", readOnly: true},
	"lsp":         {field: "filePath", readOnly: true},
	"multiedit":   {field: "filePath"},
	"patch":       {},
	"plan_enter":  {},
	"plan_exit":   {},
	"question":    {readOnly: true},                                                                   // the first question
	"read":        {field: "filePath", readOnly: true, wrappers: []string{`<content>\n`, `<file>\n`}}, // since 1.0, before
	"skill":       {field: "name", readOnly: true},
	"task":        {field: "description", wrappers: []string{`<task_result>\n`}},
	"todoread":    {readOnly: true},
	"todowrite":   {}, // the item in progress
	"webfetch":    {field: "url", readOnly: true},
	"websearch":   {field: "query", readOnly: true},
	"write":       {field: "filePath"},
}

// target returns the primary argument of a call. A known tool whose field is missing or not a string has none: no
// other field is used.
func (cs *calls) target(name string, args scan.Members) string {
	t, known := tools[name]
	switch {
	case name == "apply_patch" || name == "patch":
		return lines.PatchFile(&cs.Strings, &cs.Scratch, args.Get("patchText"))
	case name == "todowrite":
		return lines.InProgress(&cs.Strings, &cs.small, &cs.Nested, args.Get("todos"), "content")
	case name == "question":
		for question := range scan.Objects(&cs.small, args.Get("questions"), &cs.Nested) {
			return cs.Strings.Text(question.Get("question"))
		}
		return ""
	case known && t.field == "":
		return ""
	case known:
		return cs.argument(args.Get(t.field), t.shell)
	}
	for _, key := range events.TargetKeys {
		if s := cs.argument(args.Get(key), key == "command" || key == "cmd"); s != "" {
			return s
		}
	}
	return ""
}

// argument returns a string argument, or the words of a command.
func (l *line) argument(v scan.Value, isCommand bool) string {
	if v.Kind == scan.KindArray && isCommand {
		return command.Line(&l.Decoder, v)
	}
	return l.Strings.Text(v)
}
