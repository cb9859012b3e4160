package telemetry_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// dataPoint is a data point of any type.
type dataPoint struct {
	metric, unit string
	resource, at pcommon.Map
	value        float64 // of a histogram the sum
	count        uint64  // of a histogram
	bounds       []float64
	start, end   time.Time
	temporality  pmetric.AggregationTemporality
	exemplar     pmetric.Exemplar
	exemplars    int
}

// key identifies a point by its metric and the values of some attributes.
func (p *dataPoint) key(attributes ...string) string {
	parts := []string{p.metric}
	for _, name := range attributes {
		if v, ok := p.at.Get(name); ok {
			parts = append(parts, v.AsString())
		}
	}
	return strings.Join(parts, " ")
}

func pointsOf(md pmetric.Metrics) (all []dataPoint) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			p := dataPoint{metric: m.Name(), unit: m.Unit(), resource: rm.Resource().Attributes()}
			if m.Type() == pmetric.MetricTypeHistogram {
				p.temporality = m.Histogram().AggregationTemporality()
				for _, h := range m.Histogram().DataPoints().All() {
					p.at, p.value, p.count, p.bounds = h.Attributes(), h.Sum(), h.Count(), h.ExplicitBounds().AsRaw()
					p.start, p.end, p.exemplars = h.StartTimestamp().AsTime(), h.Timestamp().AsTime(), h.Exemplars().Len()
					if p.exemplars > 0 {
						p.exemplar = h.Exemplars().At(0)
					}
					all = append(all, p)
				}
				continue
			}
			p.temporality = m.Sum().AggregationTemporality()
			for _, n := range m.Sum().DataPoints().All() {
				p.at, p.value = n.Attributes(), n.DoubleValue()
				if n.ValueType() == pmetric.NumberDataPointValueTypeInt {
					p.value = float64(n.IntValue())
				}
				p.start, p.end, p.exemplars = n.StartTimestamp().AsTime(), n.Timestamp().AsTime(), n.Exemplars().Len()
				if p.exemplars > 0 {
					p.exemplar = n.Exemplars().At(0)
				}
				all = append(all, p)
			}
		}
	}
	return all
}

// valuesBy sums the values of points by key.
func valuesBy(points []dataPoint, attributes ...string) map[string]float64 {
	sums := map[string]float64{}
	for i := range points {
		sums[points[i].key(attributes...)] += points[i].value
	}
	return sums
}

// meterRegistry returns a registry whose clock stands still, and its settings.
func meterRegistry(change func(*telemetry.Settings)) *telemetry.Registry {
	s := telemetry.NewDefaultSettings()
	s.Now = func() time.Time { return at(0) }
	if change != nil {
		change(&s)
	}
	return telemetry.NewRegistry(s)
}

// meterRun applies a run of one call for each tool, with a cost.
func meterRun(r *telemetry.Registry, identity otlp.Identity, session string, usd float64, tools ...events.Tool) {
	s := r.Open(telemetry.StreamSettings{ID: session, Identity: identity, Agent: claude})
	sc := script{line(started()), line(text(0, "m-"+session, "Hello."))}
	for i, tool := range tools {
		call, done := use(float64(i), "m-"+session, fmt.Sprint("c", i), tool.Name, tool.Target), result(float64(i)+0.5, fmt.Sprint("c", i))
		call.Tool.Server, call.Tool.AgentType = tool.Server, tool.AgentType
		done.Tool.Error, done.Tool.Denied = tool.Error, tool.Denied
		sc = append(sc, line(call), line(done))
	}
	end := ended("")
	end.Time = at(float64(len(tools)))
	usage := events.DisplayEvent{Kind: events.KindUsage, Time: end.Time, Model: "m1", ItemID: "u", Usage: &events.Usage{
		Scope: events.UsageScopeRun, Tokens: events.Tokens{Input: 100, Output: 10, CacheRead: 60, CacheWrite: 5, Reasoning: 3}, CostUSD: usd, HasCost: true,
	}}
	for i, evs := range append(sc, line(usage, end)) {
		for j := range evs {
			evs[j].SessionID = session
		}
		s.Feed(telemetry.Line{Offset: int64(i)}, evs)
	}
	s.Close(otlp.CloseReasonShutdown)
	s.Take()
}

