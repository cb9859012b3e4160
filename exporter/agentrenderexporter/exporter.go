package agentrenderexporter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/render"
)

// Values of the attribute reason of the counter of ignored records.
const (
	reasonForeign  = "foreign"     // not a tailspan record
	reasonRepeated = "repeated"    // already rendered
	reasonRawCopy  = "raw_copy"    // a line whose events are rendered
	reasonLive     = "live"        // progress of a run, which a log shows by its events
	reasonNoReader = "no_reader"   // the reader of standard output or standard error closed it
	reasonUnsafe   = "unsafe_path" // the output path leads to a link or a non-regular file
)

// renderExporter renders log records and writes them to one output, or to files by attribute.
type renderExporter struct {
	output    string
	pattern   pathPattern
	mode      render.Mode
	verbose   bool
	telemetry *metadata.TelemetryBuilder
	hints     *configHints
	logger    *zap.Logger

	// turn is held by the one call that renders and writes. It is a channel, so that a wait for a call that hangs in a write
	// ends with the context.
	turn     chan struct{}
	started  bool
	noReader bool // the output can't be written any more
	status   *status
	unsafe   error // error of outputs with unsafe paths in the current write
	ordering *ordering
	outlets  *outlets
	sessions *sessions
	recent   *recentRecords
}

func newExporter(cfg *Config, set component.TelemetrySettings, open openFunc) (*renderExporter, error) {
	settings, err := cfg.logSettings()
	if err != nil {
		return nil, err
	}
	pattern, err := parsePathPattern(cfg.Output)
	if err != nil {
		return nil, err
	}
	builder, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, fmt.Errorf("create telemetry: %w", err)
	}
	settings.Introduce = !pattern.namesStream()
	outlets := newOutlets(settings, open, cfg.MaxOpenFiles)
	e := &renderExporter{
		output:    cfg.Output,
		pattern:   pattern,
		mode:      settings.Mode,
		verbose:   settings.Mode == render.ModeVerbose,
		telemetry: builder,
		hints:     newConfigHints(cfg, settings.Mode, set.Logger),
		logger:    set.Logger,
		turn:      make(chan struct{}, 1),
		outlets:   outlets,
		sessions:  newSessions(cfg.MaxStreams, outlets.touch),
		recent:    newRecentRecords(cfg.DedupCacheSize),
	}
	outlets.refused = e.unsafePath
	e.ordering = newOrdering(cfg, e.deliver, e.expire)
	e.status = &status{}
	return e, nil
}

// unsafePath counts records whose output path is unsafe, and logs the first case per outlet.
func (e *renderExporter) unsafePath(o *outlet, records int64, err error) {
	if !o.refused {
		e.logger.Error("output path is unsafe, dropping what is rendered for it", zap.String("output", o.path), zap.Error(err))
	}
	e.unsafe = err
	e.telemetry.ExporterAgentRenderIgnoredRecords.Add(context.Background(), records, metric.WithAttributes(attribute.String("reason", reasonUnsafe)))
}

// start opens the output, unless its path depends on the records.
func (e *renderExporter) start(ctx context.Context, host component.Host) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.release()
	e.hints.start()
	if e.pattern.fixed() {
		if err := e.outlets.openNow(e.output); err != nil {
			return err
		}
	}
	e.started = true
	e.status.host = host
	return nil
}

// shutdown ends unfinished texts, writes what remains and closes the outputs. Without a start there is nothing to do.
func (e *renderExporter) shutdown(ctx context.Context) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.release()
	if !e.started {
		return nil
	}
	e.started = false
	e.ordering.stop()
	e.sessions.stopAll()
	if err := e.outlets.closeAll(); !errors.Is(err, errNoReader) {
		return err
	}
	return nil
}

// push renders and writes one batch. What an earlier failure left is written first; while that fails, no batch is accepted. If
// nobody can ever read the output, every batch is accepted and dropped, because retries would block the pipeline forever.
func (e *renderExporter) push(ctx context.Context, logs plog.Logs) error {
	if err := e.take(ctx); err != nil {
		return err
	}
	defer e.release()
	err := e.write(func() { e.render(ctx, logs) })
	if errors.Is(err, errNoReader) {
		reason := metric.WithAttributes(attribute.String("reason", reasonNoReader))
		e.telemetry.ExporterAgentRenderIgnoredRecords.Add(ctx, int64(logs.LogRecordCount()), reason)
		return nil
	}
	return err
}

// write renders records and writes the result.
func (e *renderExporter) write(render func()) (err error) {
	defer func() { e.note(err) }()
	if e.noReader {
		return errNoReader
	}
	e.outlets.touchWaiting()
	if err := e.outlets.flush(); err != nil {
		return err
	}
	render()
	e.ordering.wait()
	return e.outlets.flush()
}

// note reports the result of a write.
func (e *renderExporter) note(err error) {
	e.status.report(errors.Join(err, e.unsafe))
	e.unsafe = nil
	if errors.Is(err, errNoReader) && !e.noReader {
		e.noReader = true
		e.logger.Error("output reader closed, dropping rendered text", zap.String("output", e.output), zap.Error(err))
	}
}

