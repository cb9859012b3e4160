package metrics

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/tailspan/tailspan/otlp"
)

// seriesKey identifies a series by its instrument and attributes. Fields that a metric does not have are empty.
type seriesKey struct {
	instrument Instrument
	scope      *metricScope

	model, agent, tool, toolType, toolKind, server, errorType, tokenType, outcome string
	overflow, estimated                                                           bool
}

func (k *seriesKey) attributes(m pcommon.Map, s otlp.Semconv, promote bool) {
	m.EnsureCapacity(len(k.scope.attrs) + 8)
	if promote {
		for _, a := range k.scope.attrs {
			if !strings.HasPrefix(a.Key, "service.") { // back ends derive job and instance from these
				m.PutStr(a.Key, a.Value)
			}
		}
	}
	otlp.PutTrue(m, otlp.AttrMetricOverflow, k.overflow)
	if k.scope.overflow {
		return
	}
	otlp.PutStr(m, otlp.AttrGenAIOperationName, descriptions[k.instrument].operation)
	otlp.PutStr(m, otlp.AttrGenAIProviderName, k.scope.system)
	otlp.PutStr(m, otlp.AttrGenAIRequestModel, k.model)
	otlp.PutStr(m, otlp.AttrGenAIAgentName, k.agent)
	otlp.PutStr(m, otlp.AttrGenAIToolName, k.tool)
	otlp.PutStr(m, otlp.AttrGenAIToolType, k.toolType)
	otlp.PutStr(m, otlp.AttrToolKind, k.toolKind)
	otlp.PutStr(m, otlp.AttrToolServer, k.server)
	otlp.PutStr(m, otlp.AttrRunOutcome, k.outcome)
	otlp.PutStr(m, otlp.AttrErrorType, k.errorType)
	otlp.PutTrue(m, otlp.AttrCostEstimated, k.estimated)
	otlp.PutStr(m, otlp.AttrGenAITokenType, k.tokenType)
	if s != otlp.SemconvV141 && k.instrument <= instrumentReasoning {
		m.PutStr(otlp.AttrGenAITokenModality, otlp.ModalityUnknown)
	}
}

// point is the value of a series over some time: a sum, and for a histogram also counts.
type point struct {
	sum      float64
	whole    int64 // the sum of an integer counter, which a float could not hold
	count    uint64
	min, max float64
	buckets  []uint64 // nil for a counter
	exemplar exemplar
}

// exemplar is the span of one measurement: the largest since the last export.
type exemplar struct {
	value float64
	in    otlp.SpanRef
}

func newPoint(buckets []float64) point {
	p := point{min: math.Inf(1), max: math.Inf(-1)}
	if buckets != nil {
		p.buckets = make([]uint64, len(buckets)+1)
	}
	return p
}

// add adds a measurement.
func (p *point) add(m *measurement, bounds []float64) {
	p.sum += m.value
	p.whole += min(m.whole, math.MaxInt64-p.whole) // saturate instead of wrapping around
	p.count++
	p.min, p.max = min(p.min, m.value), max(p.max, m.value)
	if p.buckets != nil {
		i := 0
		for i < len(bounds) && m.value > bounds[i] {
			i++
		}
		p.buckets[i]++
	}
	if m.value >= p.exemplar.value || p.exemplar.in.Trace.IsEmpty() {
		p.exemplar = exemplar{m.value, m.in}
	}
}

// merge adds another point of the same series.
func (p *point) merge(o *point) {
	p.sum += o.sum
	p.whole += min(o.whole, math.MaxInt64-p.whole)
	p.count += o.count
	p.min, p.max = min(p.min, o.min), max(p.max, o.max)
	for i, n := range o.buckets {
		p.buckets[i] += n
	}
	if o.exemplar.value >= p.exemplar.value {
		p.exemplar = o.exemplar
	}
}

// seriesState is the export state of a series.
type seriesState uint8

const (
	seriesNew     seriesState = iota
	seriesOffered             // its zero point is in an export that was not accepted yet
	seriesBegun               // its zero point was accepted
)

// series is the state of a series.
type series struct {
	point
	born   time.Time
	state  seriesState
	bounds []float64 // of the buckets; nil for a counter
	// offered is the content of the last export with delta temporality, until that is accepted.
	offered point
}

