package content

import (
	"time"

	"github.com/tailspan/tailspan/events"
)

// StartsSession reports whether ev starts a session that is not a sub-agent's. That of a sub-agent may begin before its
// parent is known.
func StartsSession(ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindSessionStarted && (ev.Session == nil || !ev.Session.SubAgent && ev.Session.ParentID == "")
}

// Ends reports whether ev ends the run.
func Ends(ev *events.DisplayEvent) bool {
	switch ev.Kind {
	case events.KindSessionEnded, events.KindTurnDone, events.KindTurnAborted:
		return ev.ParentID == ""
	default:
		return false
	}
}

// ModelWorks reports whether ev shows model activity on the main thread.
func ModelWorks(ev *events.DisplayEvent) bool { return ev.ParentID == "" && Speaks(ev.Kind) }

// ModelSaid reports whether ev is part of a model message of the main thread, which identifies the run.
func ModelSaid(ev *events.DisplayEvent) bool {
	return ev.MessageID != "" && ev.ParentID == ""
}

// ByProgram reports whether the program writes an event by itself or in the user's name, such as a compaction. It is no work.
func ByProgram(ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindNotice || ev.Kind == events.KindPrompt && ev.Synthetic
}

// IsHeader reports whether an event is the header of a transcript.
func IsHeader(ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindSessionStarted && ev.Session != nil && ev.Session.Recorded
}

// Asks reports whether an event asks the model for something: a prompt of the user, or the start of a stream on standard output.
func Asks(ev *events.DisplayEvent) bool {
	if ev.Kind == events.KindPrompt {
		return !ev.Synthetic && ev.ParentID == ""
	}
	return StartsSession(ev) && !IsHeader(ev)
}

// IsAside reports whether an event is a notice of the program that shows no prompt, model call or failure.
func IsAside(ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindNotice && ev.Notice.Level != events.LevelError && ev.Notice.Code != events.NoticeAPIRetry &&
		ev.Sign == (events.Sign{}) && ev.ParentID == ""
}

// CostAlone reports whether an event is only the cost of earlier work.
func CostAlone(ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindUsage && ev.Usage != nil && ev.Usage.CostAlone()
}

// HasTokens reports whether an event is usage of a model.
func HasTokens(ev *events.DisplayEvent) bool {
	return ev.Kind == events.KindUsage && ev.Usage != nil && ev.Usage.Tokens != (events.Tokens{})
}

// Reported returns the time that an event reports for what it ends, which began at its floor.
func Reported(ev *events.DisplayEvent) (d time.Duration) {
	switch {
	case ev.Kind == events.KindToolResult && ev.Tool.State != events.ToolStateBackground:
		d = ev.Tool.Duration
	case Ends(ev) && ev.End != nil:
		d = ev.End.Duration
	}
	if !events.PlausibleDuration(d) {
		return 0
	}
	return d
}

// InBatch reports whether the result at index i was written together with others when the last of them was ready: its
// parser marks it, or it shares its time with another result of its line. Two lines with the same time prove nothing,
// because both may be right.
func InBatch(evs []events.DisplayEvent, i int) bool {
	if evs[i].Tool.Batched {
		return true
	}
	for j := range evs {
		if j != i && evs[j].Kind == events.KindToolResult && evs[j].Time.Equal(evs[i].Time) {
			return true
		}
	}
	return false
}

// Speaks reports whether the model says something with events of a kind.
func Speaks(kind events.Kind) bool {
	switch kind {
	case events.KindText, events.KindReasoning, events.KindMessage, events.KindToolUse:
		return true
	default:
		return false
	}
}

// IsText reports whether ev is something that the model said.
func IsText(ev *events.DisplayEvent) bool {
	return (ev.Kind == events.KindText || ev.Kind == events.KindReasoning) && ev.ParentID == ""
}
