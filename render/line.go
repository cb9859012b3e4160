package render

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/safe"
)

// appendLine makes one safe line of parts, whatever they hold, and adds it to dst. No part can change another.
func appendLine(dst []byte, parts []string) []byte {
	begin := len(dst)
	for _, part := range parts {
		dst = append(dst, safe.Line(part, len(part)+1)...)
	}
	for len(dst) > begin && dst[len(dst)-1] == ' ' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// brief is a part of a line that may be long, cut to [events.SummaryRunes].
func brief(s string) string {
	return strings.TrimSpace(safe.Line(strings.TrimSpace(s), events.SummaryRunes))
}

// firstLine is the first of texts that has a line which is not blank: that line, cut to [events.SummaryRunes].
func firstLine(texts ...string) string {
	for _, t := range texts {
		if line := brief(events.Summary(t)); line != "" {
			return line
		}
	}
	return ""
}

// colon joins a head and a detail by a colon; without a detail it is the head alone.
func colon(head, detail string) string {
	if detail == "" {
		return head
	}
	return head + ": " + detail
}

// toolName is the name as the provider spells it, [events.UnknownTool] for a call without one.
func toolName(name string) string {
	if clean := brief(name); clean != "" {
		return clean
	}
	return events.UnknownTool
}
