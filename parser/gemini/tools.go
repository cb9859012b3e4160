package gemini

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Tools that more is known of than the table says.
const (
	shellTool = "run_shell_command"
	agentTool = "invoke_agent"
	todoTool  = "write_todos"
	lastTool  = "complete_task" // with which a sub-agent hands in its result
)

// tool is what is known of one of Gemini CLI's tools.
type tool struct {
	// fields are the arguments that name what the tool acts on, the first that is a string counts. A tool without any,
	// and all tools that are not listed, go by events.TargetKeys.
	fields   []string
	readOnly bool
	agent    bool // a sub-agent under its own name, as before invoke_agent (0.39)
}

// tools are those of versions 0.24 to 0.61 of which something is known.
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

// target is the primary argument of a call, given the fields that its tool is known to have. A tool whose own fields are
// missing or no strings has none: no other field is used.
func (cs *calls) target(name string, fields []string, args scan.Members) string {
	if name == todoTool {
		return lines.InProgress(&cs.Strings, &cs.Inner, &cs.Nested, args.Get("todos"), "description")
	}
	if fields == nil {
		fields = events.TargetKeys[:]
	}
	return lines.FirstText(&cs.Strings, args, fields...)
}
