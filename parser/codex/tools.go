package codex

import (
	"github.com/tailspan/tailspan/events"
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

// tools are those of versions 0.29 to 0.171, as the model names them, after section 5 of the field guide. MCP tools and
// those of code mode's scripts that a user adds are not here.
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

// target is the primary argument of a call of one of Codex's own tools. A known tool whose field is missing or no
// string has none: no other field is used.
func (p *Parser) target(name string, args scan.Members) string {
	t, known := tools[name]
	switch {
	case !known:
		return p.generalTarget(args)
	case t.kind == toolShell:
		return p.command(args.AnyOf("cmd", "command"))
	case t.kind == toolPatch:
		return lines.PatchFile(&p.Strings, &p.Scratch, args.Get("input"))
	case t.kind == toolPlan:
		return p.stepInProgress(args.Get("plan"))
	case t.field == "":
		return ""
	default:
		return p.Strings.Text(args.Get(t.field))
	}
}

// generalTarget is the primary argument of a tool that no table knows.
func (p *Parser) generalTarget(args scan.Members) string {
	for _, key := range events.TargetKeys {
		v := args.Get(key)
		if len(v.Body()) > 0 {
			return p.Strings.Text(v)
		}
		if v.Kind == scan.KindArray && (key == "command" || key == "cmd") {
			return p.command(v)
		}
	}
	return ""
}

// stepInProgress is the step of a plan that is being worked on.
func (p *Parser) stepInProgress(plan scan.Value) string {
	if plan.Kind != scan.KindArray {
		return ""
	}
	s := &p.Scanner
	s.Reset(plan.Raw)
	for s.Array(); s.Element(); {
		if s.Peek() != scan.KindObject {
			s.Skip()
			continue
		}
		p.Nested = p.Nested[:0]
		for s.Object(); s.Key(); {
			p.Nested = s.Keep(p.Nested)
		}
		if p.Nested.Get("status").Is("in_progress") {
			return p.Strings.Text(p.Nested.Get("step"))
		}
	}
	return ""
}
