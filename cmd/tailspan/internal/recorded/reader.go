package recorded

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// Settings say how files are read, and what becomes of what they give.
type Settings struct {
	Stream    options.Stream
	Identity  options.Identity
	Telemetry telemetry.Settings
	// Redactor is nil if secrets stay.
	Redactor *redact.Redactor
	// Stdin is what the name "-" stands for.
	Stdin  io.Reader
	Stderr io.Writer
	// Deliver takes what the files give. What it does not accept is offered again with the next.
	Deliver func(context.Context, *telemetry.Output) error
}

// Reader reads sessions.
type Reader struct {
	settings Settings
	registry *telemetry.Registry
	// open are the streams that were read: they are closed when all have been, since one may wait for another.
	open         []*pipeline.Pipeline
	unrecognized int
}

// New makes a Reader.
func New(s Settings) *Reader {
	return &Reader{settings: s, registry: telemetry.NewRegistry(s.Telemetry)}
}

// Unrecognized counts the lines of no known format.
func (r *Reader) Unrecognized() int { return r.unrecognized }

// linesAtOnce is how many lines are read before what they give is delivered.
const linesAtOnce = 1000

// Read reads one session, and delivers what it gives so far.
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
	lines := input.NewLines(input.LineSettings{
		Name: name, Max: r.settings.Stream.MaxLine, Container: r.settings.Stream.Container, KeepInBand: true,
		Noted: func(n parser.Noted) { stream.Noted = n },
	})
	read := 0
	err = lines.Records(in, func(record []byte) error {
		stream.At = telemetry.Line{Offset: lines.Offset()}
		stream.Line(record)
		if read++; read%linesAtOnce == 0 {
			return r.deliver(ctx, stream)
		}
		return nil
	})
	if err != nil {
		return err
	}
	stream.Flush()
	stream.Idle()
	err = r.deliver(ctx, stream)
	stream.Suspend() // no line comes
	return err
}

func (r *Reader) newStream(name string) (*pipeline.Pipeline, error) {
	set := r.settings.Identity.PipelineSettings(r.settings.Stream.Provider, r.registry, r.settings.Redactor)
	capture := &r.settings.Telemetry.Capture
	set.Events.Inputs, set.Events.Outputs = capture.Inputs(), capture.Outputs()
	set.Telemetry.ID, set.Telemetry.FileTime, set.Telemetry.IdleGap = name, time.Now(), sessionGap
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
	set.Ambient = otlp.IdentityFromOTel(os.Getenv) // the job that reads is not the one that the agent worked in
	set.Discards = func(lines int) bool {
		r.unrecognized += lines
		return true
	}
	return pipeline.New(set)
}

// sessionGap is the time between two lines after which a session counts as left, as the receiver's idle_close.
const sessionGap = time.Hour

// Close closes all streams, and delivers what waited for others.
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
