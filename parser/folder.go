package parser

import (
	"path"
	"slices"
	"strings"
)

// keeps says where an agent program stores files other than sessions: prompt histories, journals, ledgers. They are
// not sessions, and most hold what users typed.
type keeps struct {
	// folders are the last elements of the paths of the program's folders.
	folders []string
	// histories are the names of prompt history files, which people copy along with sessions.
	histories []string
}

// Claude Code 2.1.332, Codex 0.171.0, Gemini CLI 0.61.0 (LOG_FILE_NAME of its logger, also in its fork Qwen Code 0.24.4)
// and OpenCode 1.18.33.
var (
	claudeKeeps   = keeps{folders: []string{".claude", ".config/claude"}, histories: []string{"history.jsonl"}}
	codexKeeps    = keeps{folders: []string{".codex"}, histories: []string{"history.jsonl", "session_index.jsonl"}}
	geminiKeeps   = keeps{folders: []string{".gemini"}, histories: []string{"logs.json"}}
	qwenKeeps     = keeps{folders: []string{".qwen"}, histories: []string{"logs.json"}}
	opencodeKeeps = keeps{
		folders: []string{".local/share/opencode", ".local/state/opencode"}, histories: []string{"prompt-history.jsonl"},
	}
)

// IsAgents reports whether file is in the folder of a known agent or has the name of its prompt history. Such a file
// belongs to the agent even if it is not a session.
func IsAgents(file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	name := path.Base(file)
	for _, packed := range [...]string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	for i := range providers {
		k := &providers[i].keeps
		if slices.Contains(k.histories, name) ||
			slices.ContainsFunc(k.folders, func(folder string) bool { return strings.Contains(file, "/"+folder+"/") }) {
			return true
		}
	}
	return false
}
