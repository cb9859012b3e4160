package qwen

import (
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Detect reports whether any of the first lines of a stream or a transcript can only be Qwen Code's. Lines that are no
// JSON are passed over.
func Detect(first [][]byte) bool {
	var s scan.Scanner
	var r record
	for _, line := range first {
		s.Reset(lines.Trim(line))
		if s.Peek() == scan.KindArray { // all messages in one array
			s.Array()
			if !s.Element() {
				continue
			}
		}
		if s.Peek() == scan.KindObject && r.read(&s) && typical(&r) {
			return true
		}
	}
	return false
}

// typical reports whether no other agent writes such a record. Claude Code's stream has the same shapes; it has no
// qwen_code_version, and the ids of its messages are not those of its lines.
func typical(r *record) bool {
	if r.session.Kind != scan.KindString || r.uuid.Kind != scan.KindString {
		return false
	}
	if r.camel {
		return r.hasParts && r.rest.Get("version").Exists() || r.kind.Is("system") && r.rest.Get("systemPayload").Kind == scan.KindObject
	}
	switch string(r.kind.Body()) {
	case "system":
		return r.rest.Get("qwen_code_version").Exists()
	case "assistant":
		return r.messageID.Kind == scan.KindString && string(r.messageID.Raw) == string(r.uuid.Raw)
	}
	return false
}
