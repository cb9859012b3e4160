package claude

import (
	"strings"

	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// Detect reports whether Claude Code wrote the first lines of a stream. One of the lines must be unique to it, and
// none before it may be Qwen Code's, whose stream has the same shapes. Lines that are not JSON are skipped.
func Detect(lines [][]byte) (found bool) {
	sdkstream.Each(lines, trim, func(r *sdkstream.Envelope) bool {
		if ofQwen(r) {
			return false
		}
		found = typical(r)
		return !found
	})
	return found
}

// ofQwen reports whether Qwen Code wrote a record: its init line has qwen_code_version, and its messages use the
// uuid of their line as their ID (seen in 0.15.10).
func ofQwen(r *sdkstream.Envelope) bool {
	return r.Rest.Get("qwen_code_version").Exists() ||
		len(r.UUID.Body()) > 0 && string(r.Message.ID.Raw) == string(r.UUID.Raw)
}

// typical reports whether only Claude Code, or Qwen Code after its first lines, writes such a record.
func typical(r *sdkstream.Envelope) bool {
	session := r.Session.Kind == scan.KindString
	switch string(r.Kind.Body()) {
	case "system":
		return r.Subtype.Is("init") && (session && r.Rest.Get("tools").Exists() || r.Rest.Get("tools").Kind == scan.KindArray)
	case "assistant", "user":
		if !r.Message.Object || r.Message.Parts { // Qwen Code's transcripts have parts
			return false
		}
		return session && (len(r.Message.Blocks) > 0 || r.Message.Text.Kind == scan.KindString) || len(r.Message.Blocks) > 0 && known(&r.Message.Blocks[0])
	case "result":
		return r.Subtype.Kind == scan.KindString && r.Rest.Get("num_turns").Exists()
	case "stream_event":
		return session && r.Rest.Get("event").Kind == scan.KindObject && r.UUID.Exists()
	case "file-history-snapshot", "queue-operation", "api-request-blob":
		return true
	case "summary":
		return r.Rest.Get("leafUuid").Exists()
	}
	return false
}

// known reports whether a block has a type known in messages, for lines that lack a session ID.
func known(b *sdkstream.Block) bool {
	switch string(b.Kind.Body()) {
	case "text":
		return b.Text.Kind == scan.KindString
	case "tool_use":
		return b.ID.Kind == scan.KindString && b.Name.Kind == scan.KindString
	case "tool_result":
		return b.ToolUseID.Kind == scan.KindString
	}
	return false
}

// Group returns the workflow of the agent whose transcript is at path, or "". The transcripts of a workflow's agents are
// in <session>/subagents/workflows/<workflow>, and nothing in them names the call that started the workflow.
func Group(path string) string {
	folders := strings.Split(strings.ReplaceAll(path, `\`, "/"), "/")
	if n := len(folders); n >= 4 && folders[n-4] == "subagents" && folders[n-3] == "workflows" {
		return folders[n-2]
	}
	return ""
}
