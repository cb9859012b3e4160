package events

import "time"

// UnknownTool is the exported name of a call without a name.
const UnknownTool = "unknown"

// ToolState is the state of a call, for ToolProgress, for results that arrive before the work is done, and for calls of a server's answer.
type ToolState uint8

// The states of a call.
const (
	// ToolStateUnspecified is for formats that have no states.
	ToolStateUnspecified ToolState = iota
	// ToolStateRunning is a call that is running.
	ToolStateRunning
	// ToolStateBackground is a call whose work continues after its result.
	ToolStateBackground
	// ToolStateCompleted is work that succeeded.
	ToolStateCompleted
	// ToolStateFailed is work that failed.
	ToolStateFailed
	// ToolStateStopped is work that was stopped from outside the agent.
	ToolStateStopped
	// ToolStateRequested is a call that a server's answer asks its client to run (ToolUse). The format has no result.
	ToolStateRequested

	toolStateEnd
)

var toolStateNames = [toolStateEnd]string{"", "running", "background", "completed", "failed", "stopped", "requested"}

// String returns the wire spelling; the unspecified state is the empty string.
func (s ToolState) String() string {
	if s < toolStateEnd {
		return toolStateNames[s]
	}
	return ""
}

// ParseToolState is the inverse of [ToolState.String]. An unknown word yields the unspecified state.
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
// A source emits exactly one ToolUse for a call, at the first line with its name and input, and at most one
// ToolResult. If an ID recurs after its result, or with a different body, it is a new call.
type Tool struct {
	// ID is the provider's call ID.
	ID string
	// Name is the tool's name in the provider's spelling, without control sequences. Empty if the line has none.
	Name string
	// Target is the tool's primary argument, uncut: a path, a command, a pattern. Empty if there is none.
	Target string
	// Input is the raw JSON of the arguments. Borrowed: valid until the source's next call.
	Input []byte
	// AgentType is the kind of sub-agent that the call starts, such as "Explore".
	AgentType string
	// AgentID is the provider's ID of the sub-agent that the call starts (ToolUse, ToolResult, ToolProgress).
	AgentID string
	// Server is the MCP server that the tool belongs to.
	Server string
	// Asks marks a call for which the agent program asks for permission first (ToolUse).
	Asks bool
	// ReadOnly marks a tool that changes nothing.
	ReadOnly bool
	// Partial marks an early view of a call whose arguments are still streaming, for embedded sinks. The complete
	// ToolUse follows as an update. Parsers never set it.
	Partial bool
	// State is the state of the call (ToolResult, ToolProgress; ToolUse only if requested).
	State ToolState

	// Error marks a call that failed (ToolResult).
	Error bool
	// Err is the error text; empty if the call did not fail.
	Err string
	// Denied marks a call that was never run because a rule, a hook or the user refused it.
	Denied bool
	// ExitCode is the exit code of a command, valid if HasExitCode.
	ExitCode    int
	HasExitCode bool
	// Summary is the first non-empty line of the output, trimmed, at most [SummaryRunes] runes.
	Summary string
	// Lines is the number of lines that the provider reports for the result, valid if HasLines.
	Lines    int
	HasLines bool
	// Output is the result's text. If the source drops texts, it is empty or only the head; see [OutputHead].
	// Borrowed: valid until the source's next call.
	Output []byte
	// Size is the length of the result's text in bytes, before we cut anything.
	Size int
	// Truncated marks an output that the agent program cut before the model received it.
	Truncated bool
	// Batched marks a result that the agent program wrote together with the results of other calls, after the last
	// of them ended, but on its own line: the time of the line is not the end of this call.
	Batched bool
	// Duration is the duration that the provider reports; 0 if unknown.
	Duration time.Duration
}

// Arg returns a preview of the target, without control bytes and escape sequences, cut to [PreviewRunes] runes.
func (t *Tool) Arg() string { return Preview(t.Target) }
