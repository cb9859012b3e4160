package agentstreamreceiver

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

// signal is one of the signals that the receiver hands on.
type signal uint8

const (
	signalTraces signal = iota
	signalLogs
	signalMetrics
	signalEnd
)

// String is the name in the collector's own metrics.
func (s signal) String() string {
	switch s {
	case signalTraces:
		return "traces"
	case signalMetrics:
		return "metrics"
	default:
		return "logs"
	}
}

// meter feeds the receiver's own metrics, which metadata.yaml describes. The attribute sets are made once.
type meter struct {
	builder *metadata.TelemetryBuilder
	kinds   map[events.Kind]metric.MeasurementOption
	lag     lag
	signals [signalEnd]metric.MeasurementOption
}

func newMeter(b *metadata.TelemetryBuilder) *meter {
	m := &meter{builder: b, kinds: map[events.Kind]metric.MeasurementOption{}}
	for _, k := range events.Kinds() {
		m.kinds[k] = with("kind", k.String())
	}
	for s := range signalEnd {
		m.signals[s] = with("signal", s.String())
	}
	return m
}

func with(key, value string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attribute.String(key, value)))
}

// background is the context of measurements: they are not cancelled.
func background() context.Context { return context.Background() }

// events adds counts by kind, and sets them to zero.
func (m *meter) events(counts []int64) {
	for kind, n := range counts {
		if n > 0 {
			m.builder.ReceiverAgentStreamEvents.Add(background(), n, m.kinds[events.Kind(kind)])
		}
	}
	clear(counts)
}

// lines adds what a parser counted between two looks; lines of no known provider under the reason passed.
func (m *meter) lines(provider, passed string, before, now *parser.Stats) {
	if provider == "" {
		provider = "undecided"
	}
	if n := now.Lines - before.Lines; n > 0 {
		m.builder.ReceiverAgentStreamLines.Add(background(), int64(n), with("provider", provider))
	}
	m.notParsed(events.LineMalformed.String(), now.Malformed-before.Malformed)
	m.notParsed(passed, now.Passed-before.Passed)
	for kind := range events.NumberEnd {
		if n := now.Numbers[kind] - before.Numbers[kind]; n > 0 {
			m.builder.ReceiverAgentStreamAnomalies.Add(background(), int64(n), with("reason", "implausible_"+kind.String()))
		}
	}
	for typ, n := range now.UnknownTypes {
		if n -= before.UnknownTypes[typ]; n > 0 {
			m.builder.ReceiverAgentStreamUnknownTypes.Add(background(), int64(n), with("type", typ))
		}
	}
}

func (m *meter) notParsed(reason string, n int) {
	if n > 0 {
		m.builder.ReceiverAgentStreamLinesNotParsed.Add(background(), int64(n), with("reason", reason))
	}
}

// counts adds the anomalies of a stream.
func (m *meter) counts(c telemetry.Counts) {
	for reason, n := range c.ByReason() {
		if n > 0 {
			m.builder.ReceiverAgentStreamAnomalies.Add(background(), int64(n), with("reason", reason))
		}
	}
}

// inBand counts dropped attributes of in-band lines.
func (m *meter) inBand(dropped int) {
	m.builder.ReceiverAgentStreamAnomalies.Add(background(), int64(dropped), with("reason", "in_band_attribute"))
}

func (m *meter) retried(s signal) {
	m.builder.ReceiverAgentStreamRetries.Add(background(), 1, m.signals[s])
}

// split counts a batch that was split since a consumer refused its size.
func (m *meter) split(s signal) {
	m.builder.ReceiverAgentStreamSplits.Add(background(), 1, m.signals[s])
}

// cut counts a span or record that was cut since no consumer takes it whole.
func (m *meter) cut(s signal) {
	m.builder.ReceiverAgentStreamTruncated.Add(background(), 1, m.signals[s])
}

// Reasons why spans and records are dropped.
const (
	dropRefused  = "refused"   // a consumer rejected it permanently
	dropTooLarge = "too_large" // a consumer refused the size of a single element
	dropExpired  = "expired"   // a consumer refused it until retry_on_failure ended
	dropGone     = "gone"      // the file was unlinked and its last output not acknowledged in time
	dropShutdown = "shutdown"  // the collector stopped and no storage has the offset
)

// dropped counts elements that no consumer will get.
func (m *meter) dropped(s signal, reason string, elements int) {
	if elements > 0 {
		m.builder.ReceiverAgentStreamDropped.Add(background(), int64(elements), m.signals[s], with("reason", reason))
	}
}

// lost counts outputs that no consumer will get.
func (m *meter) lost(reason string, outs []telemetry.Output) {
	for i := range outs {
		m.dropped(signalTraces, reason, outs[i].Traces.SpanCount())
		m.dropped(signalLogs, reason, outs[i].Logs.LogRecordCount())
	}
}

// inputDropped counts bytes that did not get into a spool.
func (m *meter) inputDropped(reason string, bytes int64) {
	if bytes > 0 {
		m.builder.ReceiverAgentStreamInputDropped.Add(background(), bytes, with("reason", reason))
	}
}

// behind records the unread bytes of a stream, by provider.
func (m *meter) behind(id, provider string, bytes int64) {
	m.recordLag(m.lag.set(id, provider, bytes))
}

// recordLag records totals by provider.
func (m *meter) recordLag(totals map[string]int64) {
	for provider, total := range totals {
		if provider == "" {
			provider = "undecided"
		}
		m.builder.ReceiverAgentStreamLag.Record(background(), total, with("provider", provider))
	}
}

// observer feeds the metrics of files, and reports storage errors to the collector.
func (r *agentStream) observer() tail.Observer {
	m := r.meter
	return tail.Observer{
		Behind: func(id string, bytes int64) { m.behind(id, r.streams.provider(id), bytes) },
		Saved:  func() { r.health.well(troubleStorage) },
		Unsaved: func(_ string, err error) {
			m.builder.ReceiverAgentStreamStorageErrors.Add(background(), 1)
			r.health.trouble(troubleStorage, err)
		},
		Unusable: func(string, error) { m.builder.ReceiverAgentStreamStorageErrors.Add(background(), 1) },
		Files: func(known, open int) {
			m.builder.ReceiverAgentStreamFilesKnown.Record(background(), int64(known))
			m.builder.ReceiverAgentStreamFilesOpen.Record(background(), int64(open))
		},
		Read: func(_ string, _ int, bytes int64) {
			m.builder.ReceiverAgentStreamBytes.Add(background(), bytes)
		},
		Skipped: func(_ string, reason tail.SkipReason, _ int64) {
			m.builder.ReceiverAgentStreamLinesNotParsed.Add(background(), 1, with("reason", reason.String()))
		},
		Failed: func(string, error, time.Duration) {
			m.builder.ReceiverAgentStreamReadErrors.Add(background(), 1)
		},
		Closed: func(path string, reason tail.CloseReason) {
			r.logger.Debug("file ended", zap.String("path", path), zap.Stringer("reason", reason))
		},
	}
}

func (m *meter) shutdown() { m.builder.Shutdown() }
