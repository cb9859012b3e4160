package claude

import "strings"

// Group is the workflow whose agent the transcript at path is of, by its folder: the agents of a workflow are in
// <session>/subagents/workflows/<workflow>, and nothing in them names the call that started it. It is empty for any other
// path.
func Group(path string) string {
	folders := strings.Split(strings.ReplaceAll(path, `\`, "/"), "/")
	if n := len(folders); n >= 4 && folders[n-4] == "subagents" && folders[n-3] == "workflows" {
		return folders[n-2]
	}
	return ""
}
