package show

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/names"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/ticker"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pipeline"
)

// Rendering is one input on its way to a log.
type Rendering struct {
	Lines    *input.Lines
	In       io.Reader
	Events   *pipeline.Events
	Settings render.LogSettings
	Origin   render.Origin
	Redactor *redact.Redactor
	// Live is true if the input may be written while it is read.
	Live bool
	// NamesOnly shows no text, argument, output or path.
	NamesOnly bool
	// Exit, if set, is how the program ended that wrote the input.
	Exit func() *outcome.Exit
}

// To renders the input to its end.
func (r *Rendering) To(out io.Writer) error {
	stream := render.NewLog(out, r.Settings).Open(r.Origin)
	ws := render.WriterSettings{Mode: r.Settings.Mode, Style: r.Settings.Style}
	if r.Redactor != nil {
		ws.Clean = r.Redactor.Bytes
	}
	target := render.Target(stream)
	if r.NamesOnly {
		target = names.Wrap(stream)
	}
	writer := render.NewWriter(target, &namingSource{Events: r.Events, stream: stream, exit: r.Exit}, ws)
	var mu sync.Mutex // of the writer
	stop := func() {}
	if r.Live {
		r.Events.Live()
		stop = Ticking(&mu, func() { _ = writer.Tick() }) // the next write returns its error
	}
	err := r.Lines.Records(r.In, func(record []byte) error {
		mu.Lock()
		defer mu.Unlock()
		return writer.WriteRecord(record)
	})
	stop()
	if closed := writer.Close(); err == nil {
		err = closed
	}
	return err
}

// Ticking calls f twice per quiet time, with mu held, until stop is called.
func Ticking(mu *sync.Mutex, f func()) (stop func()) {
	return ticker.Start(context.Background(), redact.DefaultQuiet/2, func(context.Context, time.Time) error {
		mu.Lock()
		defer mu.Unlock()
		f()
		return nil
	})
}

// namingSource names the agent of a log's stream, once its parser has detected it.
type namingSource struct {
	*pipeline.Events
	stream *render.Stream
	exit   func() *outcome.Exit
}

// ParseEvents parses the next line.
func (n *namingSource) ParseEvents(line []byte) []events.DisplayEvent {
	before := n.Provider()
	evs := n.Events.ParseEvents(line)
	if now := n.Provider(); now != before {
		n.stream.SetAgent(parser.InfoOf(now).ServiceName)
	}
	return evs
}

// Flush returns what is pending, and the end that a killed program did not write.
func (n *namingSource) Flush() []events.DisplayEvent {
	evs := n.Events.Flush()
	if n.exit == nil || !n.Incomplete() {
		return evs
	}
	return append(evs, *n.exit().IncompleteEnd())
}

// Raw returns the lines that pass. The writer redacts them.
func (n *namingSource) Raw() [][]byte { return n.Passed() }
