package text

import (
	"strings"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/safe"
)

// MaxIdentity is the number of bytes of each part of an identity that are kept.
const MaxIdentity = 256

// shortPart is the number of runes of an ID in a label if they distinguish it.
const shortPart = 8

// Capped returns the beginning of a long value.
func Capped(s string) string {
	s = strings.TrimSpace(s)
	if len(s) <= MaxIdentity {
		return s
	}
	end := MaxIdentity
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.Clone(s[:end])
}

// ShortID returns the part of an ID that usually distinguishes it.
func ShortID(id string) string {
	if isTimeOrdered(id) {
		return "…" + id[len(id)-shortPart:]
	}
	return Prefix(id, shortPart)
}

// isTimeOrdered reports whether an ID is a UUID of version 7, as Codex's are. Such an ID begins with the minute of its
// creation (RFC 9562), so two that were created together differ only at their end.
func isTimeOrdered(id string) bool {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[14] != '7' || id[18] != '-' || id[23] != '-' {
		return false
	}
	return strings.Trim(id, "0123456789abcdefABCDEF-") == ""
}

// Prefix returns the beginning of a value, safe to show.
func Prefix(value string, runes int) string {
	clean := []rune(Brief(value))
	if len(clean) <= runes || runes >= events.SummaryRunes {
		return string(clean)
	}
	return strings.TrimRight(string(clean[:runes]), "-_./ ")
}

// BoundedID returns an ID, or the beginning and the end of one that is too long to keep. No agent creates
// such IDs; one that did would only mix up its own lines.
func BoundedID(id string) string {
	if len(id) <= MaxIdentity {
		return id
	}
	return id[:MaxIdentity/2] + id[len(id)-MaxIdentity/2:]
}

// MaxRemembered is the maximum length of the remembered name or target of an open call, in bytes; no line shows more.
const MaxRemembered = 4 * events.SummaryRunes

// Remembered returns what is kept of a part of a call.
func Remembered(s string) string {
	if len(s) > MaxRemembered {
		return safe.Line(s, events.SummaryRunes)
	}
	return s
}

// shortID is the number of runes of a session ID that are shown.
const shortID = 8

// SessionID returns the beginning of a session ID.
func SessionID(id string) string {
	runes := []rune(Brief(id))
	return string(runes[:min(len(runes), shortID)])
}
