package claude

import "github.com/tailspan/tailspan/parser/internal/scan"

// Detect reports whether the first lines of a stream are Claude Code's: one of them can be no other agent's, and none
// before it is Qwen Code's, whose stream has the same shapes. Lines that are no JSON are passed over.
func Detect(lines [][]byte) bool {
	var s scan.Scanner
	var r record
	for _, line := range lines {
		s.Reset(trim(line))
		if s.Peek() == scan.KindArray { // all messages in one array
			s.Array()
			if !s.Element() {
				continue
			}
		}
		if s.Peek() != scan.KindObject || !r.read(&s) {
			continue
		}
		if ofQwen(&r) {
			return false
		}
		if typical(&r) {
			return true
		}
	}
	return false
}

// ofQwen reports whether Qwen Code wrote a record: its init line has its version, and its messages have the uuid
// of their line as id (seen in 0.15.10).
func ofQwen(r *record) bool {
	return r.rest.Get("qwen_code_version").Exists() ||
		len(r.uuid.Body()) > 0 && string(r.messageID.Raw) == string(r.uuid.Raw)
}

// typical reports whether no agent but Claude Code, and Qwen Code after its first lines, writes such a record.
func typical(r *record) bool {
	session := r.session.Kind == scan.KindString
	switch string(r.kind.Body()) {
	case "system":
		return r.subtype.Is("init") && (session && r.rest.Get("tools").Exists() || r.rest.Get("tools").Kind == scan.KindArray)
	case "assistant", "user":
		if !r.hasContents {
			return false
		}
		return session && (len(r.blocks) > 0 || r.contentText.Kind == scan.KindString) || len(r.blocks) > 0 && known(&r.blocks[0])
	case "result":
		return r.subtype.Kind == scan.KindString && r.rest.Get("num_turns").Exists()
	case "stream_event":
		return session && r.rest.Get("event").Kind == scan.KindObject && r.uuid.Exists()
	case "file-history-snapshot", "queue-operation", "api-request-blob":
		return true
	case "summary":
		return r.rest.Get("leafUuid").Exists()
	}
	return false
}

// known reports whether a block is one that a message can have, for lines that lost the id of their session.
func known(b *block) bool {
	switch string(b.kind.Body()) {
	case "text":
		return b.text.Kind == scan.KindString
	case "tool_use":
		return b.id.Kind == scan.KindString && b.name.Kind == scan.KindString
	case "tool_result":
		return b.toolUseID.Kind == scan.KindString
	}
	return false
}
