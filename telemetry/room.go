package telemetry

import "github.com/tailspan/tailspan/events"

// Attributes are most of what a record weighs: 40 bytes each in a list that would grow by doubling. So the room for them
// is made at once, as large as it has to be. Where a count is short the list grows; nothing else comes of it.

// stampAttributes are those of every record that its event does not have: see [Stream.stamp] and [Stream.record].
const stampAttributes = 4

// Room for the attributes of spans: what such a span has as a rule, and its error type or exit code.
const (
	callAttributes  = 12
	chatAttributes  = 14
	agentAttributes = 20
)

// attributesOf is how many attributes the record of ev has, or a few more.
func attributesOf(ev *events.DisplayEvent) int {
	n := stampAttributes + nonEmpty(ev.SessionID, ev.TurnID, ev.MessageID, ev.ItemID, ev.ParentID, ev.AgentID, ev.Model, ev.ModelProvider)
	switch ev.Kind {
	case events.KindToolUse, events.KindToolResult, events.KindToolProgress:
		return n + toolAttributes(ev)
	case events.KindUsage:
		return n + 7
	case events.KindTurnDone, events.KindTurnAborted, events.KindSessionEnded, events.KindSessionStarted, events.KindTurnStarted:
		return n + 5
	case events.KindNotice, events.KindPhase, events.KindApprovalRequest, events.KindAskRequest:
		return n + 3
	default:
		return n + 1
	}
}

func toolAttributes(ev *events.DisplayEvent) int {
	t := &ev.Tool
	n := 2 + nonEmpty(t.Target, t.AgentType, t.AgentID, t.Server)
	if ev.Kind == events.KindToolUse {
		return n + 1 // read only, or partial
	}
	if ev.Kind == events.KindToolResult {
		n++ // the kind of the tool
	}
	n += nonEmpty(t.Err, t.Summary)
	for _, has := range [...]bool{t.Error, t.Denied, t.HasExitCode, t.HasLines, t.Size > 0, t.Truncated, t.Duration > 0, t.State != 0} {
		if has {
			n++
		}
	}
	return n
}

// nonEmpty counts the texts that are not empty.
func nonEmpty(texts ...string) (n int) {
	for _, s := range texts {
		if s != "" {
			n++
		}
	}
	return n
}