// TestSeriesBeginAtZero: the first export of a series is a point of zero at the time the series began, and the next one
// has its value. An export that is not accepted is repeated.
func TestSeriesBeginAtZero(t *testing.T) {
	r := meterRegistry(nil)
	meterRun(r, nightly("fix"), "s1", 0.5, events.Tool{Name: "Bash"})
	m := r.Metrics()
	for range 2 { // the first one is rejected
		points := pointsOf(m.Take(at(10)))
		require.NotEmpty(t, points)
		for _, p := range points {
			assert.Zero(t, p.value, p.metric)
			assert.Zero(t, p.count, p.metric)
			assert.Zero(t, p.exemplars, p.metric)
			assert.Equal(t, at(0), p.end, "when it began")
		}
	}
	m.Accepted()
	points := pointsOf(m.Take(at(20)))
	for _, p := range points {
		assert.NotZero(t, p.value+float64(p.count), p.metric)
		assert.Equal(t, [2]time.Time{at(0), at(20)}, [2]time.Time{p.start, p.end})
		assert.Equal(t, pmetric.AggregationTemporalityCumulative, p.temporality)
	}
	m.Accepted()
	meterRun(r, nightly("test"), "s2", 0.25)
	last := m.TakeLast(at(30))
	assert.Equal(t, map[string]float64{"tailspan.cost test": 0}, valuesBy(named(pointsOf(last[0]), "tailspan.cost"), otlp.AttrTaskName), "new ones alone")
	assert.Equal(t, map[string]float64{"tailspan.cost fix": 0.5, "tailspan.cost test": 0.25}, valuesBy(named(pointsOf(last[1]), "tailspan.cost"), otlp.AttrTaskName))
}

func named(points []dataPoint, metric string) []dataPoint {
	return slices.DeleteFunc(points, func(p dataPoint) bool { return p.metric != metric })
}

// TestDeltaTemporality: each export contains the changes since the last accepted one.
func TestDeltaTemporality(t *testing.T) {
	r := meterRegistry(func(s *telemetry.Settings) { s.Metrics.Delta = true })
	m := r.Metrics()
	take := func(sec float64) (sum float64, from, to time.Time) {
		for _, p := range named(pointsOf(m.Take(at(sec))), otlp.MetricCost) {
			assert.Equal(t, pmetric.AggregationTemporalityDelta, p.temporality)
			sum, from, to = sum+p.value, p.start, p.end
		}
		return sum, from, to
	}
	meterRun(r, nightly("fix"), "s1", 0.5)
	sum, from, to := take(10)
	assert.Equal(t, []any{0.5, at(0), at(10)}, []any{sum, from, to}, "no zero before it")
	meterRun(r, nightly("fix"), "s2", 0.25)
	sum, from, to = take(20)
	assert.Equal(t, []any{0.75, at(0), at(20)}, []any{sum, from, to}, "the one before was refused")
	m.Accepted()
	assert.Empty(t, pointsOf(m.Take(at(25))), "nothing new")
	m.Accepted()
	meterRun(r, nightly("fix"), "s3", 1)
	last := m.TakeLast(at(30))
	assert.Empty(t, pointsOf(last[0]))
	points := named(pointsOf(last[1]), otlp.MetricCost)
	require.Len(t, points, 1)
	assert.Equal(t, []any{1.0, at(25), at(30)}, []any{points[0].value, points[0].start, points[0].end})
}

