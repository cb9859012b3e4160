package gemini

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Tools that need more than an entry in the table.
const (
	shellTool = "run_shell_command"
	agentTool = "invoke_agent"
	todoTool  = "write_todos"
	lastTool  = "complete_task" // a sub-agent returns its result with it
)

// tool describes one of Gemini CLI's tools.
type tool struct {
	// fields are the arguments that name the tool's target; the first string among them counts. Tools without fields,
	// and tools that are not listed, use events.TargetKeys.
	fields   []string
	readOnly bool
	agent    bool // a sub-agent with its own name, as before invoke_agent (0.39)
}

// tools are the tools of versions 0.24 to 0.61 that need special handling.
var tools = map[string]tool{
	"cli_help":                  {agent: true, readOnly: true},
	"codebase_investigator":     {agent: true, readOnly: true},
	"generalist":                {agent: true},
	"get_internal_docs":         {readOnly: true},
	"glob":                      {fields: []string{"pattern"}, readOnly: true},
	"google_web_search":         {fields: []string{"query"}, readOnly: true},
	"grep_search":               {fields: []string{"pattern"}, readOnly: true},
	"list_background_processes": {readOnly: true},
	"list_directory":            {fields: []string{"dir_path", "path"}, readOnly: true},
	"list_mcp_resources":        {readOnly: true},
	"read_background_output":    {readOnly: true},
	"read_file":                 {fields: []string{"file_path", "absolute_path"}, readOnly: true},
	"read_many_files":           {readOnly: true},
	"read_mcp_resource":         {readOnly: true},
	"replace":                   {fields: []string{"file_path"}},
	"run_shell_command":         {fields: []string{"command"}},
	"search_file_content":       {fields: []string{"pattern"}, readOnly: true}, // grep_search before 0.28
	"tracker_get_task":          {readOnly: true},
	"tracker_list_tasks":        {readOnly: true},
	"tracker_visualize":         {readOnly: true},
	"web_fetch":                 {fields: []string{"url", "prompt"}, readOnly: true},
	"write_file":                {fields: []string{"file_path"}},
}

// target returns the primary argument of a call, given the fields of its tool. If none of a tool's own fields is a
// string, the target is empty: no other field is used.
func (cs *calls) target(name string, fields []string, args scan.Members) string {
	if name == todoTool {
		return lines.InProgress(&cs.Strings, &cs.Inner, &cs.Nested, args.Get("todos"), "description")
	}
	if fields == nil {
		fields = events.TargetKeys[:]
	}
	return lines.FirstText(&cs.Strings, args, fields...)
}
