package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

const sendSynopsis = `Sends recorded sessions to an OpenTelemetry endpoint as spans and log records, and
delivers the files in which run keeps what it could not send. Reading a session again
gives the same ids. It exits with 0 if the endpoint accepted everything.`

// sendFlags are those of the command send.
type sendFlags struct {
	*flags
	*identityFlags
	otlp, step string
	redact     bool
	timeout    time.Duration
}

// runSend is the command send.
func runSend(args []string, stderr io.Writer) error {
	f := &sendFlags{flags: newFlags("send", sendSynopsis, stderr)}
	f.addContainer()
	f.Usage = func() {
		fmt.Fprintf(stderr, "usage: tailspan send [flags] FILE|DIR|GLOB...\n\n%s\n\nflags:\n", sendSynopsis)
		f.PrintDefaults()
	}
	f.StringVar(&f.otlp, "otlp", "", "send to this address by OTLP/HTTP; else OTEL_EXPORTER_OTLP_ENDPOINT counts")
	f.identityFlags = f.addIdentity()
	f.StringVar(&f.step, "step", "", "name of the step (cicd.pipeline.task.name)")
	f.BoolVar(&f.redact, "redact", true, "take secrets out of sessions")
	f.DurationVar(&f.timeout, "timeout", time.Minute, "how long an endpoint that does not accept is retried")
	names, err := f.parseAround(args)
	if err != nil {
		if errors.Is(err, errHelp) {
			return err
		}
		return usageError{fmt.Errorf("read flags: %w", err)}
	}
	endpoints, err := f.check(names)
	if err != nil {
		return usageError{err}
	}
	files, err := expand(names)
	if err != nil {
		return usageError{err}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return f.send(ctx, endpoints, files, stderr)
}

func (f *sendFlags) check(names []string) (otlphttp.Endpoints, error) {
	errs := []error{f.identityFlags.check(), config.CheckContainer(f.container)}
	if f.maxLine <= 0 {
		errs = append(errs, fmt.Errorf("max-line-size must be positive, got %d", f.maxLine))
	}
	if _, err := parser.New(f.provider); err != nil {
		errs = append(errs, err)
	}
	if len(names) == 0 {
		errs = append(errs, errors.New("send needs a file, folder or glob"))
	}
	if f.timeout <= 0 {
		errs = append(errs, fmt.Errorf("timeout must be positive, got %s", f.timeout))
	}
	endpoints, err := otlphttp.FromEnvironment(os.Getenv, f.otlp)
	if errs = append(errs, err); err == nil && endpoints.Empty() {
		errs = append(errs, errors.New("send needs an endpoint: --otlp URL or OTEL_EXPORTER_OTLP_ENDPOINT"))
	}
	return endpoints, errors.Join(errs...)
}

// expand gives the files that arguments name: files, folders with sessions, globs. Each comes once, in the order of names.
func expand(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case err == nil && !info.IsDir():
			files = append(files, name)
			continue
		case err != nil && !(errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, "*?[{")):
			return nil, err
		}
		globs := givenPlaces([]string{name})[0].globs
		for _, glob := range globs {
			found, err := doublestar.FilepathGlob(glob, doublestar.WithFilesOnly())
			if err != nil {
				return nil, fmt.Errorf("match %q: %w", glob, err)
			}
			files = append(files, found...)
		}
	}
	slices.Sort(files)
	if files = slices.Compact(files); len(files) == 0 {
		return nil, fmt.Errorf("no file matches %q", strings.Join(names, " "))
	}
	return files, nil
}

// sender sends files. Sub-agents in files of their own are linked to their callers, whatever the order of the files.
type sender struct {
	flags    *sendFlags
	exporter *otlphttp.Exporter
	registry *telemetry.Registry
	redactor *redact.Redactor
	stderr   io.Writer
	// open are the streams that were read: they are closed when all have been, since one may wait for another.
	open           []*pipeline.Pipeline
	spans, records int
	unrecognized   int // lines
}

