package summary

import (
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/verdict"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Limits of a page. Further tools and failures are only counted.
const (
	MaxTools    = 30
	MaxFailures = 20
	MaxLine     = 200
	MaxWords    = 4000
)

// maxNames bounds the tools that are counted separately.
const maxNames = 1000

// Reader gathers the data of a page. Its zero value is ready to use.
type Reader struct {
	agents     []string // programs, with their models
	runs       int
	subAgents  int
	start, end pcommon.Timestamp
	tokens     events.Tokens
	cost       float64
	hasCost    bool
	estimated  bool
	tools      []tool
	failures   []failure
	moreFailed int
	words      string
	trace      pcommon.TraceID
	event      events.DisplayEvent // of the current record
}

// tool sums up the calls of one tool.
type tool struct {
	name          string
	calls, failed int
	time          time.Duration
}

// failure is a failed call.
type failure struct{ tool, target, why string }

// Read adds spans and records.
func (r *Reader) Read(d *otlp.Data) {
	for span := range d.Spans() {
		r.span(span)
	}
	for lr := range d.Records() {
		r.record(lr)
	}
}

func (r *Reader) span(span ptrace.Span) {
	m := span.Attributes()
	switch otlp.Str(m, otlp.AttrGenAIOperationName) {
	case otlp.OperationInvokeAgent:
		if otlp.Str(m, otlp.AttrRunKey) == "" {
			r.subAgents++
			return
		}
		r.run(span, m)
	case otlp.OperationExecuteTool:
		r.call(span, m)
	}
}

func (r *Reader) run(span ptrace.Span, m pcommon.Map) {
	if r.runs++; r.runs == 1 || span.StartTimestamp() < r.start {
		r.start = span.StartTimestamp()
	}
	r.end, r.trace = max(r.end, span.EndTimestamp()), span.TraceID()
	agent := otlp.Str(m, otlp.AttrGenAIAgentName)
	if models := list(m, otlp.AttrModels); models != "" {
		agent += ", " + models
	}
	if !slices.Contains(r.agents, agent) && len(r.agents) < MaxTools {
		r.agents = append(r.agents, strings.Clone(agent))
	}
	used := otlp.ReadUsage(m).Total
	r.tokens.Add(used.Tokens)
	r.cost, r.hasCost, r.estimated = r.cost+used.CostUSD, r.hasCost || used.HasCost, r.estimated || used.CostEstimated
}

func (r *Reader) call(span ptrace.Span, m pcommon.Map) {
	name := otlp.Str(m, otlp.AttrGenAIToolName)
	i := slices.IndexFunc(r.tools, func(t tool) bool { return t.name == name })
	if i < 0 {
		if len(r.tools) >= maxNames {
			name = "other tools"
			i = slices.IndexFunc(r.tools, func(t tool) bool { return t.name == name })
		}
		if i < 0 {
			r.tools, i = append(r.tools, tool{name: strings.Clone(name)}), len(r.tools)
		}
	}
	t := &r.tools[i]
	t.calls++
	t.time += max(span.EndTimestamp().AsTime().Sub(span.StartTimestamp().AsTime()), 0)
	why := otlp.Str(m, otlp.AttrErrorType)
	if why == "" {
		return
	}
	t.failed++
	if len(r.failures) == MaxFailures {
		r.moreFailed++
		return
	}
	f := failure{tool: t.name, target: otlp.Str(m, otlp.AttrToolTarget), why: why}
	if text := span.Status().Message(); text != "" {
		f.why = text
	}
	r.failures = append(r.failures, failure{f.tool, line(f.target), line(f.why)})
}

func (r *Reader) record(lr plog.LogRecord) {
	if !otlp.EventFromRecord(lr, &r.event) || r.event.ParentID != "" {
		return
	}
	if words := verdict.Words(&r.event); words != "" {
		r.words = strings.Clone(words)
	}
}

// line returns the first line of a text, cut to its limit.
func line(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.Clone(events.CutRunes(strings.TrimSpace(first), MaxLine))
}

// list formats several strings as one.
func list(m pcommon.Map, key string) string {
	v, ok := m.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return ""
	}
	var all []string
	for _, item := range v.Slice().All() {
		all = append(all, item.AsString())
	}
	return strings.Join(all, ", ")
}
