package gemini

import (
	"strings"

	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Detect reports whether any of the first lines of a stream, or the document that it consists of, can only be Gemini
// CLI's. Lines that are not JSON are skipped.
func Detect(head [][]byte) bool {
	var s scan.Scanner
	var r record
	r.bind()
	for _, line := range head {
		s.Reset(lines.Trim(line))
		if s.Peek() == scan.KindObject && r.read(&s) && typical(&r) {
			return true
		}
	}
	return false
}

// typical reports whether only Gemini CLI writes such a record.
func typical(r *record) bool {
	timed := r.timestamp.Kind == scan.KindString
	switch {
	case r.set.value.Kind == scan.KindObject:
		return r.set.updated.Exists() || r.set.sessionID.Exists() || r.set.messages.Exists()
	case r.rewind.Kind == scan.KindString:
		return true
	case r.id.Kind == scan.KindString:
		return timed && r.kind.Is("gemini")
	case r.sessionID.Kind == scan.KindString:
		return r.projectHash.Kind == scan.KindString && r.started.Kind == scan.KindString
	case r.kind.Kind == scan.KindString:
		return timed && typicalLine(r)
	}
	return typicalReport(r)
}

// typicalLine reports whether a record is a line of the stream, by fields that are always present.
func typicalLine(r *record) bool {
	switch string(r.kind.Body()) {
	case "init":
		return r.session.Kind == scan.KindString && r.model.Kind == scan.KindString
	case "message":
		return (r.role.Is("assistant") || r.role.Is("user")) && r.content.plain.Kind == scan.KindString
	case "tool_use":
		return r.toolName.Kind == scan.KindString && r.toolID.Kind == scan.KindString
	case "tool_result":
		return r.toolID.Kind == scan.KindString && r.status.Kind == scan.KindString
	case "error":
		return r.severity.Kind == scan.KindString && r.message.Kind == scan.KindString
	case "result":
		return r.status.Kind == scan.KindString && r.stats.Kind == scan.KindObject
	}
	return false
}

// typicalReport reports whether a record is the document of --output-format json: it has statistics by model, or an error and a session ID.
func typicalReport(r *record) bool {
	if r.stats.Kind != scan.KindObject {
		return r.session.Kind == scan.KindString && r.failure.kind.Kind == scan.KindString && r.failure.message.Kind == scan.KindString
	}
	var s scan.Scanner
	m := s.MembersOf(r.stats, nil)
	return m.Get("models").Kind == scan.KindObject && (m.Get("tools").Kind == scan.KindObject || m.Get("files").Kind == scan.KindObject)
}

// ParentSession returns the session to which the sub-agent's transcript at path belongs, or "". A session's
// transcript is in chats, those of its sub-agents in chats/<session ID>.
func ParentSession(path string) string {
	folders := strings.Split(strings.ReplaceAll(path, `\`, "/"), "/")
	if n := len(folders); n >= 3 && folders[n-3] == "chats" {
		return folders[n-2]
	}
	return ""
}
