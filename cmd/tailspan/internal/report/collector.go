package report

import (
	"cmp"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Collector collects the spans and records of runs.
type Collector struct {
	limits  Limits
	nodes   map[spanKey]*node
	order   []*node // in order of arrival
	records []record
	said    map[spanKey]said // what records contribute to the verdict
	held    int              // bytes of contents

	sessions []string // in the order of their first records
}

// spanKey identifies a span.
type spanKey struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// node is a span and its place in the tree. One of run, agent, chat and call is set; none for spans above runs.
type node struct {
	key      spanKey
	parent   spanKey
	run      *Run // of an agent's span: its data as a run
	agent    *Agent
	chat     *Chat
	call     *Call
	recorded bool // a record gives its place in the log
}

// said counts what an agent said and how often its conversation was compacted.
type said struct{ words, compactions int }

// record is an event and the span to which it belongs.
type record struct {
	span spanKey
	item *Item
	tool events.Tool // of a result
}

// NewCollector returns an empty Collector.
func NewCollector(l Limits) *Collector {
	return &Collector{limits: l, nodes: map[spanKey]*node{}, said: map[spanKey]said{}}
}

// Add adds spans and records, and keeps no reference to them. It ignores a span that was added before.
func (c *Collector) Add(td ptrace.Traces, ld plog.Logs) {
	for _, rs := range td.ResourceSpans().All() {
		resource := attributes{rs.Resource().Attributes()}
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				c.span(resource, span)
			}
		}
	}
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				c.record(attributes{sl.Scope().Attributes()}.line(otlp.AttrStreamID), lr)
			}
		}
	}
}

func (c *Collector) span(resource attributes, span ptrace.Span) {
	key := spanKey{span.TraceID(), span.SpanID()}
	if c.nodes[key] != nil {
		return
	}
	n := &node{key: key, parent: spanKey{span.TraceID(), span.ParentSpanID()}}
	c.nodes[key] = n
	c.order = append(c.order, n)
	a := attributes{span.Attributes()}
	switch a.line(otlp.AttrGenAIOperationName) {
	case otlp.OperationInvokeAgent:
		n.run = newRun(resource, a, span)
		n.agent = &n.run.Agent
	case otlp.OperationChat:
		n.chat = &Chat{
			Span: newSpan(a, span), Tokens: otlp.ReadUsage(span.Attributes()).Own,
			Model: cmp.Or(a.line(otlp.AttrGenAIResponseModel), a.line(otlp.AttrGenAIRequestModel)),
		}
	case otlp.OperationExecuteTool:
		n.call = newCall(a, span)
	}
}

// idDigits is how many digits of the trace ID distinguish spans whose IDs occur in several traces, as those of a fork can.
const idDigits = 8

func newSpan(a attributes, span ptrace.Span) Span {
	return Span{
		ID: span.TraceID().String()[:idDigits] + "-" + span.SpanID().String(), Start: span.StartTimestamp().AsTime(), End: span.EndTimestamp().AsTime(),
		Failed: span.Status().Code() == ptrace.StatusCodeError, ErrorType: a.line(otlp.AttrErrorType),
		Problem: oneLine(span.Status().Message()), Closed: otlp.CloseReason(a.line(otlp.AttrCloseReason)),
	}
}

func newRun(resource, a attributes, span ptrace.Span) *Run {
	return &Run{
		Agent: Agent{
			Span: newSpan(a, span), Name: cmp.Or(a.line(otlp.AttrGenAIAgentName), resource.line(otlp.AttrServiceName)),
			Models: a.lines(otlp.AttrModels), Outcome: events.ParseOutcome(a.line(otlp.AttrRunOutcome)),
			Background: a.flag(otlp.AttrBackground), Usage: otlp.ReadUsage(span.Attributes()),
		},
		Origin: Origin{
			Program: resource.line(otlp.AttrServiceName), Version: resource.line(otlp.AttrServiceVersion),
			Folder: a.line(otlp.AttrProcessWorkDir), Branch: cmp.Or(resource.line(otlp.AttrVCSHeadName), a.line(otlp.AttrVCSHeadName)),
			Pipeline: resource.line(otlp.AttrPipelineName), PipelineRun: resource.line(otlp.AttrPipelineRunID), Step: resource.line(otlp.AttrTaskName),
		},
		TraceID: span.TraceID().String(), Key: a.line(otlp.AttrRunKey), SessionID: a.line(otlp.AttrGenAIConversationID),
		LostCaller: a.flag(otlp.AttrParentUnknown), facts: verdict.Facts{Worst: verdict.OutcomeOf(span)},
		ExitCode: a.number(otlp.AttrProcessExitCode), ProcessSignal: a.line(otlp.AttrProcessSignal),
	}
}