func (f *sendFlags) send(ctx context.Context, endpoints otlphttp.Endpoints, files []string, stderr io.Writer) error {
	report := func(problem string) { fmt.Fprintf(stderr, "tailspan: %s\n", render.Sanitize(problem)) }
	s := &sender{
		flags: f, registry: telemetry.NewRegistry(f.registrySettings()), stderr: stderr,
		exporter: otlphttp.New(otlphttp.Settings{Endpoints: endpoints, UserAgent: userAgent + "/" + version(), Report: report}),
	}
	defer s.exporter.Close()
	var err error
	if s.redactor, err = newRedactor(f.redact); err != nil {
		return err
	}
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
		report(fmt.Sprintf("skipped %s of no known format; --provider names it", plural(s.unrecognized, "line")))
	}
	if n := s.exporter.Refused(); n > 0 {
		errs = append(errs, fmt.Errorf("%d spans, log records or metric points were refused", n))
	}
	fmt.Fprintf(stderr, "tailspan: sent %s and %s of %s\n", plural(s.spans, "span"), plural(s.records, "log record"), plural(len(files), "file"))
	return errors.Join(errs...)
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

// isKept reports whether a file holds OTLP JSON, as run keeps it and the collector's file exporter writes it.
func isKept(name string) (bool, error) {
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer file.Close()
	head := make([]byte, 32)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	for _, signal := range []string{`{"resourceSpans"`, `{"resourceLogs"`, `{"resourceMetrics"`} {
		if bytes.HasPrefix(head[:n], []byte(signal)) {
			return true, nil
		}
	}
	return false, nil
}

// kept sends requests as they are, one a line.
func (s *sender) kept(ctx context.Context, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := s.request(ctx, line); err != nil {
				return fmt.Errorf("line %d: %w", number, err)
			}
		}
		if err != nil {
			return nil
		}
	}
}

func (s *sender) request(ctx context.Context, line []byte) error {
	switch {
	case depthOf(line) > maxDepth:
		return fmt.Errorf("nested deeper than %d levels", maxDepth)
	case bytes.HasPrefix(line, []byte(`{"resourceSpans"`)):
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		if err != nil {
			return err
		}
		return s.deliver(ctx, td, plog.NewLogs())
	case bytes.HasPrefix(line, []byte(`{"resourceLogs"`)):
		ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(line)
		if err != nil {
			return err
		}
		return s.deliver(ctx, ptrace.NewTraces(), ld)
	case bytes.HasPrefix(line, []byte(`{"resourceMetrics"`)):
		md, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, s.flags.timeout)
		defer cancel()
		if err := s.exporter.Metrics(ctx, md); err != nil {
			return fmt.Errorf("%w: %w", errNotSent, err)
		}
		return nil
	default:
		return errors.New("no OTLP JSON")
	}
}

// session reads one session, and sends what it gives so far.
func (s *sender) session(ctx context.Context, name string) error {
	in, err := openInput(name, nil, s.stderr)
	if err != nil {
		return err
	}
	defer in.Close()
	stream, err := s.newStream(name)
	if err != nil {
		return err
	}
	s.open = append(s.open, stream)
	lines := &lineReader{name: name, max: s.flags.maxLine, keepInBand: true, noted: func(n parser.Noted) { stream.Noted = n }}
	if s.flags.container == config.ContainerAuto {
		lines.framing = pipeline.NewFraming(s.flags.maxLine)
	}
	read := 0
	err = lines.records(in, func(record []byte) error {
		stream.At = telemetry.Line{Offset: lines.at}
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
	set := s.flags.pipelineSettings(s.flags.provider, s.flags.step, s.registry, s.redactor)
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
	ctx, cancel := context.WithTimeout(ctx, s.flags.timeout)
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

// maxDepth is how many levels of objects and arrays a request of OTLP JSON may have. What reads it calls itself for each level,
// and a program whose stack is full ends.
const maxDepth = 10_000

// depthOf is how many levels of objects and arrays a JSON document has.
func depthOf(document []byte) (deepest int) {
	depth, quoted := 0, false
	for i := 0; i < len(document); i++ {
		switch c := document[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}
