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

// Call is a tool call.
type Call struct {
	ID         string
	SpanID     otlp.SpanID
	Content    [otlp.HashBytes]byte // a hash of what it does, of which its ids are made too
	Name       string
	Target     string
	AgentType  string
	Server     string
	AgentID    string // the provider's id of the sub-agent that it started, once known
	Span       clock.Interval
	shown      *shown
	Occurrence int32
	Asks       bool // it waits for leave before it runs
}

// shown is what only the span of a call shows. Most calls have nothing of it, and none does once it is over.
type shown struct {
	executable string // of a command line that starts one process
	arguments  string // captured only
	// unknownParent is the call that the agent which made this one was started by, if nobody saw that call.
	unknownParent string
}

// New is the call that a tool event starts, its target cut to a number of runes.
func New(t *events.Tool, targetRunes int) Call {
	c := Call{
		ID: t.ID, Name: otlp.ToolName(t.Name), Asks: t.Asks, Server: t.Server, AgentType: t.AgentType, Target: otlp.CutTarget(t.Target, targetRunes),
	}
	executable := executableOf(t.Name, t.Target)
	otlp.Bound(&executable, otlp.NameBytes)
	memory.Own(&c.ID, &c.Name, &c.Server, &c.AgentType, &c.Target, &executable)
	if executable != "" {
		c.show().executable = executable
	}
	return c
}

// show is what only the span shows, to add to.
func (c *Call) show() *shown {
	if c.shown == nil {
		c.shown = new(shown)
	}
	return c.shown
}

// Hold keeps the arguments of the call for its span.
func (c *Call) Hold(arguments string) { c.show().arguments = arguments }

// Release drops what only its span shows: a closed call stays known for long. It returns how many bytes of arguments that were.
func (c *Call) Release() (arguments int) {
	if c.shown != nil {
		arguments = len(c.shown.arguments)
		c.shown = nil
	}
	return arguments
}

// MadeBelow notes the call that the agent which made this one was started by, and that nobody saw.
func (c *Call) MadeBelow(unknown string) { c.show().unknownParent = strings.Clone(unknown) }

// Describe fills in what a result or a notice lacks: the name and the target of its call.
func (c *Call) Describe(t *events.Tool) {
	t.Name, t.Target = cmp.Or(t.Name, c.Name), cmp.Or(t.Target, c.Target)
	t.AgentType, t.Server = cmp.Or(t.AgentType, c.AgentType), cmp.Or(t.Server, c.Server)
}

// Measure gives a result the time since its call where the provider reports no duration and both times are as good as
// one. What goes on in the background has no duration yet.
func (c *Call) Measure(t *events.Tool, at *clock.Moment) {
	from := &c.Span.Start
	if t.Duration > 0 || t.State == events.ToolStateBackground || at.Source != from.Source {
		return
	}
	if at.Source == clock.SourceLine || at.Source == clock.SourceArrival {
		t.Duration = max(at.At.Sub(from.At), 0)
	}
}

// Shown is the span of the call, which ended so. Agent is who made it, and startedAgent is set if its sub-agent was seen.
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

// EarlyResult is a result whose call was not seen yet.
type EarlyResult struct {
	Tool     events.Tool
	At       clock.Moment
	Abridged bool
}

// NewEarlyResult keeps of a result what its call's span needs: no texts that are borrowed, or longer than a span shows.
func NewEarlyResult(t *events.Tool, at clock.Moment, abridged bool) EarlyResult {
	early := EarlyResult{Tool: *t, At: at, Abridged: abridged}
	kept := &early.Tool
	kept.Input, kept.Output = nil, nil
	kept.Target, kept.Err = "", events.CutRunes(kept.Err, otlp.ErrTextRunes)
	memory.Own(&kept.ID, &kept.Name, &kept.AgentType, &kept.AgentID, &kept.Server, &kept.Err, &kept.Summary)
	return early
}
