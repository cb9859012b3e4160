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
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/fold"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/source/process"
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

// exporting is the output of a command on its way to an endpoint. It is a [source.Consumer].
type exporting struct {
	flags    *runFlags
	registry *telemetry.Registry
	out      *delivery
	metrics  *metricExport

	// mu is held while lines are at work and by the ticker.
	mu       sync.Mutex
	fold     *fold.Stream
	moved    time.Time // when the last lines came; zero once its quiet time was handled
	document document
}

func (r *running) newExport(endpoints otlphttp.Endpoints) (*exporting, error) {
	f := r.flags
	settings := telemetry.NewDefaultSettings()
	settings.Version, settings.Prices = version(), f.prices.list
	settings.Metrics.InstanceID = otlp.NewInstanceID() // two commands at once are two
	var err error
	if settings.Metrics.Delta, err = deltaOf(os.Getenv); err != nil {
		r.screen.report(err.Error())
	}
	parent, err := otlp.ParseTraceParent(os.Getenv("TRACEPARENT"))
	if err != nil {
		r.screen.report(err.Error()) // it goes out without a parent
	}
	e := &exporting{flags: f, registry: telemetry.NewRegistry(settings), document: document{limit: f.maxLine}}
	set := fold.Settings{
		Provider: f.provider, Program: f.program(), Registry: e.registry, Ambient: otlp.IdentityFromEnvironment(os.Getenv),
		InBand:          f.inBand,
		Telemetry:       telemetry.StreamSettings{ID: "process/" + crand.Text(), Identity: f.identity(), Parent: parent, AwaitExit: true, Resumed: parser.ResumesTotals(f.command)},
		OnInvalidParent: func(err error) { r.screen.report(fmt.Sprintf("first line of the command: %v", err)) },
		OnDropped: func(n int) {
			r.screen.report(fmt.Sprintf("first line of the command: %s not taken (--in-band %s)", plural(n, "attribute"), f.inBand))
		},
	}
	if f.redact {
		if set.Redactor, err = redact.NewRedactor(redact.Settings{DropInput: true, DropOutput: true}); err != nil {
			return nil, err
		}
	}
	if e.fold, err = fold.New(set); err != nil {
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

// run follows the output to its end and closes the fold. What is not sent before sending ends is kept in a file, which the
// error names.
func (e *exporting) run(ctx, sending context.Context, p *process.Process) error {
	defer e.out.exporter.Close()
	defer e.metrics.exporter.Close()
	e.out.sending = sending
	tail := p.Tail()
	stop, halt := e.tick(ctx), e.metrics.start(sending)
	err := source.Follow(ctx, tail, e, source.Settings{MaxLineSize: e.flags.maxLine})
	stop()
	halt()
	if err == nil {
		err = e.end(p.Wait())
	}
	return errors.Join(err, e.out.close())
}

// Lines folds the lines and returns when the endpoint has accepted what they gave, or it was kept.
func (e *exporting) Lines(_ context.Context, lines []source.Line) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.moved = time.Now()
	for i := range lines {
		l := &lines[i]
		arrival := l.Arrival
		if arrival.IsZero() {
			arrival = e.moved
		}
		e.fold.At = telemetry.Line{Offset: l.Offset, Arrival: arrival, Live: true}
		e.fold.Noted = parser.Noted{Abridged: l.Abridged}
		for _, record := range e.document.records(l.Data) {
			e.fold.Line(record)
		}
	}
	return e.handOn()
}

// handOn sends or keeps what the fold has. It fails when that can't be kept.
func (e *exporting) handOn() error {
	outs := append(e.fold.Take(), e.registry.Take())
	return e.out.deliver(outs...)
}

// Idle marks that all that was there has been read.
func (e *exporting) Idle(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fold.Idle()
	return e.handOn()
}

// Close does nothing: the exit of the process ends the stream, see end.
func (e *exporting) Close(context.Context, source.CloseReason) error { return nil }

// tick releases output that waits for a quiet moment, until it is stopped.
func (e *exporting) tick(ctx context.Context) (stop func()) {
	return repeat(ctx, redact.DefaultQuiet/2, func(context.Context, time.Time) error { return e.quiet() })
}

// quiet releases unfinished texts after a quiet time, and what is pending until the stream is quiet.
func (e *exporting) quiet() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.moved.IsZero() && time.Since(e.moved) >= quietAfter {
		e.moved = time.Time{}
		e.fold.Quiet()
	}
	e.fold.Tick()
	return e.handOn()
}

// end closes the fold as the process has ended, and sends the last spans and metrics.
func (e *exporting) end(exit process.Exit) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if rest := e.document.end(); rest != nil {
		e.fold.Line(rest)
	}
	e.fold.Flush()
	ended := exitOf(exit)
	ended.Stderr = process.Clean(exit.Stderr)
	e.fold.Exited(*ended)
	outs := append(e.fold.Take(), e.registry.Close())
	return errors.Join(e.out.deliver(outs...), e.out.deliverMetrics(e.metrics))
}
