package telemetry

import "github.com/tailspan/tailspan/events"

// meter adds to the metrics for one stream. To find a series takes the hash of a dozen strings, and every span and usage
// adds to one or some; a stream has few, so those that it added to before are found by comparing, which mostly ends at
// the first field that differs.
type meter struct {
	metrics *Metrics
	base    seriesKey // what the resource of the stream tells
	known   []meteredSeries
}

type meteredSeries struct {
	key    seriesKey
	series *series
}

// maxMetered is how many series a meter remembers; a stream of more tools than that begins anew.
const maxMetered = 64

func newMeter(m *Metrics, r *resource) meter {
	return meter{metrics: m, base: resourceKey(r)}
}

// addLocked adds a value to a series, and to its sum of whole things, unless this version of the conventions has no such metric.
func (m *meter) addLocked(key *seriesKey, value float64, whole int64) {
	if descriptions[key.instrument].name(m.metrics.semconv) != "" {
		m.findLocked(key).add(value, whole)
	}
}

func (m *meter) findLocked(key *seriesKey) *series {
	for i := range m.known {
		if m.known[i].key == *key {
			return m.known[i].series
		}
	}
	if len(m.known) == maxMetered {
		clear(m.known)
		m.known = m.known[:0]
	}
	s := m.metrics.seriesOf(key)
	m.known = append(m.known, meteredSeries{*key, s})
	return s
}

// duration adds the length of a span.
func (m *meter) duration(key seriesKey, i *interval) {
	key.service, key.pipeline, key.task, key.system = m.base.service, m.base.pipeline, m.base.task, m.base.system
	m.metrics.mu.Lock()
	defer m.metrics.mu.Unlock()
	m.addLocked(&key, i.end.at.Sub(i.start.at).Seconds(), 0)
}

// tokens counts what a model used. Negative parts, which totals that were reset can make, count nothing.
func (m *meter) tokens(model string, t events.Tokens, costUSD float64) {
	m.metrics.mu.Lock()
	defer m.metrics.mu.Unlock()
	key := m.base
	key.operation, key.model = OperationChat, model
	for _, part := range [...]struct {
		instrument instrument
		n          int64
	}{
		{instrumentInputTokens, t.Input}, {instrumentOutputTokens, t.Output}, {instrumentCacheRead, t.CacheRead},
		{instrumentCacheWrite, t.CacheWrite}, {instrumentReasoning, t.Reasoning},
	} {
		if part.n > 0 {
			key.instrument = part.instrument
			m.addLocked(&key, float64(part.n), part.n)
		}
	}
	key.instrument = instrumentTokenUsage
	for _, part := range [...]struct {
		tokenType string
		n         int64
	}{{"input", t.Input}, {"output", t.Output}} {
		if part.n > 0 {
			key.tokenType = part.tokenType
			m.addLocked(&key, float64(part.n), part.n)
		}
	}
	if costUSD > 0 {
		key.instrument, key.tokenType = instrumentCost, ""
		m.addLocked(&key, costUSD, 0)
	}
}