// takeDelta returns the changes since the last accepted export.
func (s *series) takeDelta() *point {
	switch {
	case s.count == 0:
	case s.offered.count == 0:
		s.offered, s.point = s.point, newPoint(s.bounds)
	default:
		s.offered.merge(&s.point)
		s.point = newPoint(s.bounds)
	}
	return &s.offered
}

// write writes the point as a data point.
func (p *point) write(to pmetric.Metric, d *description, times pointTimes) pcommon.Map {
	if d.buckets == nil {
		n := to.Sum().DataPoints().AppendEmpty()
		n.SetStartTimestamp(times.start)
		n.SetTimestamp(times.end)
		if d.decimal {
			n.SetDoubleValue(p.sum)
		} else {
			n.SetIntValue(p.whole)
		}
		if e := p.exemplar; !e.in.Trace.IsEmpty() {
			out := n.Exemplars().AppendEmpty()
			e.write(out, times.end)
			if d.decimal {
				out.SetDoubleValue(e.value)
			} else {
				out.SetIntValue(int64(e.value))
			}
		}
		return n.Attributes()
	}
	h := to.Histogram().DataPoints().AppendEmpty()
	h.SetStartTimestamp(times.start)
	h.SetTimestamp(times.end)
	h.SetSum(p.sum)
	h.SetCount(p.count)
	if p.count > 0 {
		h.SetMin(p.min)
		h.SetMax(p.max)
	}
	h.ExplicitBounds().FromRaw(d.buckets)
	h.BucketCounts().FromRaw(p.buckets)
	if e := p.exemplar; !e.in.Trace.IsEmpty() {
		out := h.Exemplars().AppendEmpty()
		e.write(out, times.end)
		out.SetDoubleValue(e.value)
	}
	return h.Attributes()
}

func (e *exemplar) write(to pmetric.Exemplar, at pcommon.Timestamp) {
	to.SetTimestamp(at)
	to.SetTraceID(e.in.Trace)
	to.SetSpanID(e.in.Span)
}

// zeroOf returns the first point of a series with these buckets.
func zeroOf(bounds []float64) *point {
	p := newPoint(bounds)
	return &p
}

// pointTimes holds the times of a data point.
type pointTimes struct{ start, end pcommon.Timestamp }

// metricScope is the common part of the series of a pipeline's step: their resource and, with
// [Settings.PromoteResource], its attributes on each point.
type metricScope struct {
	service  string // of the resource
	system   string
	attrs    []otlp.Attribute // of the resource except the service name
	overflow bool             // of the series over the limit
	buffers  sync.Pool        // of [*buffer], whose known series are of this scope
}

// maxScopeAttributes bounds the resource attributes of metrics.
const maxScopeAttributes = 32

// unmetered are resource attributes that metrics never have, because each run has different values.
var unmetered = []string{
	otlp.AttrGenAIAgentName, // an attribute of the agent's work, not of the place where it runs
	otlp.AttrGenAIConversationID, otlp.AttrServiceName, otlp.AttrSessionID,
	otlp.AttrPipelineRunID, otlp.AttrPipelineRunURL, otlp.AttrTaskRunID, otlp.AttrTaskRunURL,
	otlp.AttrVCSHeadName, otlp.AttrVCSHeadRevision, otlp.AttrLogFileName, otlp.AttrLogFilePath, "process.pid", otlp.AttrVCSChangeID,
}

// newMetricScope returns the scope of a resource.
func newMetricScope(r *otlp.Resource) *metricScope {
	s := &metricScope{service: r.ServiceName(), system: r.System}
	for _, a := range r.IdentityAttributes() {
		if len(s.attrs) < maxScopeAttributes && !slices.Contains(unmetered, a.Key) {
			otlp.Bound(&a.Value, otlp.NameBytes)
			s.attrs = append(s.attrs, a)
		}
	}
	return s
}

// key returns a key that is equal for equal scopes.
func (s *metricScope) key() string {
	buf := otlp.AppendPart(otlp.AppendPart(nil, s.service), s.system)
	for _, a := range s.attrs {
		buf = otlp.AppendPart(otlp.AppendPart(buf, a.Key), a.Value)
	}
	return string(buf)
}