// expire writes the records that were held for the reorder window. What can't be written remains for the next batch, which
// returns the error.
func (e *renderExporter) expire() {
	e.turn <- struct{}{}
	defer e.release()
	if e.started {
		_ = e.write(func() { e.ordering.expired(time.Now()) })
	}
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

// tally counts the records of one batch by result.
type tally struct{ rendered, foreign, repeated, copies, live, raw int64 }

// render renders the records of a batch, in the order of their streams, into the buffers of their outlets.
func (e *renderExporter) render(ctx context.Context, logs plog.Logs) {
	var n tally
	e.recent.reserve(logs.LogRecordCount())
	for _, rl := range logs.ResourceLogs().All() {
		of := ownerOf(rl.Resource(), e.pattern.names)
		for _, sl := range rl.ScopeLogs().All() {
			stream := e.ordering.stream(of.key, sl.Scope())
			for _, lr := range sl.LogRecords().All() {
				e.ordering.add(stream, lr, e.entryOf(rl.Resource(), of, lr, &n))
			}
		}
	}
	e.hints.batch(n.rendered, n.raw > 0)
	e.telemetry.ExporterAgentRenderRenderedRecords.Add(ctx, n.rendered)
	count := func(n int64, reason string) {
		if n > 0 {
			e.telemetry.ExporterAgentRenderIgnoredRecords.Add(ctx, n, metric.WithAttributes(attribute.String("reason", reason)))
		}
	}
	count(n.foreign, reasonForeign)
	count(n.repeated, reasonRepeated)
	count(n.copies, reasonRawCopy)
	count(n.live, reasonLive)
}

// entry is a record to be rendered: an event or a line, with its origin and destination. It references nothing in the batch.
type entry struct {
	event  events.DisplayEvent
	line   []byte
	raw    bool // it is a line
	path   string
	key    string // of its session
	origin render.Origin
}

// entryOf reads a record; it returns nil for one that is not rendered.
func (e *renderExporter) entryOf(resource pcommon.Resource, of owner, lr plog.LogRecord, n *tally) *entry {
	r := &entry{}
	line, raw := otlp.RawLine(lr)
	switch name := lr.EventName(); {
	case raw:
	case name == otlp.EventNameStepStarted || name == otlp.EventNameProgress || name == otlp.EventNameProcessExited:
		n.live++
		return nil
	case name == otlp.EventNameStalled:
		r.event = stalled(lr)
	case !otlp.EventFromRecord(lr, &r.event):
		n.foreign++
		return nil
	case name == otlp.EventNameRunEnd && isUnknown(r.event.End):
		n.live++
		return nil
	}
	if raw && e.isCopy(lr) {
		n.copies++
		return nil
	}
	attrs := lr.Attributes()
	if !e.recent.add(of.key, textOf(attrs, otlp.AttrLogRecordUID)) {
		n.repeated++
		return nil
	}
	n.rendered++
	if raw {
		n.raw++
		r.line, r.raw = line, true
	}
	session := textOf(attrs, otlp.AttrGenAIConversationID)
	r.key = of.key + session
	r.path = e.pattern.path(resource.Attributes(), attrs)
	r.origin = of.origin
	if e.verbose {
		r.origin.Session = session
	}
	if agent := textOf(attrs, otlp.AttrGenAIAgentName); agent != "" {
		r.origin.Agent = agent
	}
	return r
}

// stalled returns the warning that a run has no output.
func stalled(lr plog.LogRecord) events.DisplayEvent {
	ev := events.DisplayEvent{
		Kind: events.KindNotice, SessionID: textOf(lr.Attributes(), otlp.AttrGenAIConversationID),
		Text: lr.Body().AsString(), Notice: events.Notice{Level: events.LevelWarn},
	}
	if at := lr.Timestamp(); at != 0 {
		ev.Time = at.AsTime()
	}
	return ev
}

// isUnknown reports whether the end of a run was not seen: reading stopped, and the process that continues it will report the
// end.
func isUnknown(e *events.End) bool { return e.Decided == events.OutcomeIncomplete && !e.Error }

// deliver renders a record into the buffer of its outlet.
func (e *renderExporter) deliver(r *entry) {
	if r == nil {
		return
	}
	outlet := e.outlets.of(r.path)
	outlet.records++
	stream := e.sessions.of(outlet, r.key, r.origin)
	if r.raw {
		stream.PassThrough(r.line)
		return
	}
	stream.Emit(&r.event)
}

// isCopy reports whether a record is a line whose events have separate records: mode json shows the lines, every other mode
// the events.
func (e *renderExporter) isCopy(lr plog.LogRecord) bool {
	v, ok := lr.Attributes().Get(otlp.AttrRawCopy)
	return e.mode != render.ModeJSON && ok && v.Type() == pcommon.ValueTypeBool && v.Bool()
}

// textOf returns an attribute as text, or an empty string if there is none.
func textOf(m pcommon.Map, name string) string {
	if v, ok := m.Get(name); ok {
		return v.AsString()
	}
	return ""
}
