package style

import "github.com/tailspan/tailspan/events"

// Action is what a throttle does with an event.
type Action uint8

// The actions.
const (
	ActionSilent Action = iota // emit it immediately: it shows nothing
	ActionHold                 // emit it if the gate is open, otherwise hold the newest
	ActionPass                 // emit it immediately, after a held one
)

// ActivityAction returns what a throttle does with an event of the activity style, if reasoning and results are shown or not: it
// holds tool lines and passes everything else immediately.
func ActivityAction(e *events.DisplayEvent, reasoning, results bool) Action {
	shown := false
	switch e.Kind {
	case events.KindToolUse:
		if !e.Tool.Partial {
			return ActionHold
		}
	case events.KindToolResult:
		if results {
			return ActionHold
		}
	case events.KindText:
		shown = e.Text != ""
	case events.KindReasoning:
		shown = reasoning && e.Text != ""
	case events.KindNotice:
		shown = e.Notice.Code == events.NoticeAPIRetry || noticeHead(e.Notice.Level) != ""
	case events.KindTurnDone:
		shown = failed(e.End)
	case events.KindAskRequest:
		shown = len(questions(e.Ask)) > 0
	case events.KindPhase, events.KindSessionStarted, events.KindTurnAborted, events.KindSessionEnded, events.KindApprovalRequest:
		shown = true
	}
	if shown {
		return ActionPass
	}
	return ActionSilent
}
