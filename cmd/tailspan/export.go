package main

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

// send sends what the command does, if it is to be sent anywhere; the channel is closed when that is over. It reads the
// output for itself: whatever the endpoint does, the command and the log go on.
func (r *running) send(ctx context.Context, endpoints otlphttp.Endpoints) <-chan struct{} {
	done := make(chan struct{})
	if endpoints.Empty() {
		close(done)
		return done
	}
	e, err := r.newExport(endpoints)
	if err != nil {
		r.screen.report(fmt.Sprintf("nothing is sent: %v", err))
		close(done)
		return done
	}
	sending, cancel := context.WithCancelCause(ctx)
	go func() { // the time for what is left begins when the command ends
		select {
		case <-r.process.Done():
		case <-done:
			return
		}
		e.hurry()
		timer := time.NewTimer(r.flags.exportTimeout)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(fmt.Errorf("--export-timeout of %s is over", r.flags.exportTimeout))
		case <-done:
		}
	}()
	go func() {
		defer close(done)
		defer cancel(nil)
		// What can't be sent is kept, so the output is read to its end whatever becomes of sending.
		if err := e.run(context.WithoutCancel(ctx), sending, r.process); err != nil {
			r.screen.report(err.Error())
		}
	}()
	return done
}

// exporting is the output of a command on its way to an endpoint. It is a [tail.Consumer].
type exporting struct {
	maxLine  int
	registry *telemetry.Registry
	out      *delivery
	metrics  *metricExport

	mu       sync.Mutex // of what follows, for the ticker
	pipeline *pipeline.Pipeline
	moved    time.Time // arrival of the last lines; zero once its quiet time was handled
	document document
}

func (r *running) newExport(endpoints otlphttp.Endpoints) (*exporting, error) {
	f := r.flags
	settings := f.registrySettings()
	settings.Metrics.InstanceID = otlp.NewInstanceID() // two commands at once are two
	var err error
	if settings.Metrics.Delta, err = deltaOf(os.Getenv); err != nil {
		r.screen.report(err.Error())
	}
	redactor, err := newRedactor(f.redact)
	if err != nil {
		return nil, err
	}
	e := &exporting{maxLine: f.maxLine, registry: telemetry.NewRegistry(settings), document: document{limit: f.maxLine}}
	set := f.pipelineSettings(f.provider, f.step, e.registry, redactor)
	set.Program, set.Ambient = f.program(), otlp.IdentityFromEnvironment(os.Getenv)
	set.Telemetry.ID, set.Telemetry.AwaitExit, set.Telemetry.Resumed = "process/"+crand.Text(), true, parser.ResumesTotals(f.command)
	if set.Telemetry.Parent, err = otlp.ParseTraceParent(os.Getenv("TRACEPARENT")); err != nil {
		r.screen.report(err.Error()) // it is exported without a parent
	}
	set.OnInvalidParent = func(err error) { r.screen.report(fmt.Sprintf("first line of the command: %v", err)) }
	set.OnDropped = func(n int) {
		r.screen.report(fmt.Sprintf("first line of the command: %s not taken (--in-band %s)", plural(n, "attribute"), f.inBand))
	}
	if e.pipeline, err = pipeline.New(set); err != nil {
		return nil, err
	}
	sending := otlphttp.Settings{Endpoints: endpoints, UserAgent: userAgent + "/" + version(), Report: r.screen.report}
	e.out = &delivery{exporter: otlphttp.New(sending)}
	e.metrics = &metricExport{exporter: otlphttp.New(sending), metrics: e.registry.Metrics(), every: f.metricsInterval}
	return e, nil
}

// hurry stops waiting for an endpoint that accepts no connection.
func (e *exporting) hurry() {
	e.out.exporter.Hurry()
	e.metrics.exporter.Hurry()
}

// run follows the output to its end. What is not sent before sending ends is kept in a file, which the
// error names.
func (e *exporting) run(ctx, sending context.Context, p *process.Process) error {
	defer e.out.exporter.Close()
	defer e.metrics.exporter.Close()
	e.out.sending = sending
	output := p.Tail()
	stop, halt := e.tick(ctx), e.metrics.start(sending)
	err := tail.Follow(ctx, output, e, tail.Settings{MaxLineSize: e.maxLine})
	stop()
	halt()
	if err == nil {
		err = e.end(p.Wait())
	}
	return errors.Join(err, e.out.close())
}

// Lines processes lines and returns when their output was accepted or kept.
func (e *exporting) Lines(_ context.Context, lines []tail.Line) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.moved = time.Now()
	for i := range lines {
		l := &lines[i]
		arrival := l.Arrival
		if arrival.IsZero() {
			arrival = e.moved
		}
		e.pipeline.At = telemetry.Line{Offset: l.Offset, Arrival: arrival, Live: true}
		e.pipeline.Noted = parser.Noted{Abridged: l.Abridged}
		for _, record := range e.document.records(l.Data) {
			e.pipeline.Line(record)
		}
	}
	return e.deliver(e.registry.Take)
}

// deliver sends or keeps the output of the stream, and that of the registry. It fails when that can't be kept.
func (e *exporting) deliver(last func() telemetry.Output) error {
	if err := e.pipeline.Deliver(e.out.deliver, nil); err != nil {
		return err
	}
	out := last()
	if err := e.out.deliver(&out); err != nil {
		return err
	}
	out.Accepted()
	return nil
}

// Idle marks that all that was there has been read.
func (e *exporting) Idle(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pipeline.Idle()
	return e.deliver(e.registry.Take)
}

// Close does nothing: the exit of the process ends the stream, see end.
func (e *exporting) Close(context.Context, tail.CloseReason) error { return nil }

// tick releases output that waits for a quiet moment, until it is stopped.
func (e *exporting) tick(ctx context.Context) (stop func()) {
	return repeat(ctx, redact.DefaultQuiet/2, func(context.Context, time.Time) error { return e.quiet() })
}

// quiet releases unfinished texts after a quiet time, and what is pending until the stream is quiet.
func (e *exporting) quiet() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.moved.IsZero() && time.Since(e.moved) >= pipeline.QuietAfter {
		e.moved = time.Time{}
		e.pipeline.Quiet()
	}
	e.pipeline.Tick()
	return e.deliver(e.registry.Take)
}

// end ends the stream with the exit of the process, and sends the last spans and metrics.
func (e *exporting) end(exit process.Exit) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if rest := e.document.end(); rest != nil {
		e.pipeline.Line(rest)
	}
	e.pipeline.Flush()
	ended := exitOf(exit)
	ended.Stderr = process.Clean(exit.Stderr)
	e.pipeline.Exited(*ended)
	return errors.Join(e.deliver(e.registry.Close), e.out.deliverMetrics(e.metrics))
}
