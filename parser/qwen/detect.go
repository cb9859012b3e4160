package qwen

import (
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// Detect reports whether any of the first lines of a stream or transcript can only be Qwen Code's. Lines that are not
// JSON are skipped.
func Detect(first [][]byte) (found bool) {
	sdkstream.Each(first, lines.Trim, func(r *sdkstream.Envelope) bool {
		found = typical(r)
		return !found
	})
	return found
}

// typical reports whether only Qwen Code writes such a record. Claude Code's stream has the same shapes, but no
// qwen_code_version, and its message IDs differ from those of its lines.
func typical(r *sdkstream.Envelope) bool {
	if r.Session.Kind != scan.KindString || r.UUID.Kind != scan.KindString {
		return false
	}
	if r.Transcript {
		return r.Message.Parts && r.Rest.Get("version").Exists() || r.Kind.Is("system") && r.Rest.Get("systemPayload").Kind == scan.KindObject
	}
	switch string(r.Kind.Body()) {
	case "system":
		return r.Rest.Get("qwen_code_version").Exists()
	case "assistant":
		return r.Message.ID.Kind == scan.KindString && string(r.Message.ID.Raw) == string(r.UUID.Raw)
	}
	return false
}
