package report

import (
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Span holds what a run, a sub-agent, a model call and a tool call have in common.
type Span struct {
	ID         string // in the report: the first digits of the trace ID, then the span ID, hexadecimal
	Start, End time.Time
	Failed     bool
	ErrorType  string // such as "tool_error", "rate_limit"
	Problem    string // what went wrong, one line
	Closed     otlp.CloseReason
}

// Duration returns how long the span took.
func (s *Span) Duration() time.Duration { return s.End.Sub(s.Start) }

// Run is one run of an agent, with its sub-agents.
type Run struct {
	Agent
	Origin
	Totals
	TraceID, Key, SessionID string
	Prompt                  string   // first line of the prompt
	LastWords               *Content // its result, or the last text of its agent
	ExitCode, ProcessSignal string
	Verdict                 verdict.Verdict
	Problems                []Problem
	LostCaller              bool // a sub-agent whose caller is not in the input
	Omitted                 bool // items are left out because newer runs fill the report

	facts verdict.Facts
}

// Origin describes where a run belongs.
type Origin struct {
	Program, Version            string // of the agent
	Folder, Branch              string
	Pipeline, PipelineRun, Step string
}

// Totals count what a run and its sub-agents did.
type Totals struct {
	Agents, ModelCalls, Calls int
	CallsFailed, CallsDenied  int
}

// Agent is the agent of a run, or a sub-agent.
type Agent struct {
	Span
	Name       string
	Models     []string
	Outcome    events.Outcome
	Background bool
	Usage      otlp.AgentUsage
	Chats      []*Chat
	Items      []*Item // in stream order; by time if they come from several streams
	Result     *Content

	said said
}

// Chat is a model call.
type Chat struct {
	Span
	Model  string
	Tokens events.Tokens
}

// Call is a tool call.
type Call struct {
	Span
	Tool, Kind, Server string
	Target             string // one line
	Denied, Background bool
	ExitCode           string // empty if unknown
	Summary            string // the first line of the output
	Input, Output      Content
	Agents             []*Agent // started by the call
}

// Item is one thing in the log of an agent. Of Call, Chat, Agent and Text one is set.
type Item struct {
	ID    string
	Kind  events.Kind
	At    time.Time
	Level events.Level
	// Synthetic reports whether the agent program wrote the text in place of the user or the model.
	Synthetic bool

	Text  Content
	Call  *Call
	Chat  *Chat  // a model call that failed
	Agent *Agent // a sub-agent whose call is unknown
	place place
}

// Content is a text of any length, cut to its limit.
type Content struct {
	Text string
	Size int  // of the original in bytes; 0 if unknown
	Cut  bool // Text is only the beginning
}

// Problem is something that failed in a run.
type Problem struct {
	ItemID string // its item in the log; empty for the run itself
	At     time.Time
	Agent  string // the agent that failed; empty for that of the run
	What   string // such as the tool
	Target string // target of the call
	Detail string // one line
	Denied bool
}
