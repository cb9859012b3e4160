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
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/ticker"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/poll"
	"github.com/tailspan/tailspan/poll/opencodedb"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/tail"
)

// follower opens a consumer for each growing file. It is a [tail.Handler].
type follower struct {
	settings *Settings
	cancel   context.CancelFunc

	mu     sync.Mutex // one stream at a time: they share an output
	open   map[*consumer]struct{}
	failed error // the first failure of a stream
}

// polled opens a consumer for each document and each session of a database.
type polled struct{ *follower }

// followed holds the patterns of the files and databases to follow.
type followed struct{ files, databases []string }

// source reads what is followed.
type source interface {
	Start(ctx context.Context) error
	Shutdown(ctx context.Context) error
}

// follow reads growing files, rewritten documents and databases until ctx ends or a stream fails.
func follow(ctx context.Context, names []string, s *Settings) error {
	what, err := s.followed(names)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f := &follower{settings: s, cancel: cancel, open: map[*consumer]struct{}{}}
	sources, err := f.sources(what)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	for _, one := range sources {
		if err := one.Start(ctx); err != nil {
			return err
		}
	}
	stop := ticker.Start(ctx, redact.DefaultQuiet/2, func(context.Context, time.Time) error { return f.tick() })
	<-ctx.Done()
	stop()
	var errs []error
	for _, one := range sources { // Close closes streams, which may fail
		errs = append(errs, one.Shutdown(context.WithoutCancel(ctx)))
	}
	return errors.Join(append(errs, f.failed)...)
}

// sources returns the readers of what is followed.
func (f *follower) sources(what followed) ([]source, error) {
	shared := tail.Settings{
		Include: what.files, Skip: isOther, MaxLineSize: int(f.settings.Stream.MaxLine), Observer: tail.Observer{Failed: f.report()},
		WatchWarning: new(sync.Once),
	}
	rows := shared
	rows.IdleClose = f.settings.IdleClose // a file costs little, and its lines would have to be replayed
	poller, err := poll.New(poll.Settings{Documents: what.files, IsDocument: parser.IsDocument, Databases: what.databases, Shared: rows}, polled{f})
	if err != nil || len(what.files) == 0 {
		return []source{poller}, err
	}
	tailer, err := tail.New(shared, f)
	return []source{tailer, poller}, err
}

// isOther reports whether a path names no file of lines.
func isOther(path string) bool { return parser.IsDocument(path) || input.IsDatabase(path) }

// followed returns the patterns for names.
func (s *Settings) followed(names []string) (what followed, err error) {
	if len(names) == 0 {
		return what, errNoInput
	}
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case name == input.Stdin:
			return what, errors.New("standard input is read to its end as it comes: leave --follow out")
		case err == nil && info.IsDir() && input.IsTree(name):
			return what, fmt.Errorf("%q is a folder of OpenCode's before its database, which is not followed: leave --follow out", name)
		case err == nil && info.IsDir():
			what.add(place.Named([]string{name})[0].Globs...)
			continue
		case err != nil && strings.ContainsAny(name, "*?[{"):
			what.add(name)
			continue
		case err != nil:
			s.report(fmt.Sprintf("%q is not there yet", name))
		}
		path, err := filepath.Abs(name)
		if err != nil {
			return what, err
		}
		if glob := place.Escape(filepath.ToSlash(path)); IsDatabase(name) {
			what.databases = append(what.databases, glob)
		} else {
			what.add(glob)
		}
	}
	return what, nil
}

// add adds patterns.
func (f *followed) add(globs ...string) {
	for _, glob := range globs {
		if input.IsDatabase(glob) {
			f.databases = append(f.databases, glob)
		} else {
			f.files = append(f.files, glob)
		}
	}
}

// IsDatabase reports whether a file is a database of OpenCode, whose sessions are separate streams when it is followed.
func IsDatabase(name string) bool {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	var head [16]byte
	n, _ := file.ReadAt(head[:], 0) // reading the file reports the error
	return opencodedb.Is(head[:n])
}

// report returns a function that reports each unreadable file once.
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
	c := f.newConsumer(s)
	c.document = &input.Document{Limit: int(f.settings.Stream.MaxLine)}
	if f.settings.Stream.Container == config.ContainerAuto {
		c.framing = pipeline.NewFraming(int(f.settings.Stream.MaxLine))
	}
	return c, nil
}

// Open implements [tail.Handler].
func (p polled) Open(_ context.Context, s tail.Stream) (tail.Consumer, error) {
	return p.newConsumer(s), nil
}

func (f *follower) newConsumer(s tail.Stream) *consumer {
	c := &consumer{follower: f, target: target{settings: f.settings, origin: Origin{Name: s.Path, Session: s.Session, Live: true}}}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open[c] = struct{}{}
	return c
}

// tick passes time to all streams.
func (f *follower) tick() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for c := range f.open {
		f.end(c.target.tick())
	}
	return f.failed
}

// consumer reads one growing file. It never refuses lines: a failed write ends the reading of all files.
type consumer struct {
	follower *follower
	target   target
	framing  pipeline.Framing
	document *input.Document // nil if a line is a whole document, or a row
	begun    bool
	utf16    bool // nothing of it is shown
	waits    bool // the incomplete document was reported
	tooLong  int
}

// Lines implements [tail.Consumer].
func (c *consumer) Lines(_ context.Context, in []tail.Line) error {
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	for i := range in {
		if in[i].Again { // of a session that was idle, so it was shown
			c.follower.end(c.target.replay(in[i].Data))
			continue
		}
		if in[i].Abridged {
			c.tooLong++
		}
		for line := range c.framing.Lines(in[i].Data, in[i].Abridged) {
			c.line(line)
		}
	}
	return nil
}

func (c *consumer) line(line pipeline.Line) {
	if line.TooLong {
		c.tooLong++
	}
	if line.Data == nil || c.utf16 {
		return
	}
	if !c.begun {
		c.begun = true
		if c.utf16 = lines.IsUTF16(line.Data); c.utf16 {
			c.follower.settings.report(fmt.Sprintf("decode %q: %v", c.target.origin.Name, lines.ErrUTF16))
			return
		}
		if in, ok := config.ParseInBand(line.Data); ok {
			c.target.inBand(in)
			return
		}
	}
	c.target.note(line.Noted)
	if c.document == nil {
		c.record(line.Data)
		return
	}
	for _, record := range c.document.Records(line.Data) {
		c.record(record)
	}
}

func (c *consumer) record(record []byte) { c.follower.end(c.target.record(record)) }

// idle passes on a complete document. It reports an incomplete one once: its last line may lack a newline.
func (c *consumer) idle() {
	if c.document == nil {
		return
	}
	switch document, waits := c.document.Idle(); {
	case document != nil:
		c.record(document)
	case waits && !c.waits:
		c.waits = true
		const later = "%q is one document, which is shown once it ends with a newline; in a file named .json it needs none"
		c.follower.settings.report(fmt.Sprintf(later, c.target.origin.Name))
	}
}

// Idle implements [tail.Consumer].
func (c *consumer) Idle(context.Context) error {
	c.follower.mu.Lock()
	defer c.follower.mu.Unlock()
	c.idle()
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
	c.idle()
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
