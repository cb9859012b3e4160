package telemetry

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
)

// meter adds to the metrics for one stream. To find a series takes the hash of a dozen strings, and every span and usage
// adds to one or some; a stream has few, so those that it added to before are found by comparing what their keys do not
// share. What it adds waits until maxWaiting of it are there, or the stream's output is taken: all streams add to the same
// few series, which with each call would go from core to core, and their lock with them.
type meter struct {
	metrics *Metrics
	of      *otlp.Resource // of the stream; nil once scope is known
	scope   *metricScope   // what the metrics have of it; nil before the first measurement
	ignored int            // durations of spans that no span can have
	known   []meteredSeries
	waiting []measurement
}

// meteredSeries is a series and what its key has beyond the resource.
type meteredSeries struct {
	key    meteredKey
	series *series
}

// meteredKey distinguishes the series of one stream: to compare these takes half the time that whole keys take.
type meteredKey struct {
	instrument                                                       instrument
	model, agent, tool, toolType, kind, server, errorType, tokenType string
	outcome                                                          events.Outcome
	estimated                                                        bool
}

// measurement is what is to be added to a series.
type measurement struct {
	series *series
	value  float64
	whole  int64
	in     spanRef
}

const (
	// maxMetered is how many series a meter remembers; a stream of more tools than that begins anew.
	maxMetered = 64
	// maxWaiting is how many measurements wait at most.
	maxWaiting = 64
)

func newMeter(m *Metrics, r *otlp.Resource) meter {
	return meter{metrics: m, of: r}
}

// add adds a value to a series, and to its sum of whole things, unless this version of the conventions has no such metric.
func (m *meter) add(key *meteredKey, value float64, whole int64, in spanRef) {
	if descriptions[key.instrument].name(m.metrics.semconv) == "" {
		return
	}
	if len(m.waiting) == maxWaiting {
		m.metrics.add(m.waiting)
		m.waiting = m.waiting[:0]
	}
	m.waiting = append(m.waiting, measurement{m.find(key), value, whole, in})
}

// flush adds what waits, and keeps no room for more: the stream may be quiet for long.
func (m *meter) flush() {
	if len(m.waiting) > 0 {
		m.metrics.add(m.waiting)
		m.waiting = nil
	}
}

func (m *meter) find(key *meteredKey) *series {
	for i := range m.known {
		if m.known[i].key == *key {
			return m.known[i].series
		}
	}
	if len(m.known) == maxMetered {
		clear(m.known)
		m.known = m.known[:0]
	}
	if m.scope == nil {
		m.scope, m.of = m.metrics.scopeOf(m.of), nil
	}
	s := m.metrics.seriesOf(key.in(m.scope))
	m.known = append(m.known, meteredSeries{*key, s})
	return s
}

// in is the key among those of all streams.
func (k *meteredKey) in(scope *metricScope) seriesKey {
	return seriesKey{
		instrument: k.instrument, scope: scope, model: k.model, agent: k.agent, tool: k.tool, toolType: k.toolType, toolKind: k.kind,
		server: k.server, errorType: k.errorType, tokenType: k.tokenType, outcome: k.outcome.String(), estimated: k.estimated,
	}
}

// run counts a run that ended.
func (m *meter) run(a *agent, v verdict) {
	m.add(&meteredKey{
		instrument: instrumentRuns, agent: a.name, model: a.models.first(), outcome: v.outcome, errorType: v.errorType(),
	}, 1, 1, a.ref())
}

// count adds one to a counter of things.
func (m *meter) count(key meteredKey, in spanRef) { m.add(&key, 1, 1, in) }

// duration adds the length of a span, unless that ends with the time of a file, which measures nothing. One that the times of
// two lines make longer than any real one is ignored: it would be most of the sum.
func (m *meter) duration(key meteredKey, i *clock.Interval, in spanRef) {
	if i.End.Source.Rank() == clock.SourceFile {
		return
	}
	d := i.End.At.Sub(i.Start.At)
	if !events.PlausibleDuration(d) {
		m.ignored++
		return
	}
	m.add(&key, d.Seconds(), 0, in)
}

// takeIgnored is how many durations were ignored since the last call.
func (m *meter) takeIgnored() (n int) {
	n, m.ignored = m.ignored, 0
	return n
}

// user is who used tokens: the model, and the agent of the run, in a span.
type user struct {
	model, agent string
	in           spanRef
}

// tokens counts what a model used. Negative parts, which totals that were reset can make, count nothing.
func (m *meter) tokens(by user, t events.Tokens, costUSD float64) {
	key := meteredKey{model: by.model, agent: by.agent}
	for _, part := range [...]struct {
		instrument instrument
		n          int64
	}{
		{instrumentInputTokens, t.Input}, {instrumentOutputTokens, t.Output}, {instrumentCacheRead, t.CacheRead},
		{instrumentCacheWrite, t.CacheWrite}, {instrumentReasoning, t.Reasoning},
	} {
		if part.n > 0 {
			key.instrument = part.instrument
			m.add(&key, float64(part.n), part.n, by.in)
		}
	}
	key.instrument = instrumentTokenUsage
	for _, part := range [...]struct {
		tokenType string
		n         int64
	}{{"input", t.Input}, {"output", t.Output}} {
		if part.n > 0 {
			key.tokenType = part.tokenType
			m.add(&key, float64(part.n), part.n, by.in)
		}
	}
	if costUSD > 0 {
		key.instrument, key.tokenType = instrumentCost, ""
		m.add(&key, costUSD, 0, by.in)
	}
}

// estimatedCost counts what a model's work cost by a list of prices.
func (m *meter) estimatedCost(by user, usd float64) {
	if usd > 0 {
		m.add(&meteredKey{instrument: instrumentCost, model: by.model, agent: by.agent, estimated: true}, usd, 0, by.in)
	}
}
