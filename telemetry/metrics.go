package telemetry

import (
	"math"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

// Metrics counts what the spans and the usage tell, cumulative since it was made. It bears pipeline and step by name and
// never a session, a run or a path, and it holds no more than [Limits.MetricSeries] series: what comes beyond is counted
// under otel.metric.overflow.
type Metrics struct {
	semconv Semconv
	version string
	limit   int
	start   time.Time

	mu     sync.Mutex
	series map[seriesKey]*series
	order  []seriesKey // as they came, so that exports are stable
}

// instrument is one metric.
type instrument uint8

const (
	instrumentInputTokens instrument = iota
	instrumentOutputTokens
	instrumentCacheRead
	instrumentCacheWrite
	instrumentReasoning
	instrumentTokenUsage // v1.41: a histogram over both types
	instrumentInference
	instrumentInvokeAgent
	instrumentExecuteTool
	instrumentCost
	instrumentRuns
	instrumentEnd
)

// description is what a metric's export says of it. Names by semconv: the first for genai-0.1, the second for v1.41;
// empty where that version has none.
type description struct {
	v01, v141, unit, text string
	buckets               []float64 // of a histogram; nil for a counter
	decimal               bool      // a counter of fractions
}

// Buckets as the conventions advise them (v1.41.0, gen-ai-metrics).
var (
	durationBuckets = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	tokenBuckets    = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

var descriptions = [instrumentEnd]description{
	instrumentInputTokens:  {v01: "gen_ai.client.inference.usage.input_tokens", unit: "{token}", text: "Input tokens used, cached ones included."},
	instrumentOutputTokens: {v01: "gen_ai.client.inference.usage.output_tokens", unit: "{token}", text: "Output tokens used, reasoning included."},
	instrumentCacheRead:    {v01: "gen_ai.client.inference.usage.cache_read.input_tokens", unit: "{token}", text: "Input tokens read from a cache."},
	instrumentCacheWrite:   {v01: "gen_ai.client.inference.usage.cache_write.input_tokens", unit: "{token}", text: "Input tokens written to a cache."},
	instrumentReasoning:    {v01: "gen_ai.client.inference.usage.reasoning.output_tokens", unit: "{token}", text: "Output tokens used for reasoning."},
	instrumentTokenUsage:   {v141: "gen_ai.client.token.usage", unit: "{token}", text: "Tokens used by type.", buckets: tokenBuckets},
	instrumentInference:    {v01: "gen_ai.client.inference.duration", v141: "gen_ai.client.operation.duration", unit: "s", text: "Duration of model calls.", buckets: durationBuckets},
	instrumentInvokeAgent:  {v01: "gen_ai.invoke_agent.duration", v141: "gen_ai.client.operation.duration", unit: "s", text: "Duration of agents' runs.", buckets: durationBuckets},
	instrumentExecuteTool:  {v01: "gen_ai.execute_tool.duration", v141: "gen_ai.client.operation.duration", unit: "s", text: "Duration of tool calls.", buckets: durationBuckets},
	instrumentCost:         {v01: MetricCost, v141: MetricCost, unit: "{USD}", text: "Cost as the agents tell it.", decimal: true},
	instrumentRuns:         {v01: MetricRuns, v141: MetricRuns, unit: "{run}", text: "Runs that ended."},
}

func (d *description) name(s Semconv) string {
	if s == SemconvV141 {
		return d.v141
	}
	return d.v01
}

// seriesKey is one series: the metric and its attributes. Fields that a metric does not bear are empty.
type seriesKey struct {
	instrument instrument

	service, pipeline, task string // the resource

	operation, system, model, agent, tool, toolType, errorType, tokenType, outcome string
	overflow, estimated                                                            bool
}

// series is the value of one: a sum, and for a histogram the counts too.
type series struct {
	sum      float64
	whole    int64 // the sum of a counter of whole things, which a float could not hold
	count    uint64
	min, max float64
	bounds   []float64 // of the buckets; nil for a counter
	buckets  []uint64
}

func newMetrics(s *Settings) *Metrics {
	return &Metrics{semconv: s.Semconv, version: s.Version, limit: s.Limits.MetricSeries, start: s.Now(), series: map[seriesKey]*series{}}
}

// resourceKey begins a key with what the resource of a stream tells.
func resourceKey(r *resource) seriesKey {
	return seriesKey{
		service: r.agent.ServiceName, system: r.agent.System,
		pipeline: r.identity.Value(AttrPipelineName), task: r.identity.Value(AttrTaskName),
	}
}

// seriesOf is the series of a key, a new one if there is none; that of the overflow when there are too many.
func (m *Metrics) seriesOf(key *seriesKey) *series {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.series[*key]
	if s != nil {
		return s
	}
	of := *key
	if len(m.series) >= m.limit {
		of = seriesKey{instrument: key.instrument, service: key.service, overflow: true}
		if s = m.series[of]; s != nil {
			return s
		}
	}
	s = &series{min: math.Inf(1), max: math.Inf(-1), bounds: descriptions[key.instrument].buckets}
	if s.bounds != nil {
		s.buckets = make([]uint64, len(s.bounds)+1)
	}
	m.series[of] = s
	m.order = append(m.order, of)
	return s
}

// add adds measurements to their series.
func (m *Metrics) add(all []measurement) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range all {
		all[i].series.add(all[i].value, all[i].whole)
	}
}

func (s *series) add(value float64, whole int64) {
	s.sum += value
	s.whole += min(whole, math.MaxInt64-s.whole) // it never wraps around
	s.count++
	s.min, s.max = min(s.min, value), max(s.max, value)
	if s.bounds != nil {
		i := 0
		for i < len(s.bounds) && value > s.bounds[i] {
			i++
		}
		s.buckets[i]++
	}
}

// Take returns all series as they stand.
func (m *Metrics) Take(now time.Time) pmetric.Metrics {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := pmetric.NewMetrics()
	scopes := map[[3]string]pmetric.MetricSlice{}
	type metricKey struct {
		resource [3]string
		name     string
	}
	metrics := map[metricKey]pmetric.Metric{}
	for _, key := range m.order {
		if m.series[key].count == 0 {
			continue // its first measurement waits with a stream
		}
		of := [3]string{key.service, key.pipeline, key.task}
		list, ok := scopes[of]
		if !ok {
			list = m.scope(out, of)
			scopes[of] = list
		}
		d := &descriptions[key.instrument]
		at := metricKey{of, d.name(m.semconv)}
		metric, ok := metrics[at]
		if !ok {
			metric = list.AppendEmpty()
			d.describe(metric, at.name)
			metrics[at] = metric
		}
		m.point(metric, key, m.series[key], now)
	}
	return out
}

func (m *Metrics) scope(out pmetric.Metrics, of [3]string) pmetric.MetricSlice {
	rm := out.ResourceMetrics().AppendEmpty()
	rm.SetSchemaUrl(m.semconv.SchemaURL())
	attrs := rm.Resource().Attributes()
	putStr(attrs, AttrServiceName, of[0])
	putStr(attrs, AttrPipelineName, of[1])
	putStr(attrs, AttrTaskName, of[2])
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.SetSchemaUrl(m.semconv.SchemaURL())
	sm.Scope().SetName(ScopeName)
	sm.Scope().SetVersion(m.version)
	return sm.Metrics()
}

func (d *description) describe(metric pmetric.Metric, name string) {
	metric.SetName(name)
	metric.SetUnit(d.unit)
	metric.SetDescription(d.text)
	if d.buckets != nil {
		metric.SetEmptyHistogram().SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		return
	}
	sum := metric.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
}

func (m *Metrics) point(metric pmetric.Metric, key seriesKey, s *series, now time.Time) {
	begin, end := pcommon.NewTimestampFromTime(m.start), pcommon.NewTimestampFromTime(now)
	d := &descriptions[key.instrument]
	if d.buckets == nil {
		p := metric.Sum().DataPoints().AppendEmpty()
		p.SetStartTimestamp(begin)
		p.SetTimestamp(end)
		if d.decimal {
			p.SetDoubleValue(s.sum)
		} else {
			p.SetIntValue(s.whole)
		}
		key.attributes(p.Attributes(), m.semconv)
		return
	}
	p := metric.Histogram().DataPoints().AppendEmpty()
	p.SetStartTimestamp(begin)
	p.SetTimestamp(end)
	p.SetSum(s.sum)
	p.SetCount(s.count)
	p.SetMin(s.min)
	p.SetMax(s.max)
	p.ExplicitBounds().FromRaw(d.buckets)
	p.BucketCounts().FromRaw(s.buckets)
	key.attributes(p.Attributes(), m.semconv)
}

func (k *seriesKey) attributes(m pcommon.Map, s Semconv) {
	if k.overflow {
		m.PutBool(AttrMetricOverflow, true)
		return
	}
	putStr(m, AttrGenAIOperationName, k.operation)
	putStr(m, AttrGenAIProviderName, k.system)
	putStr(m, AttrGenAIRequestModel, k.model)
	putStr(m, AttrGenAIAgentName, k.agent)
	putStr(m, AttrGenAIToolName, k.tool)
	putStr(m, AttrGenAIToolType, k.toolType)
	putStr(m, AttrRunOutcome, k.outcome)
	putStr(m, AttrErrorType, k.errorType)
	putTrue(m, AttrCostEstimated, k.estimated)
	putStr(m, AttrGenAITokenType, k.tokenType)
	if s != SemconvV141 && k.instrument <= instrumentReasoning {
		m.PutStr(AttrGenAITokenModality, ModalityUnknown)
	}
}
