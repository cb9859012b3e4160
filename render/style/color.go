package style

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/text"
)

// SGROf returns the rendition of an event's lines; texts have none.
func SGROf(e *events.DisplayEvent) text.SGR {
	switch e.Kind {
	case events.KindToolUse:
		return text.SGRTool
	case events.KindToolResult, events.KindToolProgress:
		if e.Tool.Error || e.Tool.State == events.ToolStateFailed {
			return text.SGRFailure
		}
		return text.SGRDim
	case events.KindNotice:
		if e.Notice.Level == events.LevelError {
			return text.SGRFailure
		}
		return text.SGRWarning
	case events.KindSessionStarted, events.KindPhase:
		return text.SGRHead
	case events.KindTurnAborted, events.KindApprovalRequest, events.KindAskRequest:
		return text.SGRWarning
	case events.KindTurnDone, events.KindSessionEnded:
		switch {
		case failed(e.End):
			return text.SGRFailure
		case interrupted(e.End):
			return text.SGRWarning
		}
		return text.SGRGood
	case events.KindReasoning:
		return text.SGRDim
	default:
		return text.SGRNone
	}
}
