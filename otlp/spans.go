package otlp

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
)

// Span is the common part of all spans. Empty fields and numbers of 0 have no attribute.
type Span struct {
	Trace      TraceID
	ID, Parent SpanID
	Start, End int64  // Unix nanoseconds
	TimeSource string // empty for SourceLine
	// ErrorType is set if the span failed. Error is the text.
	ErrorType, Error string
	Links            []SpanRef
	// Conversation is the session of the span.
	Conversation string
	// Reason is why the span ended.
	Reason CloseReason
	// Background is set if the span lies outside of its parent, Clamped if its times were corrected.
	Background, Clamped bool
	// ParentUnknown is the call that should be the parent but is not exported.
	ParentUnknown string
}

// Ref returns the IDs of the span.
func (s *Span) Ref() SpanRef { return SpanRef{s.Trace, s.ID} }

// Typical numbers of attributes of spans, including an error type or exit code.
const (
	callAttributes  = 11
	chatAttributes  = 13
	agentAttributes = 19
)

// addSpan appends a span under r. The caller adds the attributes of the kind and calls [Resource.finish].
func (b *Batch) addSpan(r *Resource, of *Span, kind ptrace.SpanKind, name string, room int) (ptrace.Span, *attributes) {
	span := b.span(r)
	span.SetTraceID(of.Trace)
	span.SetSpanID(of.ID)
	span.SetParentSpanID(of.Parent)
	span.SetKind(kind)
	span.SetName(name)
	span.SetStartTimestamp(pcommon.Timestamp(of.Start))
	span.SetEndTimestamp(pcommon.Timestamp(of.End))
	for _, to := range of.Links {
		link := span.Links().AppendEmpty()
		link.SetTraceID(to.Trace)
		link.SetSpanID(to.Span)
	}
	m := &b.attributes
	m.reserve(room)
	m.text(AttrTimeSource, of.TimeSource)
	if of.ErrorType != "" {
		span.Status().SetCode(ptrace.StatusCodeError)
		span.Status().SetMessage(events.CutRunes(of.Error, ErrTextRunes))
		m.str(AttrErrorType, of.ErrorType)
		m.str(AttrStatusCode, StatusCodeError)
	}
	m.text(AttrGenAIConversationID, of.Conversation)
	m.text(AttrCloseReason, string(of.Reason))
	m.flag(AttrBackground, of.Background)
	m.flag(AttrTimeClamped, of.Clamped)
	m.text(AttrParentUnknown, of.ParentUnknown)
	return span, m
}

// Chat is the span of a model call.
type Chat struct {
	Span
	Agent, Model, System string
	MessageID            string // of the answer; empty if there was none
	Compacted            bool   // the conversation was compacted before the call
	Usage                *ChatUsage
	Messages             *Messages
}

// ChatUsage is the usage of a model call and how it was served.
type ChatUsage struct {
	Tokens    events.Tokens
	HasOutput bool // the output is known
	Service   Service
}

// AddChat appends the span of a model call under r.
func (b *Batch) AddChat(r *Resource, c *Chat) {
	if b.writer.Discard {
		return
	}
	span, m := b.addSpan(r, &c.Span, ptrace.SpanKindClient, b.names.of(OperationChat, c.Model), chatAttributes)
	defer r.finish(m, span.Attributes())
	m.str(AttrGenAIOperationName, OperationChat)
	m.text(AttrGenAIProviderName, c.System)
	m.text(AttrGenAIRequestModel, c.Model)
	m.text(AttrGenAIAgentName, c.Agent)
	if c.MessageID == "" {
		return
	}
	m.text(AttrGenAIResponseModel, c.Model)
	m.str(AttrGenAIResponseID, c.MessageID)
	m.flag(b.writer.Semconv.compacted(), c.Compacted)
	c.Messages.put(m)
	if c.Usage == nil {
		return
	}
	t := &c.Usage.Tokens
	m.int(AttrGenAIInputTokens, max(0, t.Input)) // usage is known even if it is 0
	if c.Usage.HasOutput {
		m.int(AttrGenAIOutputTokens, max(0, t.Output))
	}
	b.writer.ownCaches(m, t)
	putTiers(m, t)
	c.Usage.Service.put(m)
}