// TestPromotedResource: pipeline, step and the user's attributes are on resource and points, and attributes that differ
// in each run are on neither.
func TestPromotedResource(t *testing.T) {
	identity := otlp.NewIdentity([]otlp.Attribute{
		{Key: otlp.AttrPipelineName, Value: "nightly"}, {Key: otlp.AttrPipelineRunID, Value: "4711"},
		{Key: otlp.AttrTaskName, Value: "fix"}, {Key: otlp.AttrTaskRunID, Value: "4711-1"},
		{Key: otlp.AttrVCSHeadRevision, Value: "abc"}, {Key: "team", Value: "blue"}, {Key: otlp.AttrServiceName, Value: "agents"},
	}...)
	for _, promote := range []bool{true, false} {
		r := meterRegistry(func(s *telemetry.Settings) { s.Metrics.PromoteResource, s.Metrics.InstanceID = promote, "one" })
		meterRun(r, identity, "s1", 0.5, events.Tool{Name: "Bash"})
		points := pointsOf(r.Metrics().TakeLast(at(10))[1])
		require.NotEmpty(t, points)
		for _, p := range points {
			assert.Equal(t, map[string]any{
				"service.name": "agents", "service.instance.id": "one", "cicd.pipeline.name": "nightly", "cicd.pipeline.task.name": "fix", "team": "blue",
			}, p.resource.AsRaw())
			for key, want := range map[string]string{"cicd.pipeline.name": "nightly", "cicd.pipeline.task.name": "fix", "team": "blue"} {
				got, ok := p.at.Get(key)
				assert.Equal(t, promote, ok, "%s on %s", key, p.metric)
				if ok {
					assert.Equal(t, want, got.Str())
				}
			}
			for _, key := range []string{"cicd.pipeline.run.id", "cicd.pipeline.task.run.id", "vcs.ref.head.revision", "service.name"} {
				assert.NotContains(t, p.at.AsRaw(), key)
			}
		}
	}
}

// TestPromotedAttributesAreBounded: an in-band line or a path may have any number of attributes of any length.
func TestPromotedAttributesAreBounded(t *testing.T) {
	var attrs []otlp.Attribute
	for i := range 200 {
		attrs = append(attrs, otlp.Attribute{Key: fmt.Sprintf("key%03d", i), Value: strings.Repeat("v", 5000)})
	}
	r := meterRegistry(nil)
	meterRun(r, otlp.NewIdentity(attrs...), "s1", 0.5)
	for _, p := range pointsOf(r.Metrics().TakeLast(at(10))[1]) {
		assert.LessOrEqual(t, p.at.Len(), 42)
		for _, v := range p.at.All() {
			assert.LessOrEqual(t, len(v.AsString()), 256)
		}
	}
}

// TestToolMetrics: calls by tool, kind, server and result, and for a followed run its retries and compactions.
func TestToolMetrics(t *testing.T) {
	r := meterRegistry(nil)
	meterRun(r, otlp.Identity{}, "s1", 0, []events.Tool{
		{Name: "Bash"}, {Name: "exec_command", Error: true}, {Name: "Bash", Error: true, Denied: true}, {Name: "Read"}, {Name: "apply_patch"},
		{Name: "Grep"}, {Name: "web_fetch"}, {Name: "Task", AgentType: "Explore"}, {Name: "find_issue", Server: "tracker"}, {Name: "TodoWrite"},
		{Name: "look_around", AgentType: "scout"},
	}...)
	points := pointsOf(r.Metrics().TakeLast(at(100))[1])
	want := map[string]float64{
		"Bash shell": 1, "exec_command shell tool_error": 1, "Bash shell permission_denied": 1, "Read read": 1, "apply_patch edit": 1, "Grep search": 1,
		"web_fetch web": 1, "Task agent": 1, "find_issue mcp tracker": 1, "TodoWrite other": 1, "look_around agent": 1,
	}
	prefixed := map[string]float64{}
	for key, n := range want {
		prefixed[otlp.MetricToolCalls+" "+key] = n
	}
	by := []string{otlp.AttrGenAIToolName, otlp.AttrToolKind, otlp.AttrToolServer, otlp.AttrErrorType}
	assert.Equal(t, prefixed, valuesBy(named(slices.Clone(points), otlp.MetricToolCalls), by...))
	durations := slices.DeleteFunc(points, func(p dataPoint) bool {
		operation, _ := p.at.Get(otlp.AttrGenAIOperationName)
		return p.metric != "gen_ai.client.operation.duration" || operation.Str() != otlp.OperationExecuteTool
	})
	assert.Len(t, slices.Collect(maps.Keys(valuesBy(durations, by...))), len(want), "the durations have the same attributes")
}

