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

// addSpan appends a span under r. It returns the attributes, to which the caller adds those of the kind.
func (b *Batch) addSpan(r *Resource, of *Span, kind ptrace.SpanKind, name string, room int) pcommon.Map {
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
	m := span.Attributes()
	m.EnsureCapacity(room)
	PutStr(m, AttrTimeSource, of.TimeSource)
	if of.ErrorType != "" {
		span.Status().SetCode(ptrace.StatusCodeError)
		span.Status().SetMessage(events.CutRunes(of.Error, ErrTextRunes))
		m.PutStr(AttrErrorType, of.ErrorType)
		m.PutStr(AttrStatusCode, StatusCodeError)
	}
	PutStr(m, AttrGenAIConversationID, of.Conversation)
	PutStr(m, AttrCloseReason, string(of.Reason))
	PutTrue(m, AttrBackground, of.Background)
	PutTrue(m, AttrTimeClamped, of.Clamped)
	PutStr(m, AttrParentUnknown, of.ParentUnknown)
	return m
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
	m := b.addSpan(r, &c.Span, ptrace.SpanKindClient, b.names.of(OperationChat, c.Model), chatAttributes)
	m.PutStr(AttrGenAIOperationName, OperationChat)
	PutStr(m, AttrGenAIProviderName, c.System)
	PutStr(m, AttrGenAIRequestModel, c.Model)
	PutStr(m, AttrGenAIAgentName, c.Agent)
	if c.MessageID == "" {
		return
	}
	PutStr(m, AttrGenAIResponseModel, c.Model)
	m.PutStr(AttrGenAIResponseID, c.MessageID)
	PutTrue(m, b.writer.Semconv.compacted(), c.Compacted)
	c.Messages.put(m)
	if c.Usage == nil {
		return
	}
	m.PutInt(AttrGenAIInputTokens, 0) // usage is known even if it is 0
	if c.Usage.HasOutput {
		m.PutInt(AttrGenAIOutputTokens, 0)
	}
	b.writer.ownUsage(m, &c.Usage.Tokens)
	putTiers(m, &c.Usage.Tokens)
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
	m := b.addSpan(r, &c.Span, ptrace.SpanKindInternal, b.names.of(OperationExecuteTool, c.Tool), callAttributes)
	m.PutStr(AttrGenAIOperationName, OperationExecuteTool)
	m.PutStr(AttrGenAIToolName, c.Tool)
	PutStr(m, AttrGenAIToolCallID, c.CallID)
	m.PutStr(AttrGenAIToolType, c.Type)
	PutStr(m, AttrGenAIAgentName, c.Agent)
	PutStr(m, AttrToolTarget, c.Target)
	PutStr(m, AttrProcessExecutable, c.Executable)
	b.writer.content(m, AttrGenAIToolArguments, c.Arguments)
	PutStr(m, AttrToolServer, c.Server)
	m.PutStr(AttrToolKind, c.Kind)
	PutStr(m, AttrToolAgentType, c.AgentType)
	b.writer.content(m, AttrGenAIToolResult, c.Result)
	if c.ApprovalWait > 0 {
		m.PutDouble(AttrToolApprovalWait, c.ApprovalWait.Seconds())
	}
	if c.HasExitCode {
		m.PutInt(AttrProcessExitCode, int64(c.ExitCode))
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
	m := b.addSpan(r, &a.Span, ptrace.SpanKindInternal, b.names.of(OperationInvokeAgent, a.Name), agentAttributes)
	m.PutStr(AttrGenAIOperationName, OperationInvokeAgent)
	PutStr(m, AttrGenAIProviderName, a.System)
	PutStr(m, AttrGenAIAgentName, a.Name)
	PutStr(m, AttrAgentID, a.AgentID)
	m.PutStr(AttrRunOutcome, a.Outcome.String())
	a.putModels(m)
	PutPositive(m, AttrToolCalls, int64(a.ToolCalls))
	PutPositive(m, AttrToolErrors, int64(a.ToolErrors))
	if s := a.Session; s != nil {
		PutStr(m, AttrProcessWorkDir, s.WorkingDir)
		PutStr(m, AttrPermissionMode, s.PermissionMode)
		PutStr(m, AttrSessionPrevious, s.PreviousID)
		PutStr(m, AttrVCSHeadName, s.Branch)
	}
	if a.Run != nil {
		PutStr(m, AttrSessionID, a.Conversation)
		a.Run.put(m)
	}
	b.writer.ownUsage(m, &a.Usage.Own)
	a.Usage.putTotal(m)
	a.Messages.put(m)
}

func (a *Agent) putModels(m pcommon.Map) {
	if len(a.Models) == 0 {
		return
	}
	if len(a.Models) == 1 && !a.MoreModels {
		m.PutStr(AttrGenAIRequestModel, a.Models[0])
	}
	list := m.PutEmptySlice(AttrModels)
	list.EnsureCapacity(len(a.Models))
	for _, name := range a.Models {
		list.AppendEmpty().SetStr(name)
	}
	PutTrue(m, AttrModelsOverflow, a.MoreModels)
}

func (r *Run) put(m pcommon.Map) {
	m.PutStr(AttrRunKey, r.Key)
	if r.End != nil {
		PutPositive(m, AttrTurns, int64(r.End.Turns))
		PutStr(m, AttrEndCode, r.End.Code)
		PutStr(m, AttrEndPrinciple, r.End.Principle)
	}
	r.Exit.put(m)
}

func (e *Exit) put(m pcommon.Map) {
	if e == nil {
		return
	}
	if e.Signal != "" {
		m.PutStr(AttrProcessSignal, e.Signal)
	} else {
		m.PutInt(AttrProcessExitCode, int64(e.Code))
	}
	PutPositive(m, AttrProcessDropped, e.Dropped)
	PutStr(m, AttrProcessStopReason, string(e.StopReason))
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
	m := b.addSpan(r, &p.Span, ptrace.SpanKindInternal, p.Executable, programAttributes)
	PutStr(m, AttrProcessExecutable, p.Executable)
	p.Exit.put(m)
}

// Pipeline is the span of a pipeline run.
type Pipeline struct {
	Span
	Name, RunID, Result string
}

// AddPipeline appends the span of a pipeline run under r.
func (b *Batch) AddPipeline(r *Resource, p *Pipeline) {
	m := b.addSpan(r, &p.Span, ptrace.SpanKindServer, p.Name, 0)
	m.PutStr(AttrPipelineName, p.Name)
	m.PutStr(AttrPipelineRunID, p.RunID)
	m.PutStr(AttrPipelineResult, p.Result)
}

// Step is the span of a step of a pipeline run.
type Step struct {
	Span
	Name, RunID, URL, Result string
}

// AddStep appends the span of a step under r.
func (b *Batch) AddStep(r *Resource, s *Step) {
	m := b.addSpan(r, &s.Span, ptrace.SpanKindInternal, s.Name, 0)
	m.PutStr(AttrTaskName, s.Name)
	PutStr(m, AttrTaskRunID, s.RunID)
	PutStr(m, AttrTaskRunURL, s.URL)
	m.PutStr(AttrTaskRunResult, s.Result)
}

// Messages is what was said to and by a model, in the JSON form of the semantic conventions. Fields that were not captured are empty.
type Messages struct {
	System, Input, Output string
	Finish                string // why the output ended
	Truncated             bool
}

func (x *Messages) put(m pcommon.Map) {
	if x == nil {
		return
	}
	PutStr(m, AttrGenAISystemInstructions, x.System)
	PutStr(m, AttrGenAIInputMessages, x.Input)
	PutStr(m, AttrGenAIOutputMessages, x.Output)
	PutTrue(m, AttrTruncated, x.Truncated)
	if x.Finish != "" {
		m.PutEmptySlice(AttrGenAIFinishReasons).AppendEmpty().SetStr(x.Finish)
	}
}
