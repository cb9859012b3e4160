package style

import (
	"strings"
)

// field is the kind of a tool's primary argument, which determines how it is shown.
type field uint8

const (
	fieldNone    field = iota // nothing worth showing
	fieldFile                 // a path of a file
	fieldFolder               // a path of a folder
	fieldCommand              // a command line
	fieldSearch               // a pattern or question to search for
	fieldGlob                 // a pattern of file names
	fieldURL
	fieldTask // the task of a sub-agent
)

// tool says how a tool is shown, under all the names that providers use for it.
type tool struct {
	// label is the name shared by all providers' spellings.
	label string
	// field is the kind of its primary argument.
	field field
	// doing begins the line of a call with an argument: "Reading calc.go". Empty: the argument is the line.
	doing string
	// done is the line of a successful end; the argument follows one that ends in a blank.
	done string
	// noun begins the line of a failure: "Edit failed: calc.go".
	noun string
}

// The tools that the agents have in common, and tools of one agent that deserve their own wording.
var (
	toolRead     = tool{label: "Read", field: fieldFile, doing: "Reading ", done: "Finished reading ", noun: "Read"}
	toolWrite    = tool{label: "Write", field: fieldFile, doing: "Writing ", done: "Finished writing ", noun: "Write"}
	toolEdit     = tool{label: "Edit", field: fieldFile, doing: "Editing ", done: "Finished editing ", noun: "Edit"}
	toolNotebook = tool{label: "NotebookEdit", field: fieldFile, doing: "Editing ", done: "Finished editing ", noun: "Edit"}
	toolImage    = tool{label: "ViewImage", field: fieldFile, doing: "Viewing ", done: "Finished viewing ", noun: "View"}
	toolBash     = tool{label: "Bash", field: fieldCommand, done: "Command finished", noun: "Command"}
	toolGrep     = tool{label: "Grep", field: fieldSearch, doing: "Searching code for ", done: "Search finished", noun: "Search"}
	toolGlob     = tool{label: "Glob", field: fieldGlob, doing: "Scanning for ", done: "Scan finished", noun: "Scan"}
	toolList     = tool{label: "List", field: fieldFolder, doing: "Listing ", done: "Finished listing ", noun: "List"}
	toolFetch    = tool{label: "WebFetch", field: fieldURL, doing: "Fetching ", done: "Finished fetching ", noun: "Fetch"}
	toolSearch   = tool{label: "WebSearch", field: fieldSearch, doing: "Searching the web for ", done: "Web search finished", noun: "Web search"}
	toolTask     = tool{label: "Task", field: fieldTask, doing: "Delegating: ", done: "Sub-agent finished", noun: "Sub-agent"}
	toolTodo     = tool{label: "TodoWrite", field: fieldNone}
)

// tools maps the names of all providers, in lower case, to tools. A name that is not listed is shown as it is. The
// names are those of Claude Code 1.0 to 2.1, Codex 0.29 to 0.171, Gemini CLI, OpenCode 0.5 to 1.18 and Qwen Code,
// from their captures of November 2026, and the common ones of OpenAI-compatible servers and of pi.
var tools = map[string]*tool{
	"read": &toolRead, "read_file": &toolRead, "readfile": &toolRead, "open_file": &toolRead,
	"view_image": &toolImage,

	"write": &toolWrite, "write_file": &toolWrite, "writefile": &toolWrite, "create_file": &toolWrite,

	"edit": &toolEdit, "multiedit": &toolEdit, "edit_file": &toolEdit, "replace": &toolEdit, "str_replace": &toolEdit,
	"apply_patch": &toolEdit, "patch": &toolEdit, "patch_apply": &toolEdit, "file_change": &toolEdit,
	"notebookedit": &toolNotebook, "notebook_edit": &toolNotebook,

	"bash": &toolBash, "powershell": &toolBash, "shell": &toolBash, "local_shell": &toolBash, "local_shell_call": &toolBash,
	"exec_command": &toolBash, "command_execution": &toolBash, "shell_command": &toolBash, "unified_exec": &toolBash,
	"run_shell_command": &toolBash, "run_shell": &toolBash, "run_command": &toolBash,

	"grep": &toolGrep, "grep_search": &toolGrep, "search_file_content": &toolGrep,
	"glob": &toolGlob, "find": &toolGlob, "find_files": &toolGlob,
	"ls": &toolList, "list": &toolList, "list_dir": &toolList, "list_directory": &toolList,

	"webfetch": &toolFetch, "web_fetch": &toolFetch,
	"websearch": &toolSearch, "web_search": &toolSearch, "google_web_search": &toolSearch,

	"task": &toolTask, "agent": &toolTask, "spawn_agent": &toolTask, "invoke_agent": &toolTask, "delegate": &toolTask,

	"todowrite": &toolTodo, "todo_write": &toolTodo, "write_todos": &toolTodo, "todo_list": &toolTodo,
	"update_plan": &toolTodo, "plan_update": &toolTodo,
}

// longestName exceeds the longest name in tools.
const longestName = 32

// lookUp returns the tool with a name in the provider's spelling, or nil if it is not known.
func lookUp(name string) *tool {
	if len(name) >= longestName {
		return nil
	}
	var lower [longestName]byte // avoids an allocation per call
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return tools[string(lower[:len(name)])]
}

// baseName returns the last part of a path of any operating system.
func baseName(path string) string {
	trimmed := strings.TrimRight(path, `/\`)
	if trimmed == "" {
		return path
	}
	return trimmed[strings.LastIndexAny(trimmed, `/\`)+1:]
}
