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
		r.screen.tell(fmt.Sprintf("nothing is sent: %v", err))
		close(done)
		return done
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() { // the time for what is left begins when the command ends
		select {
		case <-r.process.Done():
		case <-done:
			return
		}
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
		if err := e.run(ctx, r.process); err != nil {
			r.process.Spool().Keep()
			r.screen.tell(fmt.Sprintf("not all was sent (%v); the command's output is in %q", err, r.process.Spool().Path()))
		}
	}()
	return done
}

// exporting is the output of a command on its way to an endpoint. It is a [source.Consumer].
type exporting struct {
	flags    *runFlags
	registry *telemetry.Registry
	exporter *otlphttp.Exporter
	metrics  *metricExport

	// mu is held while lines are at work and by the ticker.
	mu       sync.Mutex
	fold     *fold.Stream
	moved    time.Time // when the last lines came; zero once the stream was told that it is quiet
	pending  []telemetry.Output
	document document
}

func (r *running) newExport(endpoints otlphttp.Endpoints) (*exporting, error) {
	f := r.flags
	settings := telemetry.NewDefaultSettings()
	settings.Version = version()
	parent, err := telemetry.ParseTraceParent(os.Getenv("TRACEPARENT"))
	if err != nil {
		r.screen.tell(err.Error()) // it goes out without a parent
	}
	e := &exporting{flags: f, registry: telemetry.NewRegistry(settings), document: document{limit: f.maxLine}}
	set := fold.Settings{
		Provider: f.provider, Program: f.program(), Registry: e.registry, Ambient: telemetry.IdentityFromEnvironment(os.Getenv),
		InBand:    f.inBand,
		Telemetry: telemetry.StreamSettings{ID: "process/" + crand.Text(), Identity: f.identity(), Parent: parent, AwaitExit: true},
		Refused:   func(err error) { r.screen.tell(fmt.Sprintf("first line of the command: %v", err)) },
		Dropped: func(n int) {
			r.screen.tell(fmt.Sprintf("first line of the command: %s not taken (--in-band %s)", plural(n, "attribute"), f.inBand))
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
	sending := otlphttp.Settings{Endpoints: endpoints, UserAgent: userAgent + "/" + version(), Told: r.screen.tell}
	e.exporter = otlphttp.New(sending)
	e.metrics = &metricExport{exporter: otlphttp.New(sending), metrics: e.registry.Metrics(), every: f.metricsInterval}
	return e, nil
}

// run follows the output to its end and closes the fold. It fails when ctx ends before all was accepted.
func (e *exporting) run(ctx context.Context, p *process.Process) error {
	defer e.exporter.Close()
	defer e.metrics.exporter.Close()
	tail := p.Tail()
	stop, halt := e.tick(ctx), e.metrics.start(ctx)
	err := source.Follow(ctx, tail, e, source.Settings{MaxLineSize: e.flags.maxLine})
	stop()
	halt()
	if err != nil {
		if left := tail.Left(); left > 0 {
			err = fmt.Errorf("%w; %s not read", err, plural(left, "byte"))
		}
		return err
	}
	return e.end(ctx, p.Wait())
}

// Lines folds the lines and returns when the endpoint has accepted what they gave. It fails only when ctx ends.
func (e *exporting) Lines(ctx context.Context, lines []source.Line) error {
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
	return e.handOn(ctx)
}

// handOn sends what the fold has, and what could not be sent before.
func (e *exporting) handOn(ctx context.Context) error {
	e.pend(e.fold.Take()...)
	e.pend(e.registry.Take())
	for len(e.pending) > 0 {
		if err := e.exporter.Traces(ctx, e.pending[0].Traces); err != nil {
			return err
		}
		e.pending[0].Traces.ResourceSpans().RemoveIf(all) // not again, if the records fail
		if err := e.exporter.Logs(ctx, e.pending[0].Logs); err != nil {
			return err
		}
		e.pending[0].Accepted()
		e.pending = e.pending[1:]
	}
	return nil
}

func (e *exporting) pend(outs ...telemetry.Output) {
	for _, out := range outs {
		if !out.Empty() {
			e.pending = append(e.pending, out)
		}
	}
}

func all[T any](T) bool { return true }

// Idle tells the fold that all that was there has been read.
func (e *exporting) Idle(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fold.Idle()
	return e.handOn(ctx)
}

// Close is for those who follow; how the fold ends is told by the process, see end.
func (e *exporting) Close(context.Context, source.CloseReason) error { return nil }

// tick lets go what waits for a quiet moment, until it is stopped.
func (e *exporting) tick(ctx context.Context) (stop func()) {
	return repeat(ctx, redact.DefaultQuiet/2, func(ctx context.Context, _ time.Time) error {
		return e.quiet(ctx) // if it fails it is over: what waits goes out at the end, if there is time
	})
}

// quiet lets texts go that were quiet for long enough, and then what is held back until the stream is quiet.
func (e *exporting) quiet(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.moved.IsZero() && time.Since(e.moved) >= quietAfter {
		e.moved = time.Time{}
		e.fold.Quiet()
	}
	e.fold.Tick()
	return e.handOn(ctx)
}

// end closes the fold as the process has ended, and sends the last spans and metrics.
func (e *exporting) end(ctx context.Context, exit process.Exit) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if rest := e.document.end(); rest != nil {
		e.fold.Line(rest)
	}
	e.fold.Flush()
	told := exitOf(exit)
	told.Stderr = process.Clean(exit.Stderr)
	e.fold.Exited(*told)
	e.pend(e.fold.Take()...)
	e.pend(e.registry.Close())
	if err := e.handOn(ctx); err != nil {
		return errors.Join(err, fmt.Errorf("%s not sent", plural(len(e.pending), "request")))
	}
	return e.metrics.last(ctx)
}
