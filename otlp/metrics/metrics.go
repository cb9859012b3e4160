package metrics

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/tailspan/tailspan/otlp"
)

// Set holds metrics of spans and usage. They have pipeline, step and the user's attributes, and never a session, a run
// or a path.
//
// A Set holds at most [Settings.SeriesPerMetric] series of a metric. Everything beyond is counted under
// otel.metric.overflow. So are the calls of tools beyond [Settings.ToolNames] names, with all their other attributes.
//
// An export is a [Set.Take], followed by [Set.Accepted] if it was accepted. Otherwise the next export repeats it.
type Set struct {
	semconv  otlp.Semconv
	version  string
	settings Settings
	metricOf [instrumentEnd]Instrument
	now      func() time.Time

	mu     sync.Mutex
	from   time.Time // start of the points: the start or, with delta temporality, the last accepted export
	taken  time.Time // the last export
	series map[seriesKey]*series
	order  []seriesKey // by creation, so that exports are stable
	count  [instrumentEnd]int
	scopes map[string]*metricScope
	tools  map[string]struct{}
	rest   *metricScope // of the series over the limit
}

// Settings control the export of metrics.
type Settings struct {
	// Delta makes each export contain the changes since the last one instead of since the start.
	Delta bool
	// PromoteResource also puts pipeline, step and the user's resource attributes on data points.
	PromoteResource bool
	// InstanceID is service.instance.id of the resource; see [otlp.NewInstanceID].
	InstanceID string
	// SeriesPerMetric bounds the series of each metric, ToolNames the names of tools in them.
	SeriesPerMetric, ToolNames int
}

// New returns a Set. version is tailspan's. service is the service name of series over the limits.
func New(s Settings, semconv otlp.Semconv, version, service string, clock func() time.Time) *Set {
	now := clock()
	return &Set{
		semconv: semconv, version: version, settings: s, metricOf: metricOf(semconv), now: clock,
		from: now, taken: now, series: map[seriesKey]*series{}, scopes: map[string]*metricScope{}, tools: map[string]struct{}{},
		rest: &metricScope{service: service, overflow: true},
	}
}

// scopeOf returns the scope of a resource, or that of the overflow if there are too many.
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

// seriesOf returns the series of a key and creates a missing one, or that of the overflow if there are too many.
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

// overflow returns the key of the overflow series of a metric.
func (m *Set) overflow(key *seriesKey) seriesKey {
	return seriesKey{instrument: key.instrument, scope: m.rest, overflow: true}
}

// capTool removes the name of a tool from a key if there are too many names.
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

// Take returns the series for export. With cumulative temporality, a new series is exported with zero first and with
// its value in the next export, so that rates and increases in a back end include the first value.
func (m *Set) Take(now time.Time) pmetric.Metrics {
	return m.take(now, false)
}

// TakeLast is like Take for the final export. The first result contains the zero points of new series, the second all
// values. Either may be empty.
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

// Accepted records that the last export was accepted.
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
				continue // no measurement, or the first one is buffered in a Meter
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
			end = floor // no back end keeps two points with the same time
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
