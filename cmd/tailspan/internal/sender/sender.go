package sender

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/recorded"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/telemetry"
)

// Settings configure how files are read and where they are sent.
type Settings struct {
	Stream    options.Stream
	Identity  options.Identity
	Prices    ledger.Prices
	Endpoints otlphttp.Endpoints
	UserAgent string
	// Redactor removes secrets; nil leaves them in.
	Redactor *redact.Redactor
	// Timeout bounds the retries for an endpoint that does not accept data.
	Timeout time.Duration
	Stderr  io.Writer
}

// sender sends files.
type sender struct {
	Settings
	exporter *otlphttp.Exporter
	sessions *recorded.Reader
	tried    int // elements
}

// Send sends files. Its error reports everything that was not sent.
func Send(ctx context.Context, set Settings, files []string) error {
	s := &sender{Settings: set}
	s.sessions = recorded.New(recorded.Settings{
		Stream: set.Stream, Identity: set.Identity, Telemetry: options.RegistrySettings(set.Prices), Redactor: set.Redactor, Stderr: set.Stderr,
		Deliver: func(ctx context.Context, out *telemetry.Output) error { return s.deliver(ctx, out.Traces, out.Logs) },
	})
	s.exporter = otlphttp.New(otlphttp.Settings{Endpoints: set.Endpoints, UserAgent: set.UserAgent, Report: s.report})
	defer s.exporter.Close()
	var errs []error
	for _, name := range files {
		switch err := s.file(ctx, name); {
		case errors.Is(err, errNotSent):
			errs = append(errs, fmt.Errorf("send %q: %w", name, err))
			return errors.Join(errs...) // the endpoint would not accept the rest either
		case err != nil:
			errs = append(errs, fmt.Errorf("read %q: %w", name, err))
		}
	}
	if err := s.sessions.Close(ctx); err != nil {
		return errors.Join(append(errs, err)...)
	}
	if n := s.sessions.Unrecognized(); n > 0 {
		s.report(fmt.Sprintf("skipped %s of no known format; --provider names it", cli.Count(n, "line")))
	}
	if n := s.exporter.Refused() + s.exporter.Rejected(); n > 0 {
		errs = append(errs, fmt.Errorf("%d spans, log records or metric points were refused; the files are unchanged and still have them", n))
	}
	spans, records, points := s.exporter.Sent()
	s.report(fmt.Sprintf("sent %s and %s of %s", cli.Count(spans, "span"), cli.Count(records, "log record"), cli.Count(len(files), "file")))
	if spans+records+points == 0 && s.tried > 0 && len(errs) == 0 {
		errs = append(errs, fmt.Errorf("%w: the endpoint accepts none of it", errNotSent))
	}
	return errors.Join(errs...)
}

func (s *sender) report(problem string) {
	fmt.Fprintf(s.Stderr, "tailspan: %s\n", render.Sanitize(problem))
}

// errNotSent reports data that the endpoint did not accept in time.
var errNotSent = errors.New("not everything was sent")

// file sends one file.
func (s *sender) file(ctx context.Context, name string) error {
	kept, err := isKept(name)
	switch {
	case err != nil:
		return err
	case kept:
		return s.kept(ctx, name)
	default:
		return s.sessions.Read(ctx, name)
	}
}

func (s *sender) deliver(ctx context.Context, td ptrace.Traces, ld plog.Logs) error {
	s.tried += td.SpanCount() + ld.LogRecordCount()
	return s.send(ctx, func(ctx context.Context) error {
		if _, err := s.exporter.Traces(ctx, td); err != nil && !errors.Is(err, otlphttp.ErrRefused) {
			return err
		}
		_, err := s.exporter.Logs(ctx, ld)
		return err
	})
}

// send sends one batch with f. A signal, even after the last acceptance, ends it with an error that says what was not sent.
// Elsewhere signals end the process: a read may block on a pipe without a writer.
func (s *sender) send(ctx context.Context, f func(context.Context) error) error {
	ctx, interrupt := context.WithCancelCause(ctx)
	defer interrupt(nil)
	caught, sent := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	var waiting sync.WaitGroup
	waiting.Go(func() {
		select {
		case sig := <-caught:
			interrupt(fmt.Errorf("signal: %s", sig))
		case <-sent:
		}
	})
	timed, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	err := f(timed)
	if errors.Is(err, otlphttp.ErrRefused) { // the next request may be accepted; the exporter counts it
		err = nil
	}
	signal.Stop(caught) // earlier signals are in the channel
	close(sent)
	waiting.Wait()
	select {
	case sig := <-caught:
		interrupt(fmt.Errorf("signal: %s", sig))
	default:
	}
	if err = cmp.Or(err, context.Cause(ctx)); err != nil {
		return fmt.Errorf("%w: %w", errNotSent, err)
	}
	return nil
}
