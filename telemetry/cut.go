package telemetry

import (
	"strings"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
)

// errTextRunes bounds error texts in attributes and status messages, in runes.
const errTextRunes = 1024

func toolName(name string) string {
	if name == "" {
		return events.UnknownTool
	}
	return name
}

// cutTarget cuts a target to limit runes: a path loses its beginning, since its end says more, anything else its end.
func cutTarget(s string, limit int) string {
	if limit <= 0 || len(s) <= limit {
		return s
	}
	if !longer(s, limit) {
		return s
	}
	if !looksLikePath(s) {
		return events.CutRunes(s, limit)
	}
	i := len(s)
	for range limit - 1 {
		_, n := utf8.DecodeLastRuneInString(s[:i])
		i -= n
	}
	return "…" + s[i:]
}

// longer reports whether s has more than limit runes. Of a long one it counts no more than it has to.
func longer(s string, limit int) bool {
	for range s {
		if limit--; limit < 0 {
			return true
		}
	}
	return false
}

// looksLikePath takes one word with a separator for a path.
func looksLikePath(s string) bool {
	// In that order: a command has a space near its beginning, and may have no separator at all.
	return !strings.ContainsAny(s, " \t\n\"'|;&<>") && strings.ContainsAny(s, `/\`) && !strings.Contains(s, "://")
}

// cutLater keeps of a content what its limit leaves of it, and one byte more: so that it is marked when it is cut.
func cutLater(content []byte, limit int) string {
	return string(content[:min(len(content), limit+1)])
}

// validUTF8 is s with a replacement character where it is no UTF-8.
func validUTF8(s string) string { return strings.ToValidUTF8(s, string(utf8.RuneError)) }

// cutBytes cuts s to at most limit bytes, never inside a rune; limit 0 means none.
func cutBytes(s string, limit int) (string, bool) {
	if limit <= 0 || len(s) <= limit {
		return s, false
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit], true
}
