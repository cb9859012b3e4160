package metrics

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/tailspan/tailspan/otlp"
)

// Set counts what the spans and the usage show. It has pipeline, step and the user's attributes, and never a session, a
// run or a path.
//
// It holds no more than [Settings.SeriesPerMetric] series of a metric: what comes beyond is counted under
// otel.metric.overflow. So are the calls of tools beyond [Settings.ToolNames] names, with all their other attributes.
//
// An export is [Set.Take], and [Set.Accepted] if it was accepted. What was not is in the next one again.
type Set struct {
	semconv  otlp.Semconv
	version  string
	settings Settings
	metricOf [instrumentEnd]Instrument
	now      func() time.Time

	mu     sync.Mutex
	from   time.Time // of the points: the start, with delta temporality the last accepted export
	taken  time.Time // the last export
	series map[seriesKey]*series
	order  []seriesKey // as they came, so that exports are stable
	count  [instrumentEnd]int
	scopes map[string]*metricScope
	tools  map[string]struct{}
	rest   *metricScope // of the series over the limit
}

// Settings say how metrics are exported.
type Settings struct {
	// Delta has each export hold what came since the last one, and not since the start.
	Delta bool
	// PromoteResource puts pipeline, step and the user's resource attributes on the data points too.
	PromoteResource bool
	// InstanceID is service.instance.id of the resource; see [otlp.NewInstanceID].
	InstanceID string
	// SeriesPerMetric bounds the series of each metric; ToolNames, the names of tools in them.
	SeriesPerMetric, ToolNames int
}

// New makes Metrics, whose series over the limits are those of a service. Version is tailspan's own, and now the clock.
func New(s Settings, semconv otlp.Semconv, version, service string, clock func() time.Time) *Set {
	now := clock()
	return &Set{
		semconv: semconv, version: version, settings: s, metricOf: metricOf(semconv), now: clock,
		from: now, taken: now, series: map[seriesKey]*series{}, scopes: map[string]*metricScope{}, tools: map[string]struct{}{},
		rest: &metricScope{service: service, overflow: true},
	}
}

// scopeOf is the scope of a resource; that of the overflow when there are too many.
func (m *Set) scopeOf(r *otlp.Resource) *metricScope {
	s := newMetricScope(r)
	key := s.key()
	m.mu.Lock()
	defer m.mu.Unlock()
	if known := m.scopes[key]; known != nil {
		return known
	}
	if len(m.scopes) >= m.settings.SeriesPerMetric {
		return m.rest
	}
	m.scopes[key] = s
	return s
}

// seriesOf is the series of a key, a new one if there is none; that of the overflow when there are too many.
func (m *Set) seriesOf(key seriesKey) *series {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.capTool(&key)
	if key.scope.overflow {
		key = m.overflow(&key)
	}
	if s := m.series[key]; s != nil {
		return s
	}
	if n := &m.count[m.metricOf[key.instrument]]; *n < m.settings.SeriesPerMetric {
		*n++
	} else if key = m.overflow(&key); m.series[key] != nil {
		return m.series[key]
	}
	bounds := descriptions[key.instrument].buckets
	s := &series{point: newPoint(bounds), born: m.now(), bounds: bounds}
	m.series[key] = s
	m.order = append(m.order, key)
	return s
}

// overflow is the key of the series that has what a metric has no room for.
func (m *Set) overflow(key *seriesKey) seriesKey {
	return seriesKey{instrument: key.instrument, scope: m.rest, overflow: true}
}

// capTool takes the name of a tool out of a key when there are too many names.
func (m *Set) capTool(key *seriesKey) {
	if key.tool == "" {
		return
	}
	if _, known := m.tools[key.tool]; known {
		return
	}
	if len(m.tools) < m.settings.ToolNames {
		m.tools[key.tool] = struct{}{}
		return
	}
	key.tool, key.server, key.overflow = "", "", true
}

// add adds measurements to their series.
func (m *Set) add(all []measurement) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range all {
		all[i].series.add(&all[i], all[i].series.bounds)
	}
}

// Take returns the series as they stand, to be exported. Cumulative ones begin with a point of zero, so that rates and
// increases in a back end have the first value: a series that is new is in one export with zero, and with its value in the next.
func (m *Set) Take(now time.Time) pmetric.Metrics {
	return m.take(now, false)
}

