package pipelinefuzz

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/otlpjson"
)

// maxFindings limits what one round reports.
const maxFindings = 20

// Limits that hold for any input with the default settings.
const (
	maxBatch      = 2 << 20     // encoded bytes: max_batch_size
	maxAttributes = 128         // of a resource
	maxAttribute  = 64<<10 + 64 // bytes of a string, except for the texts in bodies
)

// findings are violated invariants.
type findings []string

func (f *findings) add(format string, args ...any) {
	if len(*f) < maxFindings {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// needsEnd are the problems of an incomplete trace: with a storage, what is open stays open for the next process, and what
// is exported twice has the same IDs.
var needsEnd = []otlpjson.ProblemKind{
	otlpjson.ProblemMissingParent, otlpjson.ProblemNoRoot, otlpjson.ProblemManyRoots, otlpjson.ProblemOutside, otlpjson.ProblemUsageTwice, otlpjson.ProblemDuplicate,
	otlpjson.ProblemTotal, // the span of a sub-agent in its total may stay open
}

// check checks the exports against the invariants.
func (e exported) check(r *round) findings {
	var f findings
	for _, p := range otlpjson.Check(e.traces...) {
		switch {
		case r.restart && (slices.Contains(needsEnd, p.Kind) || p.Kind == otlpjson.ProblemUnproven && !e.isAgent(p.SpanID)):
			// A pipeline and a step are exported when a receiver stops; what the next one reads of them is below them.
		case p.Kind == otlpjson.ProblemPlaceholder && !r.recorded(e.conversation(p.SpanID)):
			// The check is a guess that fits recordings. Mutated and generated calls have a few tokens each, too.
		case (p.Kind == otlpjson.ProblemUsageTwice || p.Kind == otlpjson.ProblemTotal) && e.hasSecondAccount(r, p):
			// The totals on a run's span are those of the first accounts of it and of its sub-agents. A second account adds
			// model calls that the first lacks.
		case p.Kind == otlpjson.ProblemTotal && r.claims(e.conversation(p.SpanID)):
			// A line claims the total, and a mutation took it from another session.
		default:
			f.add("structure: %v", p)
		}
	}
	for _, td := range e.traces {
		if n := (&ptrace.ProtoMarshaler{}).TracesSize(td); n > maxBatch && td.SpanCount() > 1 {
			f.add("batch of %d spans has %d bytes", td.SpanCount(), n)
		}
		for _, rs := range td.ResourceSpans().All() {
			f.resource(rs.Resource())
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					f.attributes("span "+span.Name(), span.Attributes())
				}
			}
		}
	}
	e.checkRecords(r, &f)
	e.checkMetrics(&f)
	return f
}

func (e exported) checkRecords(r *round, f *findings) {
	bodies := map[string]string{} // by uid
	for _, ld := range e.logs {
		if n := (&plog.ProtoMarshaler{}).LogsSize(ld); n > maxBatch && ld.LogRecordCount() > 1 {
			f.add("batch of %d records has %d bytes", ld.LogRecordCount(), n)
		}
		for _, rl := range ld.ResourceLogs().All() {
			f.resource(rl.Resource())
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					name := "record " + record.EventName()
					f.attributes(name, record.Attributes())
					uid, body := text(record.Attributes(), "log.record.uid"), ownOf(rl.Resource(), record)
					before, twice := bodies[uid]
					if uid == "" || twice && (!r.restart || before != body) {
						f.add("%s: uid %q comes twice or not at all: %.120q before %.120q", name, uid, before, body)
					}
					if bodies[uid] = body; record.Body().AsString() == "" {
						f.add("%s has no body", name)
					}
				}
			}
		}
	}
}

// ownOf returns what all accounts have of a record: the body; for a result only how it ended (for Gemini CLI, whose stream has
// no exit codes, not even that); for a start everything but the model. The result of a call has one uid in all accounts.
// A file that was read before a restart, and another account that is read after it, may both export it, with or without its
// name, lines and time.
func ownOf(resource pcommon.Resource, record plog.LogRecord) string {
	body := record.Body().AsString()
	switch record.EventName() {
	case "tailspan.tool_result":
		if text(resource.Attributes(), "tailspan.provider") == "gemini" {
			return ""
		}
		_, body, _ = strings.Cut(body, ": ")
		return ended.FindString(body)
	case "tailspan.session_start":
		body, _, _ = strings.Cut(body, ", ")
	}
	return body
}