func TestNoticeMetrics(t *testing.T) {
	f := follow(telemetry.StreamSettings{Identity: nightly("fix")})
	notice := func(code, id string) events.DisplayEvent {
		return events.DisplayEvent{Kind: events.KindNotice, Time: at(2), SessionID: "s1", ItemID: id, Text: "x", Notice: events.Notice{Code: code}}
	}
	for _, ev := range []events.DisplayEvent{
		started(), text(1, "msg1", "One."), notice(events.NoticeAPIRetry, "n1"), notice(events.NoticeAPIRetry, "n2"), notice(events.NoticeCompaction, "n3"),
		notice(events.NoticeHook, "n4"), notice(events.NoticeAPIRetry, "n1"), ended(""),
	} {
		f.feed(false, ev)
	}
	got := valuesBy(pointsOf(f.Metrics().TakeLast(f.now)[1]), otlp.AttrGenAIRequestModel)
	assert.EqualValues(t, 2, got[otlp.MetricRetries+" m1"], "one came twice")
	assert.EqualValues(t, 1, got[otlp.MetricCompactions+" m1"])
}

// TestTokenMetrics: both versions also count the parts of the input and output tokens.
func TestTokenMetrics(t *testing.T) {
	for semconv, want := range map[otlp.Semconv]map[string]float64{
		otlp.SemconvV141: {
			"gen_ai.client.token.usage input": 100, "gen_ai.client.token.usage output": 10, "tailspan.usage.cache_read.input_tokens": 60,
			"tailspan.usage.cache_write.input_tokens": 5, "tailspan.usage.reasoning.output_tokens": 3,
		},
		otlp.SemconvGenAI01: {
			"gen_ai.client.inference.usage.input_tokens": 100, "gen_ai.client.inference.usage.output_tokens": 10,
			"gen_ai.client.inference.usage.cache_read.input_tokens": 60, "gen_ai.client.inference.usage.cache_write.input_tokens": 5,
			"gen_ai.client.inference.usage.reasoning.output_tokens": 3,
		},
	} {
		r := meterRegistry(func(s *telemetry.Settings) { s.Semconv = semconv })
		meterRun(r, otlp.Identity{}, "s1", 0)
		tokens := slices.DeleteFunc(pointsOf(r.Metrics().TakeLast(at(10))[1]), func(p dataPoint) bool { return p.unit != "{token}" })
		assert.Equal(t, want, valuesBy(tokens, otlp.AttrGenAITokenType))
		for _, p := range tokens {
			agent, _ := p.at.Get(otlp.AttrGenAIAgentName)
			assert.Equal(t, "claude-code", agent.Str(), p.metric)
		}
	}
}

// TestBuckets: an hour of a tool and six hours of a run are in a bucket, and all durations of one metric share their bounds.
func TestBuckets(t *testing.T) {
	for _, semconv := range []otlp.Semconv{otlp.SemconvGenAI01, otlp.SemconvV141} {
		r := meterRegistry(func(s *telemetry.Settings) { s.Semconv = semconv })
		meterRun(r, otlp.Identity{}, "s1", 0, events.Tool{Name: "Bash"})
		longest := map[string]float64{}
		for _, p := range pointsOf(r.Metrics().TakeLast(at(10))[1]) {
			if p.unit == "s" {
				operation, _ := p.at.Get(otlp.AttrGenAIOperationName)
				longest[operation.Str()] = p.bounds[len(p.bounds)-1]
			}
		}
		assert.Equal(t, map[string]float64{"chat": 3600, "execute_tool": 3600, "invoke_agent": 21600}, longest)
	}
}

