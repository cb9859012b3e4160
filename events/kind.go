package events

import "fmt"

// Kind is the kind of an event. It determines which fields of the event are set. The numbers are part of the
// wire format: add new kinds at the end and never renumber existing ones.
type Kind uint8

const (
	// KindUnspecified is the zero value. No source emits it.
	KindUnspecified Kind = iota
	// KindText is what the agent said: a complete text, or a piece of one (Delta).
	KindText
	// KindToolUse is a tool call, emitted once its name and input are known.
	KindToolUse
	// KindToolResult is the result of a tool call.
	KindToolResult
	// KindReasoning is the model's reasoning, complete or a piece (Delta), if the format exposes it.
	KindReasoning
	// KindMessage closes a text whose pieces came before. Text holds all of it, Reasoning the complete reasoning.
	KindMessage
	// KindUsage carries tokens, and the cost if known.
	KindUsage
	// KindNotice is a message from the agent program itself: a retry, a compaction, a warning.
	KindNotice
	// KindPhase marks a boundary inside a run, such as the change from planning to executing.
	KindPhase
	// KindSessionStarted opens a run. Session holds the model, version and working directory.
	KindSessionStarted
	// KindTurnStarted opens a turn within a session, in formats that mark turns.
	KindTurnStarted
	// KindTurnDone ends a turn, whether it succeeded or failed (End).
	KindTurnDone
	// KindTurnAborted ends a turn that the agent refused on principle (End.Principle). It is not a failure.
	KindTurnAborted
	// KindSessionEnded ends a run (End).
	KindSessionEnded
	// KindApprovalRequest asks for permission to run a tool (Approval).
	KindApprovalRequest
	// KindAskRequest asks the user questions (Ask).
	KindAskRequest
	// KindToolProgress reports on an open call, or the end of a call that runs in the background.
	KindToolProgress
	// KindPrompt is input to the model: a user's prompt, or text that the program inserted in the user's name.
	KindPrompt

	kindEnd
)

// kindNames are the wire names, in the order of the constants.
var kindNames = [kindEnd]string{
	"unspecified", "text", "tool_use", "tool_result", "reasoning", "message", "usage", "notice", "phase",
	"session_start", "turn_start", "turn_done", "turn_aborted", "session_end", "approval_request", "ask_request",
	"tool_progress", "prompt",
}

// String returns the wire name, such as "tool_use", or "kind(N)" for an unknown number.
func (k Kind) String() string {
	if k < kindEnd {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// ParseKind is the inverse of [Kind.String]. It returns false for an unknown name.
func ParseKind(name string) (Kind, bool) {
	for k := KindText; k < kindEnd; k++ {
		if kindNames[k] == name {
			return k, true
		}
	}
	return KindUnspecified, false
}

// Kinds returns every kind except KindUnspecified, in wire order.
func Kinds() []Kind {
	kinds := make([]Kind, 0, kindEnd-1)
	for k := KindText; k < kindEnd; k++ {
		kinds = append(kinds, k)
	}
	return kinds
}
