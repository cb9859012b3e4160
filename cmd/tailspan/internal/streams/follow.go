package streams

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/ticker"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/poll/opencodedb"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/tail"
)

// follower opens a consumer for each file that grows. It is a [tail.Handler].
type follower struct {
	settings *Settings
	cancel   context.CancelFunc

	mu     sync.Mutex // one stream at a time: they share an output
	open   map[*consumer]struct{}
	failed error // the first failure of a stream
}

// follow reads files of lines while they grow, until ctx ends or a stream fails.
func follow(ctx context.Context, names []string, s *Settings) error {
	globs, err := s.globs(names)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &follower{settings: s, cancel: cancel, open: map[*consumer]struct{}{}}
	tailer, err := tail.New(tail.Settings{
		Include: globs, Skip: isOther, MaxLineSize: int(s.Stream.MaxLine),
		Observer: tail.Observer{Failed: f.report()},
	}, f)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	if err := tailer.Start(ctx); err != nil {
		return err
	}
	stop := ticker.Start(ctx, redact.DefaultQuiet/2, func(context.Context, time.Time) error { return f.tick() })
	<-ctx.Done()
	stop()
	err = tailer.Shutdown(context.WithoutCancel(ctx)) // which closes streams, and they may fail
	return errors.Join(err, f.failed)
}

// isOther reports whether a path is of no file of lines.
func isOther(path string) bool {
	return parser.FramingOf(path) == parser.FramingDocument || strings.HasSuffix(path, ".db")
}

// globs are the patterns of what is followed. A file that is named and can't be followed is an error.
func (s *Settings) globs(names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, errNoInput
	}
	var globs []string
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case name == input.Stdin:
			return nil, errors.New("standard input is read to its end as it comes: leave --follow out")
		case err == nil && info.IsDir():
			globs = append(globs, place.Named([]string{name})[0].Globs...)
			continue
		case err != nil && strings.ContainsAny(name, "*?[{"):
			globs = append(globs, name)
			continue
		case err != nil:
			s.report(fmt.Sprintf("%q is not there yet", name))
		}
		if isOther(name) || isDatabase(name) {
			return nil, fmt.Errorf("--follow reads files of lines, and %q is a document or a database", name)
		}
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		globs = append(globs, place.Escape(filepath.ToSlash(path)))
	}
	return globs, nil
}

func isDatabase(name string) bool {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	var head [16]byte
	n, _ := file.ReadAt(head[:], 0) // who reads it reports what is wrong
	return opencodedb.Is(head[:n])
}

// report reports each file that can't be read once.
func (f *follower) report() func(path string, err error, retryIn time.Duration) {
	reported := map[string]bool{}
	return func(path string, err error, _ time.Duration) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(reported) < 1000 && !reported[path] {
			reported[path] = true
			f.settings.report(fmt.Sprintf("read %q, trying again: %v", path, err))
		}
	}
}

// Open implements [tail.Handler].
func (f *follower) Open(_ context.Context, s tail.Stream) (tail.Consumer, error) {
	c := &consumer{follower: f, target: target{settings: f.settings, origin: Origin{Name: s.Path, Live: true}}}
	if f.settings.Stream.Container == config.ContainerAuto {
		c.framing = pipeline.NewFraming(int(f.settings.Stream.MaxLine))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[c] = struct{}{}
	return c, nil
}

// tick lets time pass for all streams.
func (f *follower) tick() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.open {
		f.end(c.target.tick())
	}
	return f.failed
}

// consumer is one file that grows. It never refuses lines: what can't be written ends the reading of all.
type consumer struct {
	follower *follower
	target   target
	framing  pipeline.Framing
	begun    bool
	tooLong  int
}

// Lines implements [tail.Consumer].
func (c *consumer) Lines(_ context.Context, lines []tail.Line) error {
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	for i := range lines {
		if lines[i].Abridged {
			c.tooLong++
		}
		for line := range c.framing.Lines(lines[i].Data, lines[i].Abridged) {
			c.line(line)
		}
	}
	return nil
}

func (c *consumer) line(line pipeline.Line) {
	if line.TooLong {
		c.tooLong++
	}
	if line.Data == nil {
		return
	}
	if !c.begun {
		c.begun = true
		if in, ok := config.ParseInBand(line.Data); ok {
			c.target.inBand(in)
			return
		}
	}
	c.target.note(line.Noted)
	c.follower.end(c.target.record(line.Data))
}

// Idle implements [tail.Consumer].
func (c *consumer) Idle(context.Context) error {
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	c.follower.end(c.target.tick())
	return nil
}

// Close implements [tail.Consumer].
func (c *consumer) Close(context.Context, tail.CloseReason) error {
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	delete(c.follower.open, c)
	for line := range c.framing.Rest() {
		c.line(line)
	}
	c.follower.end(c.target.close(c.tooLong))
	return nil
}

// end ends the reading of all files if a stream has failed.
func (f *follower) end(err error) {
	if err != nil && f.failed == nil {
		f.failed = err
		f.cancel()
	}
}
