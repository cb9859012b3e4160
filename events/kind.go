package events

import "fmt"

// Kind is what an event is about. It determines which fields of the event are filled.
// The numbers are wire-stable: a new kind goes to the end, an old one never moves.
type Kind uint8

const (
	// KindUnspecified is the zero value; no source emits it.
	KindUnspecified Kind = iota
	// KindText is what the agent said: a complete text, or a piece of one (Delta).
	KindText
	// KindToolUse is a tool call, seen with name and input.
	KindToolUse
	// KindToolResult is the answer to a tool call.
	KindToolResult
	// KindReasoning is thinking that the format shows, complete or a piece (Delta).
	KindReasoning
	// KindMessage closes a text whose pieces went before: Text holds all of it, Reasoning the thinking.
	KindMessage
	// KindUsage carries tokens, and cost where known.
	KindUsage
	// KindNotice is word from the agent program itself: a retry, a compaction, a warning.
	KindNotice
	// KindPhase marks a boundary inside a run, such as planning to executing.
	KindPhase
	// KindSessionStarted opens a run: Session holds model, version, folder.
	KindSessionStarted
	// KindTurnStarted opens a turn within a session, in formats that mark turns.
	KindTurnStarted
	// KindTurnDone ends a turn, well or not (End).
	KindTurnDone
	// KindTurnAborted ends a turn that the agent refused on principle (End.Principle); it is no failure.
	KindTurnAborted
	// KindSessionEnded ends a run (End).
	KindSessionEnded
	// KindApprovalRequest asks for leave to run a tool (Approval).
	KindApprovalRequest
	// KindAskRequest puts questions to the user (Ask).
	KindAskRequest
	// KindToolProgress reports a call between its start and its end, or the end of one in the background.
	KindToolProgress
	// KindPrompt is what went to the model: a user's prompt, or a text that the program put in their name.
	KindPrompt

	kindEnd
)

// kindNames are the wire names, in the order of the constants.
var kindNames = [kindEnd]string{
	"unspecified", "text", "tool_use", "tool_result", "reasoning", "message", "usage", "notice", "phase",
	"session_start", "turn_start", "turn_done", "turn_aborted", "session_end", "approval_request", "ask_request",
	"tool_progress", "prompt",
}

// String gives the wire name, such as "tool_use"; "kind(N)" for a number this version does not know.
func (k Kind) String() string {
	if k < kindEnd {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// ParseKind is the inverse of [Kind.String]. It reports false for a name it does not know.
func ParseKind(name string) (Kind, bool) {
	for k := KindText; k < kindEnd; k++ {
		if kindNames[k] == name {
			return k, true
		}
	}
	return KindUnspecified, false
}

// Kinds lists every kind but the unspecified one, in wire order.
func Kinds() []Kind {
	kinds := make([]Kind, 0, kindEnd-1)
	for k := KindText; k < kindEnd; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}
