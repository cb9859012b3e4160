package metrics

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Meter adds to the metrics for one stream. To find a series takes the hash of a dozen strings, and every span and usage
// adds to one or some; a stream has few, so those that it added to before are found by comparing what their keys do not
// share. What it adds waits until maxWaiting of it are there, or the stream's output is taken: all streams add to the same
// few series, which with each call would go from core to core, and their lock with them.
type Meter struct {
	metrics *Set
	of      *otlp.Resource // of the stream; nil once scope is known
	scope   *metricScope   // what the metrics have of it; nil before the first measurement
	ignored int            // durations of spans that no span can have
	known   []meteredSeries
	waiting []measurement
}

// meteredSeries is a series and what its key has beyond the resource.
type meteredSeries struct {
	key    Key
	series *series
}

// Key distinguishes the series of one stream: to compare these takes half the time that whole keys take.
type Key struct {
	Instrument                                                       Instrument
	Model, Agent, Tool, ToolType, Kind, Server, ErrorType, tokenType string
	Outcome                                                          events.Outcome
	estimated                                                        bool
}

// measurement is what is to be added to a series.
type measurement struct {
	series *series
	value  float64
	whole  int64
	in     otlp.SpanRef
}

const (
	// maxMetered is how many series a meter remembers; a stream of more tools than that begins anew.
	maxMetered = 64
	// maxWaiting is how many measurements wait at most.
	maxWaiting = 64
)

func NewMeter(m *Set, r *otlp.Resource) Meter {
	return Meter{metrics: m, of: r}
}

// add adds a value to a series, and to its sum of whole things, unless this version of the conventions has no such metric.
func (m *Meter) add(key *Key, value float64, whole int64, in otlp.SpanRef) {
	if descriptions[key.Instrument].name(m.metrics.semconv) == "" {
		return
	}
	if len(m.waiting) == maxWaiting {
		m.Flush()
	}
	m.waiting = append(m.waiting, measurement{m.find(key), value, whole, in})
}

// Flush adds what waits.
func (m *Meter) Flush() {
	if len(m.waiting) > 0 {
		m.metrics.add(m.waiting)
		m.waiting = m.waiting[:0]
	}
}

func (m *Meter) find(key *Key) *series {
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
func (k *Key) in(scope *metricScope) seriesKey {
	return seriesKey{
		instrument: k.Instrument, scope: scope, model: k.Model, agent: k.Agent, tool: k.Tool, toolType: k.ToolType, toolKind: k.Kind,
		server: k.Server, errorType: k.ErrorType, tokenType: k.tokenType, outcome: k.Outcome.String(), estimated: k.estimated,
	}
}

// Count adds one to a counter of things.
func (m *Meter) Count(key Key, in otlp.SpanRef) { m.add(&key, 1, 1, in) }

// Duration adds the length of a span. One that the times of two lines make longer than any real one is ignored: it would be
// most of the sum.
func (m *Meter) Duration(key Key, d time.Duration, in otlp.SpanRef) {
	if !events.PlausibleDuration(d) {
		m.ignored++
		return
	}
	m.add(&key, d.Seconds(), 0, in)
}

// TakeIgnored is how many durations were ignored since the last call.
func (m *Meter) TakeIgnored() (n int) {
	n, m.ignored = m.ignored, 0
	return n
}

// User is who used tokens: the model, and the agent of the run, in a span.
type User struct {
	Model, Agent string
	In           otlp.SpanRef
}

// Tokens counts what a model used. Negative parts, which totals that were reset can make, count nothing.
func (m *Meter) Tokens(by User, t events.Tokens, costUSD float64) {
	key := Key{Model: by.Model, Agent: by.Agent}
	for _, part := range [...]struct {
		instrument Instrument
		n          int64
	}{
		{instrumentInputTokens, t.Input}, {instrumentOutputTokens, t.Output}, {instrumentCacheRead, t.CacheRead},
		{instrumentCacheWrite, t.CacheWrite}, {instrumentReasoning, t.Reasoning},
	} {
		if part.n > 0 {
			key.Instrument = part.instrument
			m.add(&key, float64(part.n), part.n, by.In)
		}
	}
	key.Instrument = instrumentTokenUsage
	for _, part := range [...]struct {
		tokenType string
		n         int64
	}{{"input", t.Input}, {"output", t.Output}} {
		if part.n > 0 {
			key.tokenType = part.tokenType
			m.add(&key, float64(part.n), part.n, by.In)
		}
	}
	if costUSD > 0 {
		key.Instrument, key.tokenType = instrumentCost, ""
		m.add(&key, costUSD, 0, by.In)
	}
}

// EstimatedCost counts what a model's work cost by a list of prices.
func (m *Meter) EstimatedCost(by User, usd float64) {
	if usd > 0 {
		m.add(&Key{Instrument: instrumentCost, Model: by.Model, Agent: by.Agent, estimated: true}, usd, 0, by.In)
	}
}

// Trim drops the series that are found without a search, and the room for what waits: the stream may be quiet for long.
func (m *Meter) Trim() { m.Flush(); m.known, m.waiting = nil, nil }
