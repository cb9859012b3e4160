package text

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/safe"
)

// AppendLine makes one safe line of parts, whatever they hold, and adds it to dst. No part can change another.
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

// Brief is a part of a line that may be long, cut to [events.SummaryRunes].
func Brief(s string) string {
	return strings.TrimSpace(safe.Line(strings.TrimSpace(s), events.SummaryRunes))
}

// FirstLine is the first of texts that has a line which is not blank: that line, cut to [events.SummaryRunes].
func FirstLine(texts ...string) string {
	for _, t := range texts {
		if line := Brief(events.Summary(t)); line != "" {
			return line
		}
	}
	return ""
}

// Colon joins a head and a detail by a colon; without a detail it is the head alone.
func Colon(head, detail string) string {
	if detail == "" {
		return head
	}
	return head + ": " + detail
}
