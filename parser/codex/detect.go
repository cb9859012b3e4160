package codex

import (
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Detect reports whether any of the first lines of a stream can only be Codex's. Lines that are not JSON are skipped.
func Detect(head [][]byte) bool {
	var s scan.Scanner
	var r record
	for _, line := range head {
		s.Reset(lines.Trim(line))
		if s.Peek() == scan.KindObject && r.read(&s) && typical(&r) {
			return true
		}
	}
	return false
}

// typical reports whether only Codex writes such a record. The bare items of R1 are those of OpenAI's API, so a
// rollout of that form is detected by its head, or by the states between its items.
func typical(r *record) bool {
	switch {
	case r.hasMsg:
		return r.top.Get("id").Kind == scan.KindString && len(r.body.Get("type").Body()) > 0
	case r.hasPayload:
		return r.timestamp.Kind == scan.KindString && typicalRollout(r)
	case r.kind.Exists():
		return typicalStream(r)
	}
	m := r.top
	switch {
	case m.Get("record_type").Is("state"):
		return true
	case r.timestamp.Kind == scan.KindString:
		return m.Get("id").Kind == scan.KindString && m.Get("instructions").Exists()
	default:
		return m.Get("workdir").Kind == scan.KindString && isConfig(m)
	}
}

func typicalRollout(r *record) bool {
	switch string(r.kind.Body()) {
	case "session_meta":
		return r.body.Get("id").Kind == scan.KindString && r.body.Get("cli_version").Exists()
	case "response_item", "event_msg":
		return r.body.Get("type").Kind == scan.KindString
	case "turn_context":
		return r.body.Get("model").Kind == scan.KindString && r.body.Get("cwd").Exists()
	case "token_usage_record", "compacted", "world_state":
		return true
	}
	return false
}

func typicalStream(r *record) bool {
	switch string(r.kind.Body()) {
	case "thread.started":
		return r.top.Get("thread_id").Kind == scan.KindString
	case "session.created": // an event of the realtime API has the same name, with the session as an object
		return r.top.Get("session_id").Kind == scan.KindString && !r.top.Get("session").Exists()
	case "turn.started":
		return len(r.top) == 0
	case "item.started", "item.updated", "item.completed":
		return r.item.Get("id").Kind == scan.KindString && r.item.AnyOf("type", "item_type").Kind == scan.KindString
	case "turn.completed":
		usage := r.top.Get("usage")
		return len(r.top) == 1 && (usage.Kind == scan.KindObject || usage.Kind == scan.KindNull)
	case "turn.failed":
		return len(r.top) == 1 && r.top.Get("error").Kind == scan.KindObject
	}
	return false
}