// ended matches how a call ended, at the beginning of the body of its result.
var ended = regexp.MustCompile("^[a-z ]*")

func (f *findings) resource(r pcommon.Resource) {
	if n := r.Attributes().Len(); n > maxAttributes {
		f.add("resource has %d attributes", n)
	}
	f.attributes("resource", r.Attributes())
}

func (f *findings) attributes(of string, m pcommon.Map) {
	if different := len(m.AsRaw()); different < m.Len() {
		f.add("%s: %d attributes have %d different keys", of, m.Len(), different)
	}
	for key, v := range m.All() {
		switch v.Type() {
		case pcommon.ValueTypeStr:
			switch s := v.Str(); {
			case len(s) > maxAttribute:
				f.add("%s: %s has %d bytes", of, key, len(s))
			case strings.ContainsRune(s, 0) || !utf8.ValidString(s):
				f.add("%s: %s has a NUL or invalid UTF-8: %.40q", of, key, s)
			}
		case pcommon.ValueTypeDouble:
			if d := v.Double(); math.IsNaN(d) || math.IsInf(d, 0) || d < 0 {
				f.add("%s: %s is %v", of, key, d)
			}
		case pcommon.ValueTypeInt:
			if v.Int() < 0 && !strings.HasSuffix(key, "exit.code") {
				f.add("%s: %s is %d", of, key, v.Int())
			}
		}
	}
}

// checkMetrics checks that counters are finite, not negative, and never fall.
func (e exported) checkMetrics(f *findings) {
	for _, ofOne := range e.metrics {
		f.metrics(ofOne)
	}
}

func (f *findings) metrics(all []pmetric.Metrics) {
	last := map[string]float64{}
	for _, md := range all {
		for _, rm := range md.ResourceMetrics().All() {
			for _, sm := range rm.ScopeMetrics().All() {
				for _, m := range sm.Metrics().All() {
					for _, p := range points(m) {
						key := fmt.Sprint(m.Name(), rm.Resource().Attributes().AsRaw(), p.attributes.AsRaw())
						if math.IsNaN(p.value) || math.IsInf(p.value, 0) || p.value < last[key] || p.value > 1e15 {
							f.add("metric %s goes from %v to %v", key, last[key], p.value)
						}
						last[key] = p.value
					}
				}
			}
		}
	}
}

type point struct {
	attributes pcommon.Map
	value      float64
}

func points(m pmetric.Metric) (all []point) {
	switch m.Type() {
	case pmetric.MetricTypeSum:
		for _, p := range m.Sum().DataPoints().All() {
			v := p.DoubleValue()
			if p.ValueType() == pmetric.NumberDataPointValueTypeInt {
				v = float64(p.IntValue())
			}
			all = append(all, point{p.Attributes(), v})
		}
	case pmetric.MetricTypeHistogram:
		for _, p := range m.Histogram().DataPoints().All() {
			all = append(all, point{p.Attributes(), p.Sum()})
		}
	}
	return all
}

// content is what sessions say and do, identified by content and not by IDs.
type content map[string][]item

func (c content) add(name string, i item) { c[name] = append(c[name], i) }

// all yields the items.
func (c content) all(yield func(item) bool) {
	for _, items := range c {
		for _, i := range items {
			if !yield(i) {
				return
			}
		}
	}
}

// item is a text or a call.
type item struct {
	agent   string // the sub-agent that it belongs to, empty for the run's own agent
	session string // session of its run
	text    string // a text without invisible characters
	call    string // what accounts of a call with different IDs have in common: the target, a file's name, or the tool
}

// has reports whether the item of a session was exported in the form that another account of the session has.
func (c content) has(of item, alone content) bool {
	if of.call != "" {
		return c.calls(of) >= alone.calls(of)
	}
	return c.says(of)
}

// calls returns how many calls of the session match the item.
func (c content) calls(of item) (n int) {
	for i := range c.all {
		if i.call == of.call && i.session == of.session {
			n++
		}
	}
	return n
}

