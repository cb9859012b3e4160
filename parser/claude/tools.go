package claude

import (
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// tool describes one of Claude Code's tools.
type tool struct {
	// field is the input that names the tool's target. A listed tool without a field has no target; tools that are not
	// listed use events.TargetKeys.
	field    string
	readOnly bool
}

// tools are those of versions 1.0.3 to 2.1.332. ExitPlanMode, AskUserQuestion, StructuredOutput and mcp__* are not
// listed and use events.TargetKeys.
var tools = map[string]tool{
	"Agent":                {field: "description"},
	"Bash":                 {field: "command"},
	"BashOutput":           {field: "bash_id", readOnly: true},
	"CronCreate":           {field: "prompt"},
	"CronList":             {readOnly: true},
	"Edit":                 {field: "file_path"},
	"EnterWorktree":        {field: "name"},
	"Glob":                 {field: "pattern", readOnly: true},
	"Grep":                 {field: "pattern", readOnly: true},
	"KillShell":            {field: "shell_id"},
	"LS":                   {field: "path", readOnly: true},
	"ListAgents":           {readOnly: true},
	"ListMcpResourcesTool": {field: "server", readOnly: true},
	"Monitor":              {field: "command", readOnly: true},
	"MultiEdit":            {field: "file_path"},
	"NotebookEdit":         {field: "notebook_path"},
	"NotebookRead":         {field: "notebook_path", readOnly: true},
	"Read":                 {field: "file_path", readOnly: true},
	"ReadMcpResourceTool":  {field: "uri", readOnly: true},
	"ScheduleWakeup":       {field: "reason"},
	"SendMessage":          {field: "to"},
	"Skill":                {field: "skill"},
	"SlashCommand":         {field: "command"},
	"Task":                 {field: "description"},
	"TaskCreate":           {field: "subject"},
	"TaskGet":              {field: "taskId", readOnly: true},
	"TaskList":             {readOnly: true},
	"TaskOutput":           {field: "task_id", readOnly: true},
	"TaskStop":             {field: "task_id"},
	"TaskUpdate":           {},
	"TodoRead":             {readOnly: true},
	"TodoWrite":            {}, // the item in progress, see knownTarget
	"ToolSearch":           {field: "query", readOnly: true},
	"WebFetch":             {field: "url", readOnly: true},
	"WebSearch":            {field: "query", readOnly: true},
	"Workflow":             {field: "name"},
	"Write":                {field: "file_path"},
	"web_fetch":            {field: "url", readOnly: true},
	"web_search":           {field: "query", readOnly: true},
}

// knownTarget returns the primary argument of a known tool. If its field is missing or not a string, the target is empty:
// no other field is used.
func (cs *calls) knownTarget(name, field string, args scan.Members) string {
	if field == "" {
		if name == "TodoWrite" {
			return lines.InProgress(&cs.Strings, &cs.Inner, &cs.Nested, args.Get("todos"), "content")
		}
		return ""
	}
	v := args.Get(field)
	if name == "Workflow" && v.Kind != scan.KindString {
		v = args.Get("script")
	}
	return cs.Strings.Text(v)
}
