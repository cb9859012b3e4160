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

// Stream converts one input to output.
type Stream interface {
	// Note passes metadata of the next record.
	Note(parser.Noted)
	// Record passes a line or a document, valid until Record returns.
	Record(record []byte) error
	// Replay passes a record that an earlier stream of the input has had, and which only restores what is known of it.
	Replay(record []byte)
	// Tick passes time while no record arrives.
	Tick() error
	// Close ends the stream; tooLong is the number of its lines that were shortened or skipped.
	Close(tooLong int) error
}

// Origin describes an input before its first record.
type Origin struct {
	// Name is the path, or "-".
	Name string
	// Session is the ID of the session if each of the input is a separate stream, as in a database that is followed.
	Session string
	// Identity says whose work it is, from the flags, the in-band line and the environment.
	Identity otlp.Identity
	// Live reports whether the input may be written while it is read.
	Live bool
}

// Settings configure how inputs are read.
type Settings struct {
	Stream   options.Stream
	Identity options.Identity
	// Redactor cleans the in-band line; nil leaves it unchanged.
	Redactor *redact.Redactor
	Streams  cli.Streams
	// Follow reads files while they grow.
	Follow bool
	// IdleClose is the time without a row after which the stream of a followed session in a database ends; 0 means never.
	IdleClose time.Duration
	// Open returns the stream for an input.
	Open func(Origin) (Stream, error)
}

// Run reads the inputs that names name. It returns nil when all were read to their ends; with Follow, when ctx ends or a signal
// ends the process.
func (s Settings) Run(ctx context.Context, names []string) error {
	if s.Follow {
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
		context.AfterFunc(ctx, stop) // a second signal interrupts a write that nobody reads
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

// Unread is the error of inputs that could not be read although others were.
type Unread struct{ Err error }

func (u Unread) Error() string { return u.Err.Error() }
func (u Unread) Unwrap() error { return u.Err }

// Files returns the inputs that names name.
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

// Read reads an open input to its end. The identity in from is not set yet.
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
		err = closed // usually the same error again
	}
	return err
}

// IsLive reports whether standard input may be written while it is read: it is no regular file.
func IsLive(stdin io.Reader) bool {
	f, ok := stdin.(*os.File)
	if !ok {
		return true
	}
	info, err := f.Stat()
	return err != nil || !info.Mode().IsRegular()
}

// target is the stream of one input. It is opened at the first record, when its identity is known.
type target struct {
	settings *Settings
	origin   Origin

	mu     sync.Mutex
	stream Stream
	noted  parser.Noted
	first  config.InBand
	failed error // by a tick; the next record returns it
}

func (t *target) note(n parser.Noted) { t.noted = n }

// inBand takes the identity from an in-band line.
func (t *target) inBand(in config.InBand) {
	allowed, dropped := in.Allowed(t.settings.Identity.InBand)
	if dropped > 0 {
		ignored := cli.Count(dropped, "attribute")
		t.settings.report(fmt.Sprintf("first line of %q: ignored %s (--in-band %s)", t.origin.Name, ignored, t.settings.Identity.InBand))
	}
	t.first = allowed
}

// open opens the stream.
func (t *target) open() error {
	if t.stream != nil {
		return nil
	}
	t.origin.Identity = t.settings.Identity.Of(t.first, t.settings.Redactor, os.Getenv)
	var err error
	t.stream, err = t.settings.Open(t.origin)
	return err
}

// record passes the next record to the stream.
func (t *target) record(record []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := errors.Join(t.failed, t.open()); err != nil {
		return err
	}
	t.stream.Note(t.noted)
	return t.stream.Record(record)
}

// replay passes a replayed record to the stream.
func (t *target) replay(record []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := errors.Join(t.failed, t.open()); err != nil {
		return err
	}
	t.stream.Replay(record)
	return nil
}

func (t *target) tick() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stream != nil {
		t.failed = errors.Join(t.failed, t.stream.Tick())
	}
	return t.failed
}

// close ends the stream, even without a record.
func (t *target) close(tooLong int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := errors.Join(t.failed, t.open()); err != nil {
		return err
	}
	return t.stream.Close(tooLong)
}

// report writes a message of tailspan.
func (s *Settings) report(problem string) { s.Streams.Report(problem) }