// TestExemplars: a point has the span of the largest value since the last export.
func TestExemplars(t *testing.T) {
	r := meterRegistry(nil)
	s := r.Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	f := &collected{}
	sc := script{line(started()), line(use(0, "m1", "short", "Bash", "true")), line(result(1, "short")), line(use(2, "m1", "long", "Bash", "make")), line(result(9, "long")), line(use(10, "m1", "late", "Bash", "true")), line(result(12, "late"))}
	for i, evs := range sc {
		s.Feed(telemetry.Line{Offset: int64(i)}, evs)
	}
	f.take(s.Take())
	s.Close(otlp.CloseReasonShutdown)
	f.take(s.Take())
	for _, p := range pointsOf(r.Metrics().TakeLast(at(20))[1]) {
		require.Equal(t, 1, p.exemplars, p.metric)
		assert.False(t, p.exemplar.TraceID().IsEmpty())
		name, _ := p.at.Get(otlp.AttrGenAIToolName)
		if p.unit != "s" || name.Str() == "" {
			continue
		}
		assert.InDelta(t, 7, p.exemplar.DoubleValue(), 1e-9)
		for _, span := range f.spans {
			if attr(span, otlp.AttrGenAIToolCallID) == "long" {
				assert.Equal(t, span.SpanID(), p.exemplar.SpanID())
				assert.Equal(t, span.TraceID(), p.exemplar.TraceID())
			}
		}
	}
	for _, p := range pointsOf(r.Metrics().Take(at(30))) {
		assert.Zero(t, p.exemplars, "nothing came since")
	}
}

// TestLimitsOfMetrics: values over the limit are counted under one series of their metric, and tools beyond the number
// of names without their name; the sums stay correct.
func TestLimitsOfMetrics(t *testing.T) {
	r := meterRegistry(func(s *telemetry.Settings) { s.Metrics.SeriesPerMetric, s.Metrics.ToolNames = 3, 2 })
	for i := range 5 {
		meterRun(r, nightly(fmt.Sprint("step", i)), fmt.Sprint("s", i), 1)
	}
	meterRun(r, nightly("step0"), "s9", 1, events.Tool{Name: "a"}, events.Tool{Name: "b"}, events.Tool{Name: "c", Server: "x"}, events.Tool{Name: "d", Server: "y"})
	points := pointsOf(r.Metrics().TakeLast(at(10))[1])
	cost := named(slices.Clone(points), otlp.MetricCost)
	assert.Equal(t, map[string]float64{
		"tailspan.cost step0": 2, "tailspan.cost step1": 1, "tailspan.cost step2": 1, "tailspan.cost true": 2,
	}, valuesBy(cost, otlp.AttrTaskName, otlp.AttrMetricOverflow))
	for _, p := range cost {
		if _, rest := p.at.Get(otlp.AttrMetricOverflow); rest {
			assert.Equal(t, map[string]any{"otel.metric.overflow": true}, p.at.AsRaw())
		}
	}
	assert.Equal(t, map[string]float64{
		"tailspan.tool.calls step0 a": 1, "tailspan.tool.calls step0 b": 1, "tailspan.tool.calls step0 true": 2,
	}, valuesBy(named(points, otlp.MetricToolCalls), otlp.AttrTaskName, otlp.AttrGenAIToolName, otlp.AttrToolServer, otlp.AttrMetricOverflow))
}

func TestInstanceID(t *testing.T) {
	const uuid = "^[0-9a-f]{8}-[0-9a-f]{4}-%d[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
	one := otlp.NewInstanceID("collector", "agent_stream/a")
	assert.Regexp(t, fmt.Sprintf(uuid, 5), one)
	assert.Equal(t, one, otlp.NewInstanceID("collector", "agent_stream/a"), "it stays")
	assert.NotEqual(t, one, otlp.NewInstanceID("collector", "agent_stream/b"))
	random := otlp.NewInstanceID()
	assert.Regexp(t, fmt.Sprintf(uuid, 4), random)
	assert.NotEqual(t, random, otlp.NewInstanceID())
}
