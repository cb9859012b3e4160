package recorded

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// Settings configure how files are read and where their output goes.
type Settings struct {
	Stream    options.Stream
	Identity  options.Identity
	Telemetry telemetry.Settings
	// Redactor removes secrets; nil leaves them in.
	Redactor *redact.Redactor
	// Stdin is read for the name "-".
	Stdin io.Reader
	// Stderr shows what could not be read completely.
	Stderr io.Writer
	// Deliver takes the output. Output that it does not accept is offered again with the next.
	Deliver func(context.Context, *telemetry.Output) error
}

// Reader reads recorded sessions.
type Reader struct {
	settings Settings
	registry *telemetry.Registry
	// open holds the streams that were read. They are closed after all files, since one may wait for another.
	open         []*pipeline.Pipeline
	unrecognized int
}

// New returns a Reader.
func New(s Settings) *Reader {
	return &Reader{settings: s, registry: telemetry.NewRegistry(s.Telemetry)}
}

// Unrecognized returns the number of lines of unknown formats.
func (r *Reader) Unrecognized() int { return r.unrecognized }

// Feed reads a session to its end into a stream; at holds the fields that all its lines share. It calls take every thousand lines
// and stops at its first error. It returns how many lines exceeded the limit.
func Feed(in io.Reader, set input.LineSettings, stream *pipeline.Pipeline, at telemetry.Line, take func() error) (tooLong int, err error) {
	set.KeepInBand, set.Noted = true, func(n parser.Noted) { stream.Noted = n }
	lines := input.NewLines(set)
	read := 0
	err = lines.Records(in, func(record []byte) error {
		at.Offset = lines.Offset()
		stream.At = at
		stream.Line(record)
		if read++; read%linesAtOnce == 0 {
			return take()
		}
		return nil
	})
	return lines.TooLong(), err
}

// linesAtOnce is the number of lines between two calls of take.
const linesAtOnce = 1000

// Read reads one session and delivers the output that is complete.
func (r *Reader) Read(ctx context.Context, name string) error {
	in, err := input.Open(name, r.settings.Stdin, r.settings.Stderr)
	if err != nil {
		return err
	}
	defer in.Close()
	stream, err := r.newStream(name)
	if err != nil {
		return err
	}
	r.open = append(r.open, stream)
	set := input.LineSettings{Name: name, Max: r.settings.Stream.MaxLine, Container: r.settings.Stream.Container}
	tooLong, err := Feed(in, set, stream, telemetry.Line{}, func() error { return r.deliver(ctx, stream) })
	if tooLong > 0 {
		cli.Streams{Err: r.settings.Stderr}.Report(fmt.Sprintf("%q: %s", name, r.settings.Stream.TooLong(tooLong)))
	}
	if err != nil {
		return err
	}
	stream.Flush()
	stream.Idle()
	err = r.deliver(ctx, stream)
	stream.Suspend() // no more lines follow
	return err
}

func (r *Reader) newStream(name string) (*pipeline.Pipeline, error) {
	set := r.settings.Identity.PipelineSettings(r.settings.Stream.Provider, r.registry, r.settings.Redactor)
	capture := &r.settings.Telemetry.Capture
	set.Events.Inputs, set.Events.Outputs = capture.Inputs(), capture.Outputs()
	set.Telemetry.ID, set.Telemetry.FileTime, set.Telemetry.IdleGap = name, time.Now(), SessionGap
	if name != input.Stdin {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		set.Path, set.Telemetry.ID, set.Telemetry.FileTime = path, path, info.ModTime()
	}
	set.Ambient = otlp.IdentityFromOTel(os.Getenv) // the reading job is not the one in which the agent worked
	set.Discards = func(lines int) bool {
		r.unrecognized += lines
		return true
	}
	return pipeline.New(set)
}

// SessionGap is the gap between two lines after which a session counts as abandoned, as idle_close of the receiver.
const SessionGap = time.Hour

// Close closes all streams and delivers what waited for other files.
func (r *Reader) Close(ctx context.Context) error {
	for _, stream := range r.open {
		stream.Close(otlp.CloseReasonNoResult)
		if err := r.deliver(ctx, stream); err != nil {
			return err
		}
	}
	out := r.registry.Close()
	return r.settings.Deliver(ctx, &out)
}

func (r *Reader) deliver(ctx context.Context, stream *pipeline.Pipeline) error {
	if err := stream.Deliver(func(out *telemetry.Output) error { return r.settings.Deliver(ctx, out) }, nil); err != nil {
		return err
	}
	out := r.registry.Take()
	if err := r.settings.Deliver(ctx, &out); err != nil {
		return err
	}
	out.Accepted()
	return nil
}
