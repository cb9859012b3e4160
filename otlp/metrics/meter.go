package metrics

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Meter adds the measurements of one stream. It buffers up to maxWaiting of them until the stream's output is taken: all
// streams add to the same few series, and adding each one would move the series and their lock between cores. Between two
// outputs a Meter holds no memory, because thousands of streams may be quiet.
type Meter struct {
	metrics *Set
	of      *otlp.Resource // of the stream; nil once scope is known
	scope   *metricScope   // the resource's part of the series; nil before the first measurement
	ignored int            // durations that no span can have
	buffer  *buffer        // from scope.buffers; nil if nothing is buffered
}

// buffer holds measurements, and the series that they were found to belong to. Finding a series means hashing a dozen strings,
// and every span and usage adds to one or more. The streams of a scope have few series, so known ones are found by comparing
// the stream-specific part of their keys.
type buffer struct {
	known   [instrumentEnd][]meteredSeries
	waiting []measurement
}

// meteredSeries is a series and the stream-specific part of its key.
type meteredSeries struct {
	key    Key
	series *series
}

// Key identifies a series within a stream. Comparing Keys takes half the time of comparing whole keys.
type Key struct {
	Instrument                                                       Instrument
	Model, Agent, Tool, ToolType, Kind, Server, ErrorType, tokenType string
	Outcome                                                          events.Outcome
	estimated                                                        bool
}

// measurement is a value to be added to a series.
type measurement struct {
	series *series
	value  float64
	whole  int64
	in     otlp.SpanRef
}

const (
	// maxMetered is the number of series of an instrument that a buffer knows. When it is reached, all are dropped.
	maxMetered = 32
	// maxWaiting is the largest number of buffered measurements.
	maxWaiting = 64
)

func NewMeter(m *Set, r *otlp.Resource) Meter {
	return Meter{metrics: m, of: r}
}

// add adds a value to a series, and whole to its integer sum. It does nothing if this version of the conventions lacks the metric.
func (m *Meter) add(key *Key, value float64, whole int64, in otlp.SpanRef) {
	if descriptions[key.Instrument].name(m.metrics.semconv) == "" {
		return
	}
	if m.buffer != nil && len(m.buffer.waiting) == maxWaiting {
		m.Flush()
	}
	if m.buffer == nil {
		m.buffer = m.takeBuffer()
	}
	m.buffer.waiting = append(m.buffer.waiting, measurement{m.find(key), value, whole, in})
}

// takeBuffer returns a buffer that an earlier stream of the scope has used, or a new one.
func (m *Meter) takeBuffer() *buffer {
	if m.scope == nil {
		m.scope, m.of = m.metrics.scopeOf(m.of), nil
	}
	if b, ok := m.scope.buffers.Get().(*buffer); ok {
		return b
	}
	return &buffer{waiting: make([]measurement, 0, maxWaiting)}
}

// Flush adds the buffered measurements.
func (m *Meter) Flush() {
	if b := m.buffer; b != nil {
		m.metrics.add(b.waiting)
		b.waiting = b.waiting[:0]
		m.scope.buffers.Put(b)
		m.buffer = nil
	}
}

func (m *Meter) find(key *Key) *series {
	known := &m.buffer.known[key.Instrument]
	for i := range *known {
		if (*known)[i].key == *key {
			return (*known)[i].series
		}
	}
	if len(*known) == maxMetered {
		clear(*known)
		*known = (*known)[:0]
	}
	s := m.metrics.seriesOf(key.in(m.scope))
	*known = append(*known, meteredSeries{*key, s})
	return s
}

// in returns the key among the series of all streams.
func (k *Key) in(scope *metricScope) seriesKey {
	return seriesKey{
		instrument: k.Instrument, scope: scope, model: k.Model, agent: k.Agent, tool: k.Tool, toolType: k.ToolType, toolKind: k.Kind,
		server: k.Server, errorType: k.ErrorType, tokenType: k.tokenType, outcome: k.Outcome.String(), estimated: k.estimated,
	}
}

// Count adds one to a counter.
func (m *Meter) Count(key Key, in otlp.SpanRef) { m.add(&key, 1, 1, in) }

// Duration adds the duration of a span. It ignores implausible durations from the times of two lines, which would
// dominate the sum.
func (m *Meter) Duration(key Key, d time.Duration, in otlp.SpanRef) {
	if !events.PlausibleDuration(d) {
		m.ignored++
		return
	}
	m.add(&key, otlp.Seconds(d), 0, in)
}

// TakeIgnored returns the number of ignored durations since the last call.
func (m *Meter) TakeIgnored() (n int) {
	n, m.ignored = m.ignored, 0
	return n
}

// User identifies who used tokens: the model, the agent of the run, and the span.
type User struct {
	Model, Agent string
	In           otlp.SpanRef
}

// Tokens adds the usage of a model. It ignores negative parts, which result from totals that were reset.
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

// EstimatedCost adds a cost that was estimated from a list of prices.
func (m *Meter) EstimatedCost(by User, usd float64) {
	if usd > 0 {
		m.add(&Key{Instrument: instrumentCost, Model: by.Model, Agent: by.Agent, estimated: true}, usd, 0, by.In)
	}
}
