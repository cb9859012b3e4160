package telemetry

import "github.com/tailspan/tailspan/events"

// meter adds to the metrics for one stream. To find a series takes the hash of a dozen strings, and every span and usage
// adds to one or some; a stream has few, so those that it added to before are found by comparing what their keys do not
// share. What it adds waits until maxWaiting of it are there, or the stream's output is taken: all streams add to the same
// few series, which with each call would go from core to core, and their lock with them.
type meter struct {
	metrics *Metrics
	of      *resource // of the stream: a key begins with what it tells
	ignored *int      // durations of spans that no span can have
	known   []meteredSeries
	waiting []measurement
}

// meteredSeries is a series and what its key has beyond the resource, but for the operation, which goes with the instrument.
type meteredSeries struct {
	key    meteredKey
	series *series
}

// meteredKey tells apart the series of one stream: to compare these takes half the time that whole keys take.
type meteredKey struct {
	instrument                                         instrument
	model, agent, tool, toolType, errorType, tokenType string
	outcome                                            events.Outcome
	estimated                                          bool
}

// measurement is what is to be added to a series.
type measurement struct {
	series *series
	value  float64
	whole  int64
}

const (
	// maxMetered is how many series a meter remembers; a stream of more tools than that begins anew.
	maxMetered = 64
	// maxWaiting is how many measurements wait at most.
	maxWaiting = 64
)

func newMeter(m *Metrics, r *resource, ignored *int) meter {
	return meter{metrics: m, of: r, ignored: ignored}
}

// add adds a value to a series, and to its sum of whole things, unless this version of the conventions has no such metric.
func (m *meter) add(key *meteredKey, value float64, whole int64) {
	if descriptions[key.instrument].name(m.metrics.semconv) == "" {
		return
	}
	if len(m.waiting) == maxWaiting {
		m.metrics.add(m.waiting)
		m.waiting = m.waiting[:0]
	}
	m.waiting = append(m.waiting, measurement{m.find(key), value, whole})
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
	s := m.metrics.seriesOf(m.whole(key))
	m.known = append(m.known, meteredSeries{*key, s})
	return s
}

// whole is the key among those of all streams.
func (m *meter) whole(key *meteredKey) *seriesKey {
	all := resourceKey(m.of)
	all.instrument, all.model, all.agent, all.tool = key.instrument, key.model, key.agent, key.tool
	all.toolType, all.errorType, all.tokenType, all.outcome = key.toolType, key.errorType, key.tokenType, key.outcome.String()
	all.estimated = key.estimated
	switch key.instrument {
	case instrumentInvokeAgent, instrumentRuns:
		all.operation = OperationInvokeAgent
	case instrumentExecuteTool:
		all.operation = OperationExecuteTool
	default:
		all.operation = OperationChat
	}
	return &all
}

// run counts a run that ended.
func (m *meter) run(v verdict) {
	m.add(&meteredKey{instrument: instrumentRuns, outcome: v.outcome, errorType: v.errorType()}, 1, 1)
}

// duration adds the length of a span, unless that ends with the time of a file, which measures nothing. One that the times of
// two lines make longer than any real one is ignored: it would be most of the sum.
func (m *meter) duration(key meteredKey, i *interval) {
	if i.end.source.rank() == TimeSourceFile {
		return
	}
	d := i.end.at.Sub(i.start.at)
	if !events.PlausibleDuration(d) {
		*m.ignored++
		return
	}
	m.add(&key, d.Seconds(), 0)
}

// tokens counts what a model used. Negative parts, which totals that were reset can make, count nothing.
func (m *meter) tokens(model string, t events.Tokens, costUSD float64) {
	key := meteredKey{model: model}
	for _, part := range [...]struct {
		instrument instrument
		n          int64
	}{
		{instrumentInputTokens, t.Input}, {instrumentOutputTokens, t.Output}, {instrumentCacheRead, t.CacheRead},
		{instrumentCacheWrite, t.CacheWrite}, {instrumentReasoning, t.Reasoning},
	} {
		if part.n > 0 {
			key.instrument = part.instrument
			m.add(&key, float64(part.n), part.n)
		}
	}
	key.instrument = instrumentTokenUsage
	for _, part := range [...]struct {
		tokenType string
		n         int64
	}{{"input", t.Input}, {"output", t.Output}} {
		if part.n > 0 {
			key.tokenType = part.tokenType
			m.add(&key, float64(part.n), part.n)
		}
	}
	if costUSD > 0 {
		key.instrument, key.tokenType = instrumentCost, ""
		m.add(&key, costUSD, 0)
	}
}

// estimatedCost counts what a model's work cost by a list of prices.
func (m *meter) estimatedCost(model string, usd float64) {
	if usd > 0 {
		m.add(&meteredKey{instrument: instrumentCost, model: model, estimated: true}, usd, 0)
	}
}
