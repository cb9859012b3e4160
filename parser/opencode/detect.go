package opencode

import (
	"bytes"

	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Detect reports whether any of the first lines of a stream can only be OpenCode's. Lines that are not JSON are
// skipped.
func Detect(firstLines [][]byte) bool {
	var s scan.Scanner
	r := newRecord()
	for _, line := range firstLines {
		s.Reset(bytes.TrimPrefix(lines.Trim(line), []byte("data:")))
		if s.Peek() == scan.KindObject && r.read(&s) && typical(r) {
			return true
		}
	}
	return false
}

// typical reports whether only OpenCode writes such a record, by the prefixes of IDs and the shape around them.
func typical(r *record) bool {
	switch {
	case r.table.Kind == scan.KindString:
		switch string(r.table.Body()) {
		case "session":
			return has(r.id, "ses_")
		case "message":
			return has(r.id, "msg_") && has(r.sessionID, "ses_")
		case "part":
			return has(r.id, "prt_") && has(r.messageID, "msg_")
		case "event":
			return has(r.id, "evt_") && has(r.aggregate, "ses_")
		}
		return false
	case r.messages.Kind == scan.KindArray && r.info.Kind == scan.KindObject:
		var s scan.Scanner
		var info sessionInfo
		s.Reset(r.info.Raw)
		info.fields("").Read(&s)
		return has(info.id, "ses_")
	case r.properties.Kind == scan.KindObject:
		return known(r.kind.Body())
	}
	switch string(r.kind.Body()) {
	case "step_start", "text", "reasoning", "tool_use", "step_finish":
		return r.hasPart && has(r.session, "ses_") && r.part.kind.Kind == scan.KindString && r.timestamp.Kind == scan.KindNumber
	case "error":
		return has(r.session, "ses_") && r.failure.Kind == scan.KindObject && r.timestamp.Kind == scan.KindNumber
	}
	return false
}

func has(id scan.Value, prefix string) bool { return bytes.HasPrefix(id.Body(), []byte(prefix)) }