// TakeLast is Take where no further export follows: the first result has the zero points of new series, the second all values.
// Either may be empty.
func (m *Set) TakeLast(now time.Time) [2]pmetric.Metrics {
	if m.settings.Delta {
		return [2]pmetric.Metrics{pmetric.NewMetrics(), m.take(now, false)}
	}
	zeros := m.take(now, true)
	m.mu.Lock()
	for _, s := range m.series {
		if s.count > 0 {
			s.state = seriesBegun
		}
	}
	m.mu.Unlock()
	return [2]pmetric.Metrics{zeros, m.take(now, false)}
}

// Accepted reports that the last export was accepted.
func (m *Set) Accepted() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.settings.Delta {
		m.from = m.taken
	}
	for _, s := range m.series {
		if s.state == seriesOffered {
			s.state = seriesBegun
		}
		s.offered = point{}
	}
}

func (m *Set) take(now time.Time, zerosOnly bool) pmetric.Metrics {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.taken = now
	out := metricsWriter{metrics: m, out: pmetric.NewMetrics(), scopes: map[*metricScope]pmetric.MetricSlice{}, byName: map[metricKey]pmetric.Metric{}}
	for _, key := range m.order {
		s := m.series[key]
		p, end := &s.point, now
		switch {
		case m.settings.Delta:
			if p = s.takeDelta(); p.count == 0 {
				continue // nothing came, or its first measurement waits with a stream
			}
		case s.count == 0:
			continue
		case s.state != seriesBegun:
			s.state, end = seriesOffered, s.born
			p = zeroOf(s.bounds)
		case zerosOnly:
			continue
		}
		if floor := s.born.Add(time.Millisecond); p == &s.point && end.Before(floor) {
			end = floor // no back end keeps two points of one time
		}
		out.write(key, p, end)
		p.exemplar = exemplar{}
	}
	return out.out
}

// metricsWriter writes one export.
type metricsWriter struct {
	metrics *Set
	out     pmetric.Metrics
	scopes  map[*metricScope]pmetric.MetricSlice
	byName  map[metricKey]pmetric.Metric
}

type metricKey struct {
	scope *metricScope
	name  string
}

func (w *metricsWriter) write(key seriesKey, p *point, end time.Time) {
	list, ok := w.scopes[key.scope]
	if !ok {
		list = w.scope(key.scope)
		w.scopes[key.scope] = list
	}
	d, m := &descriptions[key.instrument], w.metrics
	at := metricKey{key.scope, d.name(m.semconv)}
	metric, ok := w.byName[at]
	if !ok {
		metric = list.AppendEmpty()
		d.describe(metric, at.name, m.settings.Delta)
		w.byName[at] = metric
	}
	times := pointTimes{pcommon.NewTimestampFromTime(m.from), pcommon.NewTimestampFromTime(end)}
	key.attributes(p.write(metric, d, times), m.semconv, m.settings.PromoteResource)
}

func (w *metricsWriter) scope(of *metricScope) pmetric.MetricSlice {
	m := w.metrics
	rm := w.out.ResourceMetrics().AppendEmpty()
	rm.SetSchemaUrl(m.semconv.SchemaURL())
	attrs := rm.Resource().Attributes()
	otlp.PutStr(attrs, otlp.AttrServiceName, of.service)
	otlp.PutStr(attrs, otlp.AttrServiceInstanceID, m.settings.InstanceID)
	for _, a := range of.attrs {
		attrs.PutStr(a.Key, a.Value)
	}
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.SetSchemaUrl(m.semconv.SchemaURL())
	sm.Scope().SetName(otlp.ScopeName)
	sm.Scope().SetVersion(m.version)
	return sm.Metrics()
}

func (d *description) describe(metric pmetric.Metric, name string, delta bool) {
	metric.SetName(name)
	metric.SetUnit(d.unit)
	metric.SetDescription(d.text)
	temporality := pmetric.AggregationTemporalityCumulative
	if delta {
		temporality = pmetric.AggregationTemporalityDelta
	}
	if d.buckets != nil {
		metric.SetEmptyHistogram().SetAggregationTemporality(temporality)
		return
	}
	sum := metric.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(temporality)
}
