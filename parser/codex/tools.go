package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/command"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// tool describes one of Codex's own tools.
type tool struct {
	// field is the argument that names the tool's target. A listed tool without a field has no target; tools that
	// are not listed use events.TargetKeys.
	field    string
	readOnly bool
	kind     toolKind
}

// toolKind groups the tools whose arguments or output need special handling.
type toolKind uint8

const (
	toolPlain toolKind = iota
	toolShell          // a command in cmd or command, as a string or as argv
	toolPatch          // a patch in input
	toolPlan           // steps in plan, one of them in progress
)

// tools are those of versions 0.29 to 0.171, under the names that the model uses. MCP tools, and tools that a user adds to
// the scripts of code mode, are not listed.
var tools = map[string]tool{
	"apply_patch":                 {kind: toolPatch},
	"clock.sleep":                 {},
	"close_agent":                 {},
	"container.exec":              {kind: toolShell},
	"create_goal":                 {field: "objective"},
	"exec_command":                {kind: toolShell},
	"followup_task":               {field: "message"},
	"get_goal":                    {readOnly: true},
	"image_generation":            {},
	"interrupt_agent":             {},
	"list_agents":                 {readOnly: true},
	"list_mcp_resource_templates": {field: "server", readOnly: true},
	"list_mcp_resources":          {field: "server", readOnly: true},
	"local_shell":                 {kind: toolShell},
	"read_mcp_resource":           {field: "uri", readOnly: true},
	"request_user_input":          {readOnly: true},
	"resume_agent":                {},
	"send_input":                  {field: "message"},
	"send_message":                {field: "message"},
	"shell":                       {kind: toolShell},
	"shell_command":               {kind: toolShell},
	"spawn_agent":                 {field: "message"},
	"tool_search":                 {field: "query", readOnly: true},
	"update_goal":                 {},
	"update_plan":                 {kind: toolPlan},
	"view_image":                  {field: "path", readOnly: true},
	"wait":                        {readOnly: true},
	"wait_agent":                  {readOnly: true},
	"web_search":                  {field: "query", readOnly: true},
	"write_stdin":                 {},

	// Tools of other agents that models call nevertheless; Codex refuses them.
	"Glob": {field: "pattern"},
	"Grep": {field: "pattern"},
	"glob": {field: "pattern"},
	"grep": {field: "pattern"},
}

// isArgument reports whether target or functionCall uses an argument.
func isArgument(name []byte) bool {
	switch string(name) {
	case "plan", "server", "uri", "agent_type", "task_name", "sandbox_permissions":
		return true
	}
	return events.IsTargetKey(name)
}

// arguments reads the arguments of the current call.
type arguments struct {
	*line
	quoted scan.Quoted // reads arguments that are JSON in a string
	input  []byte      // backs Tool.Input and args if the arguments are in a string
	args   scan.Members
}

// argsOf returns the arguments of a call if they are an object.
func (ar *arguments) argsOf(v scan.Value) scan.Members {
	ar.args = ar.Scanner.MembersOf(v, ar.args[:0])
	return ar.args
}

// decodeArguments reads the arguments of a call into args and returns their JSON: the object itself or the object in the
// string. If a string holds no object, it returns the string. If arguments are dropped, it returns no JSON for an object in
// a string and reads only the members that isArgument selects.
func (ar *arguments) decodeArguments(v scan.Value) scan.Value {
	ar.args = ar.args[:0]
	if v.Kind != scan.KindString {
		ar.args = ar.Scanner.MembersOf(v, ar.args[:0])
		return v
	}
	if ar.DropInput {
		var whole bool
		if ar.args, ar.input, whole = ar.quoted.Members(ar.args, ar.input, v.Body(), isArgument); whole {
			return scan.Value{}
		}
	}
	start := len(ar.input)
	ar.input = scan.AppendString(ar.input, v.Body())
	decoded := ar.input[start:len(ar.input):len(ar.input)]
	s := &ar.Scanner
	s.Reset(decoded)
	if s.Peek() != scan.KindObject {
		return v
	}
	for s.Object(); s.Key(); {
		ar.args = s.Keep(ar.args)
	}
	if s.Err() != nil || len(s.Rest()) > 0 {
		ar.args = ar.args[:0]
		return v
	}
	return scan.Value{Kind: scan.KindObject, Raw: decoded}
}

// target returns the primary argument of a call of one of Codex's own tools. A known tool whose field is missing
// or not a string has none: no other field is used.
func (ar *arguments) target(name string, args scan.Members) string {
	t, known := tools[name]
	switch {
	case !known:
		return ar.generalTarget(args)
	case t.kind == toolShell:
		return command.Line(&ar.Decoder, args.AnyOf("cmd", "command"))
	case t.kind == toolPatch:
		return lines.PatchFile(&ar.Strings, &ar.Scratch, args.Get("input"))
	case t.kind == toolPlan:
		return ar.stepInProgress(args.Get("plan"))
	case t.field == "":
		return ""
	default:
		return ar.Strings.Text(args.Get(t.field))
	}
}

// generalTarget returns the primary argument of a tool that is not in a table.
func (ar *arguments) generalTarget(args scan.Members) string {
	for _, key := range events.TargetKeys {
		v := args.Get(key)
		if len(v.Body()) > 0 {
			return ar.Strings.Text(v)
		}
		if v.Kind == scan.KindArray && (key == "command" || key == "cmd") {
			return command.Line(&ar.Decoder, v)
		}
	}
	return ""
}

// stepInProgress returns the step of a plan that is in progress.
func (ar *arguments) stepInProgress(plan scan.Value) string {
	return lines.InProgress(&ar.Strings, &ar.Scanner, &ar.Nested, plan, "step")
}

// firstPath returns the first file of a change: of a list of {path, kind} in E2 and E3, otherwise of an object with paths as keys.
func (ar *arguments) firstPath(v scan.Value) string {
	s := &ar.Scanner
	switch v.Kind {
	case scan.KindObject:
		s.Reset(v.Raw)
		if s.Object(); s.Key() {
			return ar.Strings.Unescape(s.Name())
		}
	case scan.KindArray:
		s.Reset(v.Raw)
		if s.Array(); !s.Element() || s.Peek() != scan.KindObject {
			return ""
		}
		for s.Object(); s.Key(); {
			if string(s.Name()) == "path" {
				return ar.Strings.Text(s.Value())
			}
			s.Skip()
		}
	}
	return ""
}

// firstString returns the first element of an array if it is a string.
func (ar *arguments) firstString(v scan.Value) string {
	if v.Kind != scan.KindArray {
		return ""
	}
	s := &ar.Scanner
	s.Reset(v.Raw)
	if s.Array(); !s.Element() {
		return ""
	}
	return ar.Strings.Intern(s.Value())
}
