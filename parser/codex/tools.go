package codex

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/command"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// tool is what is known of one of Codex's own tools.
type tool struct {
	// field is the argument that names what the tool acts on. A tool that is listed without one has no target; tools
	// that are not listed go by events.TargetKeys.
	field    string
	readOnly bool
	kind     toolKind
}

// toolKind groups the tools whose arguments or output are read in a way of their own.
type toolKind uint8

const (
	toolPlain toolKind = iota
	toolShell          // a command under cmd or command, as a string or as argv
	toolPatch          // a patch under input
	toolPlan           // steps under plan, one of them in progress
)

// tools are those of versions 0.29 to 0.171, as the model names them. MCP tools and those of code mode's scripts that a user
// adds are not here.
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

	// Tools of other agents that models call all the same; Codex refuses them.
	"Glob": {field: "pattern"},
	"Grep": {field: "pattern"},
	"glob": {field: "pattern"},
	"grep": {field: "pattern"},
}

// isArgument reports whether target or functionCall looks at an argument.
func isArgument(name []byte) bool {
	switch string(name) {
	case "plan", "server", "uri", "agent_type", "task_name", "sandbox_permissions":
		return true
	}
	return events.IsTargetKey(name)
}

// arguments are those of the call at work.
type arguments struct {
	*line
	quoted scan.Quoted // over arguments that are JSON in a string
	input  []byte      // backs Tool.Input where the line has them so, and args
	args   scan.Members
}

// argsOf reads the arguments of a call that are an object.
func (ar *arguments) argsOf(v scan.Value) scan.Members {
	ar.args = ar.Scanner.MembersOf(v, ar.args[:0])
	return ar.args
}

// decodeArguments reads the arguments of a call into args and gives their JSON: the object that they are or that the
// string holds. Of a string that holds none, the string itself. Where arguments are dropped, an object in a string gives no
// JSON, and of its members only those that isArgument picks.
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

// target is the primary argument of a call of one of Codex's own tools. A known tool whose field is missing or no
// string has none: no other field is used.
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

// generalTarget is the primary argument of a tool that no table knows.
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

// stepInProgress is the step of a plan that is being worked on.
func (ar *arguments) stepInProgress(plan scan.Value) string {
	return lines.InProgress(&ar.Strings, &ar.Scanner, &ar.Nested, plan, "step")
}

// firstPath is the first file of a change: of a list of {path, kind} in E2 and E3, else of an object by path.
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

// firstString is the first element of an array, if it is a string.
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
