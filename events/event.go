package events

import "time"

// DisplayEvent is one thing that an agent did. Kind determines which payload is set. The identity fields at the top are
// set whenever the format provides them.
type DisplayEvent struct {
	Kind Kind
	// Delta marks a piece of a Text or Reasoning. The pieces of one text share MessageID and ParentID and arrive in
	// order. A text that is sent in pieces and then whole is emitted only once.
	Delta bool
	// Synthetic marks text that the agent program wrote in place of the model, such as the text of an API failure.
	Synthetic bool

	// Abridged marks an event whose line exceeded the reader's size limit: long texts in it are cut.
	Abridged bool

	// Copied marks history that was copied from another session, as a fork does, if the format says so.
	Copied bool

	// Sign describes what the event shows about the end of its run, in formats that have no line for the end.
	Sign Sign

	// Time is the time of the line, or zero if the line has none.
	Time time.Time
	// SessionID is the provider's session, conversation or thread ID.
	SessionID string
	// TurnID is the provider's ID of the turn or prompt that the event belongs to.
	TurnID string
	// MessageID is the ID of the model message (one model call) that the event is part of.
	MessageID string
	// Answer distinguishes messages with the same MessageID, from a server that reuses IDs. It is the number of earlier messages
	// with that ID in the stream.
	Answer int
	// ItemID is the ID that the format gives to the line or item itself. If two sources of one session share item
	// IDs, as Claude Code's stream and transcript do, they report the same thing under the same ID.
	ItemID string
	// ParentID is the ID of the tool call that started the sub-agent which did this; empty on the main thread.
	ParentID string
	// AgentID is the provider's own ID of that sub-agent, if known. Tool.AgentID identifies the agent that a call starts.
	AgentID string
	// Model is the provider's name of the model that produced the event.
	Model string
	// ModelProvider names the service behind the model, if the format names it for each call: "anthropic", "openai".
	ModelProvider string

	// Text is the payload of Text, Reasoning, Message, Notice, Phase and Prompt, byte for byte as in the source.
	Text string
	// Reasoning is the complete reasoning of a Message.
	Reasoning string

	Tool     Tool      // ToolUse, ToolResult, ToolProgress
	Usage    *Usage    // Usage
	Notice   Notice    // Notice
	Session  *Session  // SessionStarted
	End      *End      // TurnDone, TurnAborted, SessionEnded
	Approval *Approval // ApprovalRequest
	Ask      *Ask      // AskRequest
}

// Session is the payload of SessionStarted. All fields are optional.
type Session struct {
	// Version is the version of the agent program, such as "2.1.332".
	Version string
	// WorkingDir is the working directory of the agent.
	WorkingDir string
	// PermissionMode is the provider's name for the way tool calls are approved.
	PermissionMode string
	// PreviousID is the session that this one was forked from or continues.
	PreviousID string
	// ParentID is the session whose agent started this one as a sub-agent.
	ParentID string
	// SubAgent marks the session of a sub-agent, even if the format does not name its parent.
	SubAgent bool
	// Recorded marks a transcript: a stream that records prompts but no results, so that each prompt begins a run.
	Recorded bool
	// AgentName is the name or kind of the agent, if the format has one.
	AgentName string
	// Branch is the branch of the repository that the agent works in.
	Branch string
}

// End is the payload of TurnDone, TurnAborted and SessionEnded.
type End struct {
	// Error marks a run or turn that failed.
	Error bool
	// Interrupted marks a run or turn that the user stopped. That is not a failure of the agent.
	Interrupted bool
	// Unjudged marks the end of a turn whose own line does not show how it ended; the events before it do.
	Unjudged bool
	// Continues marks a run that handled the report of a task started by the previous run, not a prompt.
	Continues bool
	// Cause is the reason for the failure; empty if nothing failed. See [End.Outcome].
	Cause Cause
	// Code is a stable name of the result, in the provider's spelling: "success", "error_max_turns".
	Code string
	// Result is the final answer, text or structured JSON. It is never also a Text: a textual answer was already emitted as one.
	Result string
	// Err is the error message for people; empty if nothing failed.
	Err string
	// Principle is the rule that the agent refused to break (TurnAborted).
	Principle string
	// Turns is the number of turns that the provider reports; 0 if unknown.
	Turns int
	// Duration is the wall time that the provider reports for the run; 0 if unknown.
	Duration time.Duration
	// Decided is the outcome as determined by a consumer that received the whole run, with its last messages and the exit of its
	// process. Parsers never set it.
	Decided Outcome
	// Totals summarizes the whole run, from a consumer that received all of it; otherwise nil. Parsers never set it.
	Totals *Totals
}

// Totals summarizes a whole run, for consumers that may have received only a part of it.
type Totals struct {
	// ToolCalls and ToolErrors count the calls, and the failed calls, of the agent and of the sub-agents that write to
	// its stream.
	ToolCalls  int
	ToolErrors int
	// Usage is the sum over the run and all its sub-agents; its scope is [UsageScopeRun].
	Usage Usage
	// Incomplete is true if Usage lacks some sub-agents, which were still running or whose streams were missing.
	Incomplete bool
	// Elapsed is the duration of the run by the times of its events.
	Elapsed time.Duration
}

// Level is the severity of a Notice.
type Level uint8

// The levels, in order of increasing severity.
const (
	LevelInfo Level = iota
	LevelWarn
	LevelError
)

// String returns the wire spelling: "info", "warn" or "error".
func (l Level) String() string {
	switch l {
	case LevelWarn:
		return "warn"
	case LevelError:
		return "error"
	default:
		return "info"
	}
}

// ParseLevel is the inverse of [Level.String]. It returns info for an unknown word.
func ParseLevel(word string) Level {
	switch word {
	case "warn":
		return LevelWarn
	case "error":
		return LevelError
	default:
		return LevelInfo
	}
}

// Notice holds the level and code of a Notice event. The text is in DisplayEvent.Text.
type Notice struct {
	Level Level
	// Code is a stable identifier of low cardinality, such as "api_retry" or "compaction".
	Code string
}

// Codes of notices that several providers emit or that a renderer handles specially.
const (
	NoticeAPIRetry         = "api_retry"
	NoticeCompaction       = "compaction"
	NoticeInterrupted      = "interrupted"
	NoticePermissionDenied = "permission_denied"
	NoticeHook             = "hook"
	NoticeInformational    = "informational"
)

// Approval is the payload of ApprovalRequest: a tool call that is waiting for permission.
type Approval struct {
	ID      string // correlates the request with the answer
	Tool    string // tool name in the provider's spelling
	Subject string // what the tool would work on, such as a command or a path
}

// Ask is the payload of AskRequest: questions to the user, and the answers once they are known.
type Ask struct {
	ID        string
	Questions []AskQuestion
	Answers   []AskAnswer
}

// AskQuestion is one question of an Ask.
type AskQuestion struct {
	ID      string // correlates the question with its answer
	Header  string // a short title
	Prompt  string // the question
	Options []AskOption
	Multi   bool // more than one option may be chosen
}

// AskOption is one choice of a question.
type AskOption struct {
	Label       string
	Description string
}

// AskAnswer is the reply to one question: the labels chosen, or one free text.
type AskAnswer struct {
	QuestionID string
	Selected   []string
}
