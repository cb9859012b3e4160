package gemini

import "strings"

// ParentSession is the session whose sub-agent the transcript at path is of, by its folder: a session's transcript
// is in chats, those of its sub-agents in chats/<session id>. It is empty for any other path.
func ParentSession(path string) string {
	folders := strings.Split(strings.ReplaceAll(path, `\`, "/"), "/")
	if n := len(folders); n >= 3 && folders[n-3] == "chats" {
		return folders[n-2]
	}
	return ""
}
