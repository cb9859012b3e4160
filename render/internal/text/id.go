package text

import (
	"strings"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/safe"
)

// MaxIdentity is how many bytes of each part of an identity are kept.
const MaxIdentity = 256

// shortPart is how many runes of an id are in a label if they distinguish it.
const shortPart = 8

// Capped keeps what a long value begins with.
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

// ShortID is the part of an id that distinguishes it as a rule.
func ShortID(id string) string {
	if isTimeOrdered(id) {
		return "…" + id[len(id)-shortPart:]
	}
	return Prefix(id, shortPart)
}

// isTimeOrdered reports whether an id is a UUID of version 7, whose beginning is the minute in which it was made (RFC 9562),
// as Codex's are: two that were made together differ only in their end.
func isTimeOrdered(id string) bool {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[14] != '7' || id[18] != '-' || id[23] != '-' {
		return false
	}
	return strings.Trim(id, "0123456789abcdefABCDEF-") == ""
}

// Prefix is what a value begins with, safe to show.
func Prefix(value string, runes int) string {
	clean := []rune(Brief(value))
	if len(clean) <= runes || runes >= events.SummaryRunes {
		return string(clean)
	}
	return strings.TrimRight(string(clean[:runes]), "-_./ ")
}

// BoundedID is an id, or the beginning and the end of one that is too long to be kept. No agent makes such
// ids; an agent that did would mix up only its own lines.
func BoundedID(id string) string {
	if len(id) <= MaxIdentity {
		return id
	}
	return id[:MaxIdentity/2] + id[len(id)-MaxIdentity/2:]
}

// MaxRemembered is the longest name or target that is remembered of an open call, in bytes; no line shows more of it.
const MaxRemembered = 4 * events.SummaryRunes

// Remembered is what is kept of a part of a call.
func Remembered(s string) string {
	if len(s) > MaxRemembered {
		return safe.Line(s, events.SummaryRunes)
	}
	return s
}

// shortID is how many runes of a session id are shown.
const shortID = 8

// SessionID is the beginning of a session id.
func SessionID(id string) string {
	runes := []rune(Brief(id))
	return string(runes[:min(len(runes), shortID)])
}
