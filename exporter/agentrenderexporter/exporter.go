package agentrenderexporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
	"github.com/tailspan/tailspan/telemetry"
)

// maxIdleBuffer is the biggest buffer that is kept from one batch to the next, in bytes.
const maxIdleBuffer = 1 << 20

// Values of the attribute reason of the counter of ignored records.
const (
	reasonForeign  = "foreign"  // no record of ours
	reasonRepeated = "repeated" // rendered just before
)

// renderExporter renders log records and writes them to one output.
type renderExporter struct {
	output    string
	open      openFunc
	telemetry *metadata.TelemetryBuilder

	// turn is held by the one call that renders and writes. It is a channel so that waiting for a call that hangs in a
	// write ends with the context.
	turn     chan struct{}
	out      io.WriteCloser // nil before start and after shutdown
	sessions *sessions
	recent   *recentRecords
}

func newExporter(cfg *Config, set component.TelemetrySettings, open openFunc) (*renderExporter, error) {
	settings, err := cfg.renderSettings()
	if err != nil {
		return nil, err
	}
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, fmt.Errorf("create telemetry: %w", err)
	}
	return &renderExporter{
		output:    cfg.Output,
		open:      open,
		telemetry: builder,
		turn:      make(chan struct{}, 1),
		sessions:  newSessions(settings, cfg.MaxSessions),
		recent:    newRecentRecords(cfg.RecentRecords),
	}, nil
}

// start opens the output.
func (e *renderExporter) start(ctx context.Context, _ component.Host) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.release()
	out, err := e.open(e.output)
	if err != nil {
		return err
	}
	e.out = out
	return nil
}

// shutdown ends unfinished texts, writes what is left and closes the output. Without a start there is nothing to do.
func (e *renderExporter) shutdown(ctx context.Context) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.release()
	if e.out == nil {
		return nil
	}
	e.sessions.closeAll()
	err := e.flush()
	if closeErr := e.out.Close(); closeErr != nil {
		err = errors.Join(err, fmt.Errorf("close output %q: %w", e.output, closeErr))
	}
	e.out = nil
	return err
}

// push renders and writes one batch. What an earlier failure left is written first; while that fails, no batch is taken.
func (e *renderExporter) push(ctx context.Context, logs plog.Logs) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.release()
	if err := e.flush(); err != nil {
		return err
	}
	e.render(ctx, logs)
	return e.flush()
}

func (e *renderExporter) take(ctx context.Context) error {
	select {
	case e.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for output %q: %w", e.output, ctx.Err())
	}
}

func (e *renderExporter) release() { <-e.turn }

// tally counts what became of the records of one batch.
type tally struct{ rendered, foreign, repeated int64 }

// render renders the records of a batch, in its order, into the buffer.
func (e *renderExporter) render(ctx context.Context, logs plog.Logs) {
	var n tally
	for _, rl := range logs.ResourceLogs().All() {
		key := resourceKey(rl.Resource())
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				e.renderRecord(key, lr, &n)
			}
		}
	}
	e.telemetry.ExporterAgentRenderRenderedRecords.Add(ctx, n.rendered)
	count := func(n int64, reason string) {
		if n > 0 {
			e.telemetry.ExporterAgentRenderIgnoredRecords.Add(ctx, n, metric.WithAttributes(attribute.String("reason", reason)))
		}
	}
	count(n.foreign, reasonForeign)
	count(n.repeated, reasonRepeated)
}

func (e *renderExporter) renderRecord(key string, lr plog.LogRecord, n *tally) {
	var ev events.DisplayEvent
	line, raw := telemetry.RawLine(lr)
	if !raw && !telemetry.EventFromRecord(lr, &ev) {
		n.foreign++
		return
	}
	if !e.recent.add(attributeText(lr, telemetry.AttrLogRecordUID)) {
		n.repeated++
		return
	}
	n.rendered++
	renderer := e.sessions.of(key + attributeText(lr, telemetry.AttrSessionID))
	if raw {
		renderer.PassThrough([]byte(line))
		return
	}
	renderer.Emit(&ev)
}

// attributeText is a text attribute of a record, empty if it has none.
func attributeText(lr plog.LogRecord, name string) string {
	if v, ok := lr.Attributes().Get(name); ok {
		return v.AsString()
	}
	return ""
}

// flush writes what was rendered. After a failure the part that was not written stays.
func (e *renderExporter) flush() error {
	pending := &e.sessions.pending
	if pending.Len() == 0 {
		return nil
	}
	n, err := e.out.Write(pending.Bytes())
	pending.Next(n)
	if err == nil && pending.Len() > 0 {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("write output %q: %w", e.output, err)
	}
	if pending.Cap() > maxIdleBuffer {
		*pending = bytes.Buffer{}
	}
	return nil
}
