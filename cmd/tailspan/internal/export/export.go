package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/execute"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/ticker"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

// UserAgent returns the User-Agent that identifies us to servers.
func UserAgent() string { return "tailspan/" + cli.Version() }

// Settings configure what is sent, and where.
type Settings struct {
	Endpoints otlphttp.Endpoints
	// Pipeline configures the stream. Its registry is used by the export only.
	Pipeline pipeline.Settings
	MaxLine  config.Size
	// MetricsEvery is the interval between two exports of metrics.
	MetricsEvery time.Duration
	// Timeout bounds how long sending may continue after the program has ended.
	Timeout time.Duration
	// StopReason, if set, waits for the limit that the program exceeded, which may become known after its end, or until ctx ends.
	StopReason func(context.Context) otlp.StopReason
	// Report shows a problem.
	Report func(problem string)
	// Waited reports whether a person waits for the end, so that a message says why it takes long.
	Waited bool
}

// noticeAfter is how long sending may go on after the program's end until a message says so.
const noticeAfter = 2 * time.Second

// Start sends what a program does if an endpoint is configured. The returned channel is closed when sending has finished.
func Start(ctx context.Context, s Settings, p *process.Process) <-chan struct{} {
	done := make(chan struct{})
	if s.Endpoints.Empty() {
		close(done)
		return done
	}
	e, err := newExport(&s)
	if err != nil {
		s.Report(fmt.Sprintf("nothing is sent: %v", err))
		close(done)
		return done
	}
	sending, cancel := context.WithCancelCause(ctx)
	go func() { // the timeout for the remaining data begins when the command ends
		select {
		case <-p.Done():
		case <-done:
			return
		}
		e.hurry()
		timer, notice := time.NewTimer(s.Timeout), time.NewTimer(noticeAfter)
		defer timer.Stop()
		defer notice.Stop()
		for {
			select {
			case <-notice.C:
				if s.Waited {
					s.Report(fmt.Sprintf("still sending, for at most %s (--export-timeout); Ctrl-C keeps the rest in a file", s.Timeout))
				}
				continue
			case <-timer.C:
				cancel(fmt.Errorf("--export-timeout of %s is over", s.Timeout))
			case <-sending.Done():
			case <-done:
			}
			return
		}
	}()
	go func() {
		defer close(done)
		defer cancel(nil)
		// What cannot be sent is kept, so the output is read to its end even if sending fails.
		if err := e.run(context.WithoutCancel(ctx), sending, p); err != nil {
			s.Report(err.Error())
		}
	}()
	return done
}

// exporting takes the output of a command to an endpoint. It is a [tail.Consumer].
type exporting struct {
	maxLine  int
	stopped  func(context.Context) otlp.StopReason
	registry *telemetry.Registry
	out      *delivery
	metrics  *metricExport

	mu    sync.Mutex // guards what follows against the ticker
	lines *input.Live
	moved time.Time // arrival of the last lines; zero once its quiet time was handled
}

func newExport(s *Settings) (*exporting, error) {
	lines, err := input.NewLive(s.Pipeline, s.MaxLine)
	if err != nil {
		return nil, err
	}
	exporter := otlphttp.New(otlphttp.Settings{Endpoints: s.Endpoints, UserAgent: UserAgent(), Patience: s.Timeout, Report: s.Report})
	return &exporting{
		maxLine: int(s.MaxLine), stopped: s.StopReason, registry: s.Pipeline.Registry, lines: lines,
		out:     &delivery{exporter: exporter},
		metrics: &metricExport{exporter: exporter.Beside(), metrics: s.Pipeline.Registry.Metrics(), every: s.MetricsEvery},
	}, nil
}

// hurry stops waiting for an endpoint that accepts no connection.
func (e *exporting) hurry() {
	e.out.exporter.Hurry()
	e.metrics.exporter.Hurry()
}

// run follows the output to its end. What is not sent before sending ends is kept in a file, which the error names.
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
	return errors.Join(err, e.out.close(e.out.exporter.Rejected()+e.metrics.exporter.Rejected()))
}

// Lines processes lines and returns when their output was accepted or kept.
func (e *exporting) Lines(_ context.Context, lines []tail.Line) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.moved = time.Now()
	e.lines.Lines(lines, e.moved)
	return e.deliver(e.registry.Take)
}

// deliver sends or keeps the output of the stream and that of the registry.
func (e *exporting) deliver(last func() telemetry.Output) error {
	if err := e.lines.Deliver(e.out.deliver, nil); err != nil {
		return err
	}
	out := last()
	if err := e.out.deliver(&out); err != nil {
		return err
	}
	out.Accepted()
	return nil
}

// Idle records that everything available has been read.
func (e *exporting) Idle(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines.Idle()
	return e.deliver(e.registry.Take)
}

// Close does nothing: the exit of the process ends the stream (see end).
func (e *exporting) Close(context.Context, tail.CloseReason) error { return nil }

// tick releases output that waits for a quiet period, until stop is called.
func (e *exporting) tick(ctx context.Context) (stop func()) {
	return ticker.Start(ctx, redact.DefaultQuiet/2, func(context.Context, time.Time) error { return e.quiet() })
}

// quiet releases unfinished texts and pending output after a quiet period.
func (e *exporting) quiet() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.moved.IsZero() && time.Since(e.moved) >= pipeline.QuietAfter {
		e.moved = time.Time{}
		e.lines.Quiet()
	}
	e.lines.Tick()
	return e.deliver(e.registry.Take)
}

// end ends the stream with the exit of the process and sends the last spans and metrics.
func (e *exporting) end(exit process.Exit) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines.Flush()
	ended := execute.ExitOf(exit)
	if e.stopped != nil {
		ended.StopReason = cmp.Or(ended.StopReason, e.stopped(e.out.sending))
	}
	ended.Stderr = process.Clean(exit.Stderr)
	e.lines.Exited(*ended)
	err := e.deliver(e.registry.Close)
	e.out.deliverMetrics(e.metrics)
	return err
}
