package qwen

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// tool describes one of Qwen Code's tools.
type tool struct {
	// field is the input that names the tool's target. A listed tool without a field has no target; tools that are not
	// listed use events.TargetKeys.
	field    string
	readOnly bool
}

// tools are those of versions 0.15, and the names that older versions used for them.
var tools = map[string]tool{
	"agent":               {field: "description"},
	"ask_user_question":   {readOnly: true},
	"edit":                {field: "file_path"},
	"exit_plan_mode":      {field: "plan", readOnly: true},
	"glob":                {field: "pattern", readOnly: true},
	"grep_search":         {field: "pattern", readOnly: true},
	"list_directory":      {field: "path", readOnly: true},
	"monitor":             {field: "command"},
	"read_file":           {field: "file_path", readOnly: true},
	"replace":             {field: "file_path"},
	"run_shell_command":   {field: "command"},
	"save_memory":         {field: "fact"},
	"search_file_content": {field: "pattern", readOnly: true},
	"send_message":        {field: "task_id"},
	"skill":               {field: "skill"},
	"task":                {field: "description"},
	"task_stop":           {field: "task_id"},
	"todo_write":          {}, // the item in progress, see target
	"tool_search":         {field: "query", readOnly: true},
	"web_fetch":           {field: "url", readOnly: true},
	"write_file":          {field: "file_path"},
}

// target returns the primary argument of a call. A known tool whose field is missing or not a string has none: no
// other field is used.
func (cs *calls) target(name string, args scan.Members) string {
	if name == "todo_write" {
		return lines.InProgress(&cs.Strings, &cs.Inner, &cs.Nested, args.Get("todos"), "content")
	}
	if t, known := tools[name]; known {
		if t.field == "" {
			return ""
		}
		return cs.Strings.Text(args.Get(t.field))
	}
	return lines.FirstText(&cs.Strings, args, events.TargetKeys[:]...)
}