// Call is the span of a tool call.
type Call struct {
	Span
	Agent             string // that made the call
	Tool, CallID      string
	Type, Kind        string // of the tool
	Server, AgentType string
	Target            string
	Executable        string // of a command line that starts one process
	Arguments, Result string // only when content is captured
	ApprovalWait      time.Duration
	ExitCode          int
	HasExitCode       bool
}

// AddCall appends the span of a tool call under r.
func (b *Batch) AddCall(r *Resource, c *Call) {
	if b.writer.Discard {
		return
	}
	span, m := b.addSpan(r, &c.Span, ptrace.SpanKindInternal, b.names.of(OperationExecuteTool, c.Tool), callAttributes)
	defer r.finish(m, span.Attributes())
	m.str(AttrGenAIOperationName, OperationExecuteTool)
	m.str(AttrGenAIToolName, c.Tool)
	m.text(AttrGenAIToolCallID, c.CallID)
	m.str(AttrGenAIToolType, c.Type)
	m.text(AttrGenAIAgentName, c.Agent)
	m.text(AttrToolTarget, c.Target)
	m.text(AttrProcessExecutable, c.Executable)
	b.writer.content(m, AttrGenAIToolArguments, c.Arguments)
	m.text(AttrToolServer, c.Server)
	m.str(AttrToolKind, c.Kind)
	m.text(AttrToolAgentType, c.AgentType)
	b.writer.content(m, AttrGenAIToolResult, c.Result)
	if c.ApprovalWait > 0 {
		m.double(AttrToolApprovalWait, Seconds(c.ApprovalWait))
	}
	if c.HasExitCode {
		m.int(AttrProcessExitCode, int64(c.ExitCode))
	}
}

// Agent is the span of an agent's work: a run or the work of a sub-agent.
type Agent struct {
	Span
	Name, AgentID, System string
	Outcome               events.Outcome
	Models                []string // that worked for it
	MoreModels            bool     // there were more than are listed
	ToolCalls, ToolErrors int
	Session               *events.Session // from its start lines; nil if there were none
	Run                   *Run            // nil for a sub-agent
	Usage                 AgentUsage
	Messages              *Messages
}

// Run is the part of a run's span that a sub-agent's lacks.
type Run struct {
	Key  string
	End  *events.End // nil without an end line
	Exit *Exit       // nil if unknown
}

// Exit is how a process ended.
type Exit struct {
	Code    int
	Signal  string // that ended it, or empty
	Dropped int64  // bytes of output that were lost
	// StopReason is the limit that caused tailspan to stop the process, or empty.
	StopReason StopReason
}

// AgentUsage is the usage of an agent.
type AgentUsage struct {
	Own        events.Tokens // on no other span
	Total      events.Usage  // including sub-agents
	Models     []ModelUsage  // each model's part of the total
	Incomplete bool          // the total lacks something
}

// AddAgent appends the span of an agent under r.
func (b *Batch) AddAgent(r *Resource, a *Agent) {
	if b.writer.Discard {
		return
	}
	span, m := b.addSpan(r, &a.Span, ptrace.SpanKindInternal, b.names.of(OperationInvokeAgent, a.Name), agentAttributes)
	defer r.finish(m, span.Attributes())
	m.str(AttrGenAIOperationName, OperationInvokeAgent)
	m.text(AttrGenAIProviderName, a.System)
	m.text(AttrGenAIAgentName, a.Name)
	m.text(AttrAgentID, a.AgentID)
	m.str(AttrRunOutcome, a.Outcome.String())
	a.putModels(m)
	m.positive(AttrToolCalls, int64(a.ToolCalls))
	m.positive(AttrToolErrors, int64(a.ToolErrors))
	if s := a.Session; s != nil {
		m.text(AttrProcessWorkDir, s.WorkingDir)
		m.text(AttrPermissionMode, s.PermissionMode)
		m.text(AttrSessionPrevious, s.PreviousID)
		m.text(AttrVCSHeadName, s.Branch)
	}
	if a.Run != nil {
		m.text(AttrSessionID, a.Conversation)
		a.Run.put(m)
	}
	b.writer.ownUsage(m, &a.Usage.Own)
	a.Usage.putTotal(m)
	a.Messages.put(m)
}