// says reports whether a text is part of an exported one of its session, or of several consecutive ones: accounts may
// split what the model says differently.
func (c content) says(of item) bool {
	var parts []string
	for i := range c.all {
		if i.session == of.session && strings.Contains(i.text, of.text) {
			return true
		}
		if i.session == of.session && i.text != "" {
			parts = append(parts, i.text)
		}
	}
	reached := make([]bool, len(of.text)+1)
	reached[0] = true
	for at := range of.text {
		for _, part := range parts {
			if reached[at] && strings.HasPrefix(of.text[at:], part) {
				reached[at+len(part)] = true
			}
		}
	}
	return reached[len(of.text)]
}

// saying returns the item with a text.
func (i item) saying(text string) item {
	i.text = strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			return r
		}
		return -1
	}, text)
	return i
}

// calling returns the item with the purpose of a call.
func (i item) calling(tool, target string) item {
	switch i.call = target; {
	case target == "":
		parts := strings.Split(tool, "__") // mcp__server__tool in one account, tool in the other
		i.call = strings.TrimPrefix(parts[len(parts)-1], "execute_tool ")
	case !strings.ContainsAny(target, " \n"):
		i.call = path.Base(target)
	}
	return i
}

func (e exported) content() content {
	c, agents := content{}, e.agents()
	for _, ld := range e.logs {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					if record.EventName() == "tailspan.text" {
						c.add("text "+record.Body().AsString(), agents[record.SpanID()].saying(record.Body().AsString()))
					}
				}
			}
		}
	}
	for span := range e.spans {
		if text(span.Attributes(), "gen_ai.operation.name") == "execute_tool" {
			target := text(span.Attributes(), "tailspan.tool.target")
			name := fmt.Sprintf("call %s %s %s", span.Name(), text(span.Attributes(), "gen_ai.tool.call.id"), target)
			c.add(name, agents[span.SpanID()].calling(span.Name(), target))
		}
	}
	return c
}

func (e exported) spans(yield func(ptrace.Span) bool) {
	for _, td := range e.traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(span) {
						return
					}
				}
			}
		}
	}
}

// conversation returns the session that a span belongs to.
func (e exported) conversation(id string) string {
	for span := range e.spans {
		if span.SpanID().String() == id {
			return text(span.Attributes(), "gen_ai.conversation.id")
		}
	}
	return ""
}

// hasSecondAccount reports whether the round has further accounts of the run that a problem is about, or of a sub-agent in its
// trace that has its own session: the run's file may name that too.
func (e exported) hasSecondAccount(r *round, p otlpjson.Problem) bool {
	run := e.conversation(p.SpanID)
	if r.accounts(run) > 1 {
		return true
	}
	for span := range e.spans {
		session := text(span.Attributes(), "gen_ai.conversation.id")
		if span.TraceID().String() == p.TraceID && session != "" && session != run && r.accounts(session) > 2 {
			return true
		}
	}
	return false
}

// isAgent reports whether a span is that of an agent.
func (e exported) isAgent(id string) bool {
	for span := range e.spans {
		if span.SpanID().String() == id {
			return text(span.Attributes(), "gen_ai.operation.name") == "invoke_agent"
		}
	}
	return false
}

// agents returns for each span the agent that did its work: the ID of the innermost sub-agent, or the session for sub-agents
// without an ID, and the session of the run.
func (e exported) agents() map[pcommon.SpanID]item {
	parents, agents := map[pcommon.SpanID]pcommon.SpanID{}, map[pcommon.SpanID]item{}
	for span := range e.spans {
		parents[span.SpanID()] = span.ParentSpanID()
		own := item{agent: text(span.Attributes(), "tailspan.agent.id"), session: text(span.Attributes(), "gen_ai.conversation.id")}
		if own.agent == "" && text(span.Attributes(), "gen_ai.operation.name") == "invoke_agent" && text(span.Attributes(), "tailspan.run.key") == "" {
			own.agent = own.session
		}
		agents[span.SpanID()] = own
	}
	of := map[pcommon.SpanID]item{}
	for id := range parents {
		var whose item
		up := id
		for range len(parents) { // a cycle is reported separately
			own, known := agents[up]
			if !known {
				break
			}
			whose.agent = cmp.Or(whose.agent, own.agent)
			whose.session = cmp.Or(own.session, whose.session)
			up = parents[up]
		}
		of[id] = whose
	}
	return of
}

// text returns a string attribute, or "".
func text(m pcommon.Map, key string) string {
	if v, ok := m.Get(key); ok {
		return v.AsString()
	}
	return ""
}
