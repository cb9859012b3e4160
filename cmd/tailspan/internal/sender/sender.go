// Package sender sends what was recorded to an OpenTelemetry endpoint: sessions of agents, and the files in which `tailspan run`
// and the collector's file exporter keep OTLP JSON.
//
// All files of one call share a registry, so that sub-agents in files of their own are linked to their callers, whatever the
// order of the files. Reading a session again gives the same ids.
package sender

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// Settings say how files are read, and where they are sent.
type Settings struct {
	Stream    options.Stream
	Identity  options.Identity
	Prices    ledger.Prices
	Endpoints otlphttp.Endpoints
	UserAgent string
	// Redactor is nil if secrets stay.
	Redactor *redact.Redactor
	// Timeout is how long an endpoint that does not accept is retried.
	Timeout time.Duration
	Stderr  io.Writer
}

// sender sends files.
type sender struct {
	Settings
	exporter *otlphttp.Exporter
	registry *telemetry.Registry
	// open are the streams that were read: they are closed when all have been, since one may wait for another.
	open           []*pipeline.Pipeline
	spans, records int
	unrecognized   int // lines
}

// Send sends files. Its error says all that was not sent.
func Send(ctx context.Context, set Settings, files []string) error {
	s := &sender{Settings: set, registry: telemetry.NewRegistry(options.RegistrySettings(set.Prices))}
	s.exporter = otlphttp.New(otlphttp.Settings{Endpoints: set.Endpoints, UserAgent: set.UserAgent, Report: s.report})
	defer s.exporter.Close()
	var errs []error
	for _, name := range files {
		if err := s.file(ctx, name); err != nil {
			errs = append(errs, fmt.Errorf("read %q: %w", name, err))
			if errors.Is(err, errNotSent) {
				return errors.Join(errs...) // what is left would not be accepted either
			}
		}
	}
	if err := s.end(ctx); err != nil {
		return errors.Join(append(errs, err)...)
	}
	if s.unrecognized > 0 {
		s.report(fmt.Sprintf("skipped %s of no known format; --provider names it", cli.Count(s.unrecognized, "line")))
	}
	if n := s.exporter.Refused(); n > 0 {
		errs = append(errs, fmt.Errorf("%d spans, log records or metric points were refused", n))
	}
	s.report(fmt.Sprintf("sent %s and %s of %s", cli.Count(s.spans, "span"), cli.Count(s.records, "log record"), cli.Count(len(files), "file")))
	return errors.Join(errs...)
}

func (s *sender) report(problem string) {
	fmt.Fprintf(s.Stderr, "tailspan: %s\n", render.Sanitize(problem))
}

// errNotSent is the error of data that the endpoint did not accept in time.
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
		return s.session(ctx, name)
	}
}

// session reads one session, and sends what it gives so far.
func (s *sender) session(ctx context.Context, name string) error {
	in, err := input.Open(name, nil, s.Stderr)
	if err != nil {
		return err
	}
	defer in.Close()
	stream, err := s.newStream(name)
	if err != nil {
		return err
	}
	s.open = append(s.open, stream)
	lines := input.NewLines(input.LineSettings{
		Name: name, Max: s.Stream.MaxLine, Container: s.Stream.Container, KeepInBand: true,
		Noted: func(n parser.Noted) { stream.Noted = n },
	})
	read := 0
	err = lines.Records(in, func(record []byte) error {
		stream.At = telemetry.Line{Offset: lines.Offset()}
		stream.Line(record)
		if read++; read%linesAtOnce == 0 {
			return s.handOver(ctx, stream)
		}
		return nil
	})
	if err != nil {
		return err
	}
	stream.Flush()
	stream.Idle()
	return s.handOver(ctx, stream)
}

// linesAtOnce is how many lines are read before what they give is sent.
const linesAtOnce = 1000

func (s *sender) newStream(name string) (*pipeline.Pipeline, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	set := s.Identity.PipelineSettings(s.Stream.Provider, s.registry, s.Redactor)
	set.Path, set.Telemetry.ID = path, path
	set.Telemetry.FileTime, set.Telemetry.IdleGap = info.ModTime(), sessionGap
	set.Ambient = otlp.IdentityFromOTel(os.Getenv) // the job that sends is not the one that the agent worked in
	set.Discards = func(lines int) bool {          // a history or a journal may contain what nobody meant to export
		s.unrecognized += lines
		return true
	}
	return pipeline.New(set)
}

// sessionGap is the time between two lines after which a session counts as left, as the receiver's idle_close.
const sessionGap = time.Hour

// end closes all streams, and sends what waited for others.
func (s *sender) end(ctx context.Context) error {
	for _, stream := range s.open {
		stream.Close(otlp.CloseReasonNoResult)
		if err := s.handOver(ctx, stream); err != nil {
			return err
		}
	}
	out := s.registry.Close()
	return s.deliver(ctx, out.Traces, out.Logs)
}

func (s *sender) handOver(ctx context.Context, stream *pipeline.Pipeline) error {
	send := func(out *telemetry.Output) error { return s.deliver(ctx, out.Traces, out.Logs) }
	if err := stream.Deliver(send, nil); err != nil {
		return err
	}
	out := s.registry.Take()
	if err := send(&out); err != nil {
		return err
	}
	out.Accepted()
	return nil
}

func (s *sender) deliver(ctx context.Context, td ptrace.Traces, ld plog.Logs) error {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()
	spans, records := td.SpanCount(), ld.LogRecordCount()
	if _, err := s.exporter.Traces(ctx, td); err != nil {
		return fmt.Errorf("%w: %w", errNotSent, err)
	}
	s.spans += spans
	if _, err := s.exporter.Logs(ctx, ld); err != nil {
		return fmt.Errorf("%w: %w", errNotSent, err)
	}
	s.records += records
	return nil
}