func (a *Agent) putModels(m *attributes) {
	if len(a.Models) == 0 {
		return
	}
	if len(a.Models) == 1 && !a.MoreModels {
		m.str(AttrGenAIRequestModel, a.Models[0])
	}
	list := m.slice(AttrModels)
	list.EnsureCapacity(len(a.Models))
	for _, name := range a.Models {
		list.AppendEmpty().SetStr(name)
	}
	m.flag(AttrModelsOverflow, a.MoreModels)
}

func (r *Run) put(m *attributes) {
	m.str(AttrRunKey, r.Key)
	if r.End != nil {
		m.positive(AttrTurns, int64(r.End.Turns))
		m.text(AttrEndCode, r.End.Code)
		m.text(AttrEndPrinciple, r.End.Principle)
	}
	r.Exit.put(m)
}

func (e *Exit) put(m *attributes) {
	if e == nil {
		return
	}
	if e.Signal != "" {
		m.str(AttrProcessSignal, e.Signal)
	} else {
		m.int(AttrProcessExitCode, int64(e.Code))
	}
	m.positive(AttrProcessDropped, e.Dropped)
	m.text(AttrProcessStopReason, string(e.StopReason))
}

// Program is the span of a process that wrote no run.
type Program struct {
	Span
	Executable string
	Exit       *Exit
}

// programAttributes is the typical number of attributes of a failed program.
const programAttributes = 7

// AddProgram appends the span of a process under r.
func (b *Batch) AddProgram(r *Resource, p *Program) {
	span, m := b.addSpan(r, &p.Span, ptrace.SpanKindInternal, p.Executable, programAttributes)
	defer r.finish(m, span.Attributes())
	m.text(AttrProcessExecutable, p.Executable)
	p.Exit.put(m)
}

// Pipeline is the span of a pipeline run.
type Pipeline struct {
	Span
	Name, RunID, Result string
}

// AddPipeline appends the span of a pipeline run under r.
func (b *Batch) AddPipeline(r *Resource, p *Pipeline) {
	span, m := b.addSpan(r, &p.Span, ptrace.SpanKindServer, p.Name, 0)
	defer r.finish(m, span.Attributes())
	m.str(AttrPipelineName, p.Name)
	m.str(AttrPipelineRunID, p.RunID)
	m.str(AttrPipelineResult, p.Result)
}

// Step is the span of a step of a pipeline run.
type Step struct {
	Span
	Name, RunID, URL, Result string
}

// AddStep appends the span of a step under r.
func (b *Batch) AddStep(r *Resource, s *Step) {
	span, m := b.addSpan(r, &s.Span, ptrace.SpanKindInternal, s.Name, 0)
	defer r.finish(m, span.Attributes())
	m.str(AttrTaskName, s.Name)
	m.text(AttrTaskRunID, s.RunID)
	m.text(AttrTaskRunURL, s.URL)
	m.str(AttrTaskRunResult, s.Result)
}

// Messages is what was said to and by a model, in the JSON form of the semantic conventions. Fields that were not captured are empty.
type Messages struct {
	System, Input, Output string
	Finish                string // why the output ended
	Truncated             bool
}

func (x *Messages) put(m *attributes) {
	if x == nil {
		return
	}
	m.text(AttrGenAISystemInstructions, x.System)
	m.text(AttrGenAIInputMessages, x.Input)
	m.text(AttrGenAIOutputMessages, x.Output)
	m.truncated = m.truncated || x.Truncated
	if x.Finish != "" {
		m.slice(AttrGenAIFinishReasons).AppendEmpty().SetStr(x.Finish)
	}
}
