package text

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/safe"
)

// AppendLine appends one safe line that consists of parts, whatever they contain. No part can affect another.
func AppendLine(dst []byte, parts []string) []byte {
	begin := len(dst)
	for _, part := range parts {
		dst = append(dst, safe.Line(part, len(part)+1)...)
	}
	for len(dst) > begin && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// Brief returns a part of a line, cut to [events.SummaryRunes].
func Brief(s string) string {
	return strings.TrimSpace(safe.Line(strings.TrimSpace(s), events.SummaryRunes))
}

// FirstLine returns the first non-blank line of the first text that has one, cut to [events.SummaryRunes].
func FirstLine(texts ...string) string {
	for _, t := range texts {
		if line := Brief(events.Summary(t)); line != "" {
			return line
		}
	}
	return ""
}

// Colon joins a head and a detail by a colon. Without a detail it returns the head.
func Colon(head, detail string) string {
	if detail == "" {
		return head
	}
	return head + ": " + detail
}
