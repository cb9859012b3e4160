package events

import "time"

// UnknownTool is the name under which a call without a name is exported.
const UnknownTool = "unknown"

// ToolState is where a call stands, for ToolProgress and for results that come before the work is done.
type ToolState uint8

// The states of a call.
const (
	// ToolStateUnspecified is used for formats that have no states.
	ToolStateUnspecified ToolState = iota
	// ToolStateRunning is a call at work.
	ToolStateRunning
	// ToolStateBackground is a call whose work goes on after its result.
	ToolStateBackground
	// ToolStateCompleted is work that ended well.
	ToolStateCompleted
	// ToolStateFailed is work that failed.
	ToolStateFailed
	// ToolStateStopped is work that was stopped from outside.
	ToolStateStopped

	toolStateEnd
)

var toolStateNames = [toolStateEnd]string{"", "running", "background", "completed", "failed", "stopped"}

// String gives the wire spelling; the unspecified state is the empty string.
func (s ToolState) String() string {
	if s < toolStateEnd {
		return toolStateNames[s]
	}
	return ""
}

// ParseToolState is the inverse of [ToolState.String]; an unknown word is unspecified.
func ParseToolState(word string) ToolState {
	for s := range toolStateEnd {
		if toolStateNames[s] == word {
			return s
		}
	}
	return ToolStateUnspecified
}

// Tool is a tool call (ToolUse), its result (ToolResult) or its progress in between (ToolProgress).
//
// A source emits exactly one ToolUse for a call, at the first line that has name and input, and at most one
// ToolResult. An id that comes again after its answer, or with another body, is a new call.
type Tool struct {
	// ID is the provider's call id.
	ID string
	// Name is the tool's name as the provider spells it, without control sequences. Empty if the line names none.
	Name string
	// Target is the tool's primary argument, whole: a path, a command, a pattern. Empty if there is none.
	Target string
	// Input is the raw JSON of the arguments. Borrowed: valid until the source's next call.
	Input []byte
	// AgentType is the kind of sub-agent that the call starts, such as "Explore".
	AgentType string
	// AgentID is the provider's id of the sub-agent that the call starts (ToolUse, ToolResult, ToolProgress).
	AgentID string
	// Server is the MCP server that the tool belongs to.
	Server string
	// Asks shows that the agent program asks for leave before it runs the call (ToolUse).
	Asks bool
	// ReadOnly marks a tool that changes nothing.
	ReadOnly bool
	// Partial marks an early sight of a call whose arguments still stream, for embedded sinks: the full ToolUse follows
	// as an update. Parsers never set it.
	Partial bool
	// State is the state of the call (ToolResult, ToolProgress).
	State ToolState

	// Error marks a call that failed (ToolResult).
	Error bool
	// Err is the error's text; empty if the call did not fail.
	Err string
	// Denied marks a call that never ran: refused by a rule, a hook or the user.
	Denied bool
	// ExitCode is the exit code of a command, valid if HasExitCode.
	ExitCode    int
	HasExitCode bool
	// Summary is the first non-empty line of the output, trimmed, at most [SummaryRunes] runes.
	Summary string
	// Lines is the number of lines that the provider reports for the result, valid if HasLines.
	Lines    int
	HasLines bool
	// Output is the result's text; it may be empty, or its head alone, where the source drops texts; see [OutputHead].
	// Borrowed: valid until the source's next call.
	Output []byte
	// Size is the length of the result's text in bytes, before any cut of ours.
	Size int
	// Truncated marks an output that the agent program cut before the model saw it.
	Truncated bool
	// Batched marks a result that the agent program wrote together with those of other calls, when the last of them
	// was there, on a line of its own: the line's time is not when this call ended.
	Batched bool
	// Duration is what the provider reports; 0 if unknown.
	Duration time.Duration
}

// Arg is the preview of the target: cleaned of control bytes and escape sequences and cut to [PreviewRunes] runes.
func (t *Tool) Arg() string { return Preview(t.Target) }
