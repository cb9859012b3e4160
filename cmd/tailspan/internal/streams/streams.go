package streams

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/ticker"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
)

// Stream is one input on its way to an output.
type Stream interface {
	// Note takes what is known of the next record beside its bytes.
	Note(parser.Noted)
	// Record takes a line or a document; it is valid until Record returns.
	Record(record []byte) error
	// Tick takes the time that passes while nothing comes.
	Tick() error
	// Close ends the stream; tooLong lines of it were shortened or skipped.
	Close(tooLong int) error
}

// Origin is what is known of an input before its first record.
type Origin struct {
	// Name is the path, or "-".
	Name string
	// Identity is whose work it is: by the flags, the in-band line and the environment.
	Identity otlp.Identity
	// Live is true if the input may be written while it is read.
	Live bool
}

// Settings say how inputs are read.
type Settings struct {
	Stream   options.Stream
	Identity options.Identity
	// Redactor cleans the in-band line; nil leaves it as it is.
	Redactor *redact.Redactor
	Streams  cli.Streams
	// Follow reads files while they grow.
	Follow bool
	// Open makes the stream of an input.
	Open func(Origin) (Stream, error)
}

// Run reads the inputs that names name. It returns nil when all were read to their ends; with Follow, when ctx ends or a signal
// ends the process.
func (s Settings) Run(ctx context.Context, names []string) error {
	if s.Follow {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		context.AfterFunc(ctx, stop) // a second signal ends a write that nobody reads
		return follow(ctx, names, &s)
	}
	files, err := s.Files(names)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range files {
		err := s.read(ctx, name)
		switch {
		case err == nil:
		case len(files) == 1 || !errors.As(err, &input.Error{}):
			return err
		default:
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return Unread{errors.Join(errs...)}
	}
	return nil
}

// Unread is the error of some of several inputs, where the others were read.
type Unread struct{ Err error }

func (u Unread) Error() string { return u.Err.Error() }
func (u Unread) Unwrap() error { return u.Err }

// Files are the inputs that names name.
func (s Settings) Files(names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, cli.UsageError{Err: errNoInput}
	}
	files, err := input.Files(names, s.Streams.Report)
	if err != nil {
		return nil, cli.UsageError{Err: err}
	}
	return files, nil
}

var errNoInput = errors.New("no input: name a file, folder or glob, or - for standard input")

// read reads one input to its end.
func (s *Settings) read(ctx context.Context, name string) error {
	in, err := input.Open(name, s.Streams.In, s.Streams.Err)
	if err != nil {
		return input.Error{Err: err}
	}
	defer in.Close()
	return s.Read(ctx, Origin{Name: name, Live: name == input.Stdin && IsLive(s.Streams.In)}, in)
}

// Read reads an input that is open to its end. Who it is from has no identity yet.
func (s *Settings) Read(ctx context.Context, from Origin, in io.Reader) error {
	t := &target{settings: s, origin: from}
	lines := input.NewLines(input.LineSettings{
		Name: from.Name, Max: s.Stream.MaxLine, Container: s.Stream.Container, Noted: t.note, InBand: t.inBand,
	})
	stop := func() {}
	if from.Live {
		stop = ticker.Start(ctx, redact.DefaultQuiet/2, func(context.Context, time.Time) error { return t.tick() })
	}
	err := lines.Records(in, t.record)
	stop()
	if closed := t.close(lines.TooLong()); err == nil {
		err = closed // else most often the same again
	}
	return err
}

// IsLive reports whether what standard input gives may be written while it is read: it is no file on a disk.
func IsLive(stdin io.Reader) bool {
	f, ok := stdin.(*os.File)
	if !ok {
		return true
	}
	info, err := f.Stat()
	return err != nil || !info.Mode().IsRegular()
}

// target is the stream of one input. It is opened at the first record, when whose work it is is known.
type target struct {
	settings *Settings
	origin   Origin

	mu     sync.Mutex
	stream Stream
	noted  parser.Noted
	first  config.InBand
	failed error // of a tick; the next record returns it
}

func (t *target) note(n parser.Noted) { t.noted = n }

// inBand takes what the first line says in our own words.
func (t *target) inBand(in config.InBand) {
	allowed, dropped := in.Allowed(t.settings.Identity.InBand)
	if dropped > 0 {
		t.settings.report(fmt.Sprintf("first line of %q: ignored %s (--in-band %s)", t.origin.Name, cli.Count(dropped, "attribute"), t.settings.Identity.InBand))
	}
	t.first = allowed
}

// open makes the stream.
func (t *target) open() error {
	if t.stream != nil {
		return nil
	}
	t.origin.Identity = t.settings.Identity.Of(t.first, t.settings.Redactor, os.Getenv)
	var err error
	t.stream, err = t.settings.Open(t.origin)
	return err
}

// record gives the stream its next record.
func (t *target) record(record []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := errors.Join(t.failed, t.open()); err != nil {
		return err
	}
	t.stream.Note(t.noted)
	return t.stream.Record(record)
}

func (t *target) tick() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stream != nil {
		t.failed = errors.Join(t.failed, t.stream.Tick())
	}
	return t.failed
}

// close ends the stream, also that of an input without a record.
func (t *target) close(tooLong int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := errors.Join(t.failed, t.open()); err != nil {
		return err
	}
	return t.stream.Close(tooLong)
}

// report writes a line of our own.
func (s *Settings) report(problem string) { s.Streams.Report(problem) }
