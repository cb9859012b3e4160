package events

import "time"

// DisplayEvent is one thing that an agent did. Kind determines which payload is filled; the identity fields at the top are
// filled wherever the format carries them.
type DisplayEvent struct {
	Kind Kind
	// Delta marks a piece of a Text or Reasoning. Pieces of one text share MessageID and ParentID, and are in order;
	// a text sent in pieces and then whole is emitted once only.
	Delta bool
	// Synthetic marks what the agent program said in the model's place, such as the text of an API failure.
	Synthetic bool

	// Abridged marks an event of a line that is longer than its reader keeps: long texts in it are cut.
	Abridged bool

	// Copied marks history that the format says was copied from another session, as a fork does.
	Copied bool

	// Sign is what the event shows of the end of its run, where the format has no line for that.
	Sign Sign

	// Time is the time of the line; zero if it has none.
	Time time.Time
	// SessionID is the provider's session, conversation or thread id.
	SessionID string
	// TurnID is the provider's id of the turn or prompt that the event belongs to.
	TurnID string
	// MessageID is the id of the model message (one model call) that the event is part of.
	MessageID string
	// Answer distinguishes messages with the same MessageID, from a server that repeats its ids: it is how many earlier messages
	// of the stream had the id.
	Answer int
	// ItemID is the id that the format gives to the line or item itself. Two sources of one session that share item
	// ids (Claude Code's stream and transcript do) report the same thing under the same id.
	ItemID string
	// ParentID is the id of the tool call that started the sub-agent which did this; empty on the main thread.
	ParentID string
	// AgentID is the provider's own id of that sub-agent, where known. The agent that a call starts is Tool.AgentID.
	AgentID string
	// Model is the model that produced the event, as the provider spells it.
	Model string
	// ModelProvider is who serves the model, where the format names it for each call: "anthropic", "openai".
	ModelProvider string

	// Text is the payload of Text, Reasoning, Message, Notice, Phase and Prompt, byte for byte as the agent said it.
	Text string
	// Reasoning is the whole thinking of a Message.
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
	// WorkingDir is the folder that the agent works in.
	WorkingDir string
	// PermissionMode is the provider's name for how tool calls are approved.
	PermissionMode string
	// PreviousID is the session that this one was forked from or continues.
	PreviousID string
	// ParentID is the session whose agent started this one as a sub-agent.
	ParentID string
	// SubAgent marks the session of a sub-agent, also where the format does not name its parent.
	SubAgent bool
	// Recorded marks a stream that is a record of the session, a transcript, which has prompts and no results: there
	// a prompt begins a run.
	Recorded bool
	// AgentName is the name or kind of the agent, where the format has it.
	AgentName string
	// Branch is the branch of the repository that the agent works in.
	Branch string
}

// End is the payload of TurnDone, TurnAborted and SessionEnded.
type End struct {
	// Error marks a run or turn that failed.
	Error bool
	// Interrupted marks a run or turn that the user stopped, which is no failure of the agent.
	Interrupted bool
	// Unjudged marks the end of a turn whose line does not show how it ended; what came before it does.
	Unjudged bool
	// Continues marks a run that answered no prompt, but the report of a task that the run before had started.
	Continues bool
	// Cause is why it failed; empty if nothing failed. See [End.Outcome].
	Cause Cause
	// Code is a stable name of how it ended, in the provider's spelling: "success", "error_max_turns".
	Code string
	// Result is the final answer, text or structured JSON. It is never also a Text: where it is text, the agent said it before.
	Result string
	// Err is the error text for people; empty if nothing failed.
	Err string
	// Principle is the rule that the agent refused to break (TurnAborted).
	Principle string
	// Turns is the provider's count of turns; 0 if unknown.
	Turns int
	// Duration is the wall time that the provider reports for the run; 0 if unknown.
	Duration time.Duration
	// Decided is the outcome of the run, as it is known to a consumer that received all of it, with its last messages and the exit
	// of its process. No parser sets it.
	Decided Outcome
	// Totals is what the run did in all, from a consumer that received all of it, else nil. No parser sets it.
	Totals *Totals
}

// Totals is what a run did from its beginning to its end, for consumers that may have received only a part of it.
type Totals struct {
	// ToolCalls and ToolErrors count the calls of the agent and of the sub-agents that work in its stream, and how many
	// of them failed.
	ToolCalls  int
	ToolErrors int
	// Usage is the sum of the run and of all its sub-agents; its scope is [UsageScopeRun].
	Usage Usage
	// Incomplete is true if Usage lacks what some sub-agents used, that were at work yet or whose streams were not there.
	Incomplete bool
	// Elapsed is how long it took, by the times of its events.
	Elapsed time.Duration
}

// Level grades a Notice.
type Level uint8

// The levels, mildest first.
const (
	LevelInfo Level = iota
	LevelWarn
	LevelError
)

// String gives the wire spelling: "info", "warn" or "error".
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

// ParseLevel is the inverse of [Level.String]; an unknown word is info.
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

// Notice grades and names a Notice event, whose text is in DisplayEvent.Text.
type Notice struct {
	Level Level
	// Code is a stable identifier of low cardinality, such as "api_retry" or "compaction".
	Code string
}

// Codes of notices that more than one provider gives, or that a renderer treats on its own.
const (
	NoticeAPIRetry         = "api_retry"
	NoticeCompaction       = "compaction"
	NoticeInterrupted      = "interrupted"
	NoticePermissionDenied = "permission_denied"
	NoticeHook             = "hook"
	NoticeInformational    = "informational"
)

// Approval is the payload of ApprovalRequest: a tool call that waits for permission.
type Approval struct {
	ID      string // correlates the answer
	Tool    string // tool name as the provider spells it
	Subject string // what the tool would act on
}

// Ask is the payload of AskRequest: questions to the user, and the answers once they are known.
type Ask struct {
	ID        string
	Questions []AskQuestion
	Answers   []AskAnswer
}

// AskQuestion is one question of an Ask.
type AskQuestion struct {
	ID      string // correlates the answer
	Header  string // short label
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
