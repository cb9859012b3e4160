package meter

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

// Meter updates the receiver's own metrics, which metadata.yaml describes. Attribute sets are created once.
type Meter struct {
	builder *metadata.TelemetryBuilder
	kinds   map[events.Kind]metric.MeasurementOption
	lag     lag
	signals [signalEnd]metric.MeasurementOption
}

// New returns the metrics of a receiver. [Meter.Shutdown] ends them.
func New(b *metadata.TelemetryBuilder) (*Meter, error) {
	m := &Meter{builder: b, kinds: map[events.Kind]metric.MeasurementOption{}}
	for _, k := range events.Kinds() {
		m.kinds[k] = with("kind", k.String())
	}
	for s := range signalEnd {
		m.signals[s] = with("signal", s.String())
	}
	if err := b.RegisterReceiverAgentStreamLagCallback(m.observeLag); err != nil {
		return nil, fmt.Errorf("register callback of the lag: %w", err)
	}
	return m, nil
}

func with(key, value string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attribute.String(key, value)))
}

// background returns the context of measurements, which are never canceled.
func background() context.Context { return context.Background() }

// Events adds counts by kind and resets them to zero.
func (m *Meter) Events(counts []int64) {
	for kind, n := range counts {
		if n > 0 {
			m.builder.ReceiverAgentStreamEvents.Add(background(), n, m.kinds[events.Kind(kind)])
		}
	}
	clear(counts)
}

// Lines adds what a parser counted between two calls. Lines of no known provider are counted under the reason passed.
func (m *Meter) Lines(provider, passed string, before, now *parser.Stats) {
	if provider == "" {
		provider = "undecided"
	}
	if n := now.Lines - before.Lines; n > 0 {
		m.builder.ReceiverAgentStreamLines.Add(background(), int64(n), with("provider", provider))
	}
	m.NotParsed(events.LineMalformed.String(), now.Malformed-before.Malformed)
	m.NotParsed(passed, now.Passed-before.Passed)
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

// NotParsed counts lines that did not reach the parser or yielded no events.
func (m *Meter) NotParsed(reason string, n int) {
	if n > 0 {
		m.builder.ReceiverAgentStreamLinesNotParsed.Add(background(), int64(n), with("reason", reason))
	}
}

// Counts adds the anomalies of a stream.
func (m *Meter) Counts(c emit.Counts) {
	for reason, n := range c.ByReason {
		if n > 0 {
			m.builder.ReceiverAgentStreamAnomalies.Add(background(), int64(n), with("reason", reason))
		}
	}
}

// InBand counts dropped attributes of in-band lines.
func (m *Meter) InBand(dropped int) {
	m.builder.ReceiverAgentStreamAnomalies.Add(background(), int64(dropped), with("reason", "in_band_attribute"))
}

// Retried counts a batch that is sent again.
func (m *Meter) Retried(s Signal) {
	m.builder.ReceiverAgentStreamRetries.Add(background(), 1, m.signals[s])
}

// Split counts a batch that was split because a consumer refused its size.
func (m *Meter) Split(s Signal) {
	m.builder.ReceiverAgentStreamSplits.Add(background(), 1, m.signals[s])
}

// Cut counts a span or record that was cut because a consumer refused its size.
func (m *Meter) Cut(s Signal) {
	m.builder.ReceiverAgentStreamTruncated.Add(background(), 1, m.signals[s])
}

// Dropped counts elements that no consumer will receive.
func (m *Meter) Dropped(s Signal, reason string, elements int) {
	if elements > 0 {
		m.builder.ReceiverAgentStreamDropped.Add(background(), int64(elements), m.signals[s], with("reason", reason))
	}
}

// Lost counts outputs that no consumer will receive.
func (m *Meter) Lost(reason string, outs []telemetry.Output) {
	for i := range outs {
		m.Dropped(SignalTraces, reason, outs[i].Traces.SpanCount())
		m.Dropped(SignalLogs, reason, outs[i].Logs.LogRecordCount())
	}
}

// InputDropped counts bytes that were not stored in a spool.
func (m *Meter) InputDropped(reason string, bytes int64) {
	if bytes > 0 {
		m.builder.ReceiverAgentStreamInputDropped.Add(background(), bytes, with("reason", reason))
	}
}

// Behind updates the unacknowledged bytes of a stream, by provider.
func (m *Meter) Behind(id, provider string, bytes int64) { m.lag.set(id, provider, bytes) }

// observeLag reports the unacknowledged bytes when the metrics are collected: they change with each batch.
func (m *Meter) observeLag(_ context.Context, to metric.Int64Observer) error {
	m.lag.observe(func(provider string, total int64) {
		to.Observe(total, with("provider", cmp.Or(provider, "undecided")))
	})
	return nil
}

// Grown sets how much files have grown while a consumer refuses, when the source reads nothing and so reports nothing.
// [Meter.Resumed] ends that.
func (m *Meter) Grown(behind map[string]Found) { m.lag.find(behind) }

// GrowthDue reports whether it is time to measure again how much files have grown.
func (m *Meter) GrowthDue(now time.Time, every time.Duration) bool { return m.lag.due(now, every) }

// Resumed removes what [Meter.Grown] added, because the source reads and reports again.
func (m *Meter) Resumed() { m.lag.clearFound() }

// StorageError counts a value that was not written to the storage, or a stored one that is unusable.
func (m *Meter) StorageError() { m.builder.ReceiverAgentStreamStorageErrors.Add(background(), 1) }

// Observer returns an observer that updates the metrics of sources. provider returns the provider of an open stream, by its ID.
func (m *Meter) Observer(provider func(id string) string) tail.Observer {
	return tail.Observer{
		Behind:   func(id string, bytes int64) { m.Behind(id, provider(id), bytes) },
		Unsaved:  func(string, error) { m.StorageError() },
		Unusable: func(string, error) { m.StorageError() },
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
	}
}

// Shutdown ends the metrics.
func (m *Meter) Shutdown() { m.builder.Shutdown() }
