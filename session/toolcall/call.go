package toolcall

import (
	"cmp"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

type Call struct {
	ID         string
	SpanID     otlp.SpanID
	Content    [otlp.HashBytes]byte // hash of what the call does; its IDs are derived from it
	Name       string
	Target     string
	AgentType  string
	Server     string
	AgentID    string // the provider's ID of the sub-agent that it started, once known
	Span       clock.Interval
	shown      *shown
	Occurrence int32
	Asks       bool // it waits for approval before it runs
	Requested  bool // the client of a server runs it, so that it has no result is no failure
}

// shown is what only the span of a call shows. It is nil for most calls and for all that are over.
type shown struct {
	executable string // of a command line that starts one process
	arguments  string // only when content is captured
	// unknownParent is the call that started the agent which made this call, if that call was never seen.
	unknownParent string
}

// New returns the call that a tool event starts. It cuts the target to a number of runes.
func New(t *events.Tool, targetRunes int) Call {
	c := Call{
		ID: t.ID, Name: otlp.ToolName(t.Name), Server: t.Server, AgentType: t.AgentType, Target: otlp.CutTarget(t.Target, targetRunes),
		Asks: t.Asks, Requested: t.State == events.ToolStateRequested,
	}
	executable := executableOf(t.Name, t.Target)
	otlp.Bound(&executable, otlp.NameBytes)
	memory.Own(&c.ID, &c.Name, &c.Server, &c.AgentType, &c.Target, &executable)
	if executable != "" {
		c.show().executable = executable
	}
	return c
}

// show returns the fields that only the span shows, to be set.
func (c *Call) show() *shown {
	if c.shown == nil {
		c.shown = new(shown)
	}
	return c.shown
}

// Hold keeps the arguments of the call for its span.
func (c *Call) Hold(arguments string) { c.show().arguments = arguments }

// Release drops what only the span shows, because a closed call is remembered for long. It returns the size of the arguments.
func (c *Call) Release() (arguments int) {
	if c.shown != nil {
		arguments = len(c.shown.arguments)
		c.shown = nil
	}
	return arguments
}

// MadeBelow records the unseen call that started the agent which made this call.
func (c *Call) MadeBelow(unknown string) { c.show().unknownParent = strings.Clone(unknown) }

// Describe adds what a result or a notice lacks: the name and the target of its call.
func (c *Call) Describe(t *events.Tool) {
	t.Name, t.Target = cmp.Or(t.Name, c.Name), cmp.Or(t.Target, c.Target)
	t.AgentType, t.Server = cmp.Or(t.AgentType, c.AgentType), cmp.Or(t.Server, c.Server)
}

// Measure sets the duration of a result to the time since its call if the provider reports none and both times have the
// same reliable source. Background work has no duration yet.
func (c *Call) Measure(t *events.Tool, at *clock.Moment) {
	from := &c.Span.Start
	if t.Duration > 0 || t.State == events.ToolStateBackground || at.Source != from.Source {
		return
	}
	if at.Source == clock.SourceLine || at.Source == clock.SourceArrival {
		t.Duration = max(at.At.Sub(from.At), 0)
	}
}

// Shown returns the span of the call, which ended as out describes. startedAgent is true if its sub-agent was seen.
func (c *Call) Shown(of otlp.Span, agent string, startedAgent bool, out *outcome.Call) otlp.Call {
	of.ErrorType, of.Error, of.Reason = out.ErrorType, out.Message, out.CloseReason()
	span := otlp.Call{
		Span: of, Agent: agent, Tool: c.Name, CallID: c.ID, Type: c.toolType(), Server: c.Server, AgentType: c.AgentType, Target: c.Target,
		Kind:   otlp.ToolKind(c.Name, c.Server, c.AgentType != "" || startedAgent || c.AgentID != ""),
		Result: out.Result, ApprovalWait: out.ApprovalWait, ExitCode: out.ExitCode, HasExitCode: out.HasExit,
	}
	if c.shown != nil {
		span.Executable, span.Arguments, span.ParentUnknown = c.shown.executable, c.shown.arguments, c.shown.unknownParent
	}
	return span
}

func (c *Call) toolType() string {
	if c.Server != "" {
		return otlp.ToolTypeExtension
	}
	return otlp.ToolTypeFunction
}

// EarlyResult is a result that was read before its call.
type EarlyResult struct {
	Tool     events.Tool
	At       clock.Moment
	Abridged bool
}

// NewEarlyResult copies what the call's span needs of a result, without borrowed or overlong texts.
func NewEarlyResult(t *events.Tool, at clock.Moment, abridged bool) EarlyResult {
	early := EarlyResult{Tool: *t, At: at, Abridged: abridged}
	kept := &early.Tool
	kept.Input, kept.Output = nil, nil
	kept.Target, kept.Err = "", events.CutRunes(kept.Err, otlp.ErrTextRunes)
	memory.Own(&kept.ID, &kept.Name, &kept.AgentType, &kept.AgentID, &kept.Server, &kept.Err, &kept.Summary)
	return early
}