func newCall(a attributes, span ptrace.Span) *Call {
	c := &Call{
		Span: newSpan(a, span), Tool: a.line(otlp.AttrGenAIToolName), Kind: a.line(otlp.AttrToolKind),
		Server: a.line(otlp.AttrToolServer), Target: a.line(otlp.AttrToolTarget), ExitCode: a.number(otlp.AttrProcessExitCode),
		Background: a.flag(otlp.AttrBackground),
	}
	c.Denied = c.ErrorType == otlp.ErrorTypeDenied
	return c
}

// record adds what the log shows: texts, calls and messages of the agent program. Usage is on spans.
func (c *Collector) record(stream string, lr plog.LogRecord) {
	var ev events.DisplayEvent
	if !otlp.EventFromRecord(lr, &ev) {
		return
	}
	c.session(ev.SessionID)
	r := record{span: spanKey{lr.TraceID(), lr.SpanID()}}
	c.say(r.span, &ev)
	r.item = &Item{Kind: ev.Kind, At: timeOf(lr), Level: ev.Notice.Level, Synthetic: ev.Synthetic, place: placeOf(stream, lr)}
	cut := attributes{lr.Attributes()}.flag(otlp.AttrTruncated)
	switch ev.Kind {
	case events.KindText, events.KindReasoning, events.KindPrompt:
		r.item.Text = c.content(ev.Text, c.limits.TextBytes, 0, cut)
		if ev.Text == "" {
			return
		}
	case events.KindToolUse:
		r.item.Text = c.content(arguments(ev.Tool.Input), c.limits.ContentBytes, 0, cut)
	case events.KindToolResult:
		r.tool = ev.Tool
		r.item.Text = c.content(string(ev.Tool.Output), c.limits.ContentBytes, ev.Tool.Size, cut || ev.Tool.Truncated)
		r.tool.Output = nil
	case events.KindSessionEnded, events.KindTurnDone:
		if ev.End.Result == "" {
			return
		}
		r.item.Text = c.content(ev.End.Result, c.limits.TextBytes, 0, cut)
	case events.KindNotice, events.KindPhase, events.KindTurnAborted, events.KindApprovalRequest, events.KindAskRequest:
		r.item.Text = c.content(lr.Body().AsString(), c.limits.ContentBytes, 0, cut)
	default:
		return
	}
	c.records = append(c.records, r)
}

// say counts what the agent of a span says in an event.
func (c *Collector) say(span spanKey, ev *events.DisplayEvent) {
	var facts verdict.Facts
	if facts.Say(ev); facts.Words+facts.Compactions == 0 {
		return
	}
	said := c.said[span]
	said.words += facts.Words
	said.compactions += facts.Compactions
	c.said[span] = said
}

func timeOf(lr plog.LogRecord) time.Time {
	if lr.Timestamp() != 0 {
		return lr.Timestamp().AsTime()
	}
	return lr.ObservedTimestamp().AsTime()
}

// content makes a Content while the limit of all contents is not reached.
func (c *Collector) content(text string, limit, size int, cut bool) Content {
	if c.held > c.limits.HeldBytes {
		limit = min(limit, minContent)
	}
	made := content(text, limit, size, cut)
	c.held += len(made.Text)
	return made
}

// maxSessions bounds the number of sessions that are remembered.
const maxSessions = 1000

func (c *Collector) session(id string) {
	if id != "" && len(c.sessions) < maxSessions && !slices.Contains(c.sessions, id) {
		c.sessions = append(c.sessions, id)
	}
}

// Sessions returns the sessions whose records were added, each once.
func (c *Collector) Sessions() []string { return slices.Clone(c.sessions) }
