package watch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// Source describes a stream of lines.
type Source struct {
	// Path is the path of its file or database.
	Path string
	// Call is the id of the call that started the sub-agent which works in it, and AgentType what it is, where a file
	// beside it says that.
	Call, AgentType string
	// Read is set once all that was there has been read.
	Read bool
}

// maxMeta bounds the file that describes a sub-agent, in bytes.
const maxMeta = 64 << 10

// readMeta reads what Claude Code writes beside the transcript of a sub-agent (2.1.332): agent-ID.meta.json. The transcript
// names its call only when that is over.
func (s *Source) readMeta(clean func(string) string) {
	folder, name := filepath.Split(s.Path)
	stem, isLines := strings.CutSuffix(name, ".jsonl")
	if s.Call != "" || !isLines || !strings.HasPrefix(name, "agent-") {
		return
	}
	path := filepath.Join(folder, stem+".meta.json")
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxMeta {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	var meta struct{ AgentType, ToolUseID string }
	if json.Unmarshal(data, &meta) == nil { // else it is being written
		s.Call, s.AgentType = meta.ToolUseID, line(clean(meta.AgentType))
	}
}
