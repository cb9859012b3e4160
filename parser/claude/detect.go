package claude

import "github.com/tailspan/tailspan/parser/internal/scan"

// Detect reports whether any of the first lines of a stream can only be Claude Code's. Lines that are no JSON are passed
// over.
func Detect(lines [][]byte) bool {
	var s scan.Scanner
	var r record
	for _, line := range lines {
		s.Reset(trimMark(line))
		if s.Peek() == scan.KindArray { // all messages in one array
			s.Array()
			if !s.Element() || s.Peek() != scan.KindObject {
				continue
			}
		}
		if s.Peek() == scan.KindObject && r.read(&s) && typical(&r) {
			return true
		}
	}
	return false
}

// typical reports whether no other agent writes such a record. Qwen Code's stream has the same shapes, but tells its
// version in the init line and gives a message the uuid of its line as id.
func typical(r *record) bool {
	session := r.session.Kind == scan.KindString
	switch string(r.kind.Body()) {
	case "system":
		return r.subtype.Is("init") && session && !r.rest.get("qwen_code_version").Exists() && r.rest.get("tools").Exists()
	case "assistant", "user":
		if !r.hasContents || r.messageID.Exists() && string(r.messageID.Raw) == string(r.uuid.Raw) {
			return false
		}
		return session && (len(r.blocks) > 0 || r.contentText.Kind == scan.KindString)
	case "result":
		return r.subtype.Kind == scan.KindString && session && r.rest.get("num_turns").Exists()
	case "stream_event":
		return session && r.rest.get("event").Kind == scan.KindObject && r.uuid.Exists()
	case "file-history-snapshot", "queue-operation", "api-request-blob":
		return true
	case "summary":
		return r.rest.get("leafUuid").Exists()
	}
	return false
}
