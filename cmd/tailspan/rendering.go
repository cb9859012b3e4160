package main

import (
	"io"
	"sync"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pipeline"
)

// rendering is one input on its way to a log.
type rendering struct {
	lines    *lineReader
	in       io.Reader
	events   *pipeline.Events
	settings render.LogSettings
	origin   render.Origin
	redactor *redact.Redactor
	live     bool                 // the input may be written while it is read
	exit     func() *outcome.Exit // how the program ended that wrote it; nil: unknown

	mu     sync.Mutex // of what follows
	writer *render.Writer
}

// to renders the input to its end.
func (r *rendering) to(out io.Writer) error {
	stream := render.NewLog(out, r.settings).Open(r.origin)
	ws := render.WriterSettings{Mode: r.settings.Mode, Style: r.settings.Style}
	if r.redactor != nil {
		ws.Clean = r.redactor.Bytes
	}
	r.writer = render.NewWriter(stream, &namingSource{Events: r.events, stream: stream, exit: r.exit}, ws)
	stop := func() {}
	if r.live {
		r.events.Live()
		stop = ticking(&r.mu, func() { _ = r.writer.Tick() }) // the next write returns its error
	}
	err := r.lines.records(r.in, func(record []byte) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.writer.WriteRecord(record)
	})
	stop()
	if closed := r.writer.Close(); err == nil {
		err = closed
	}
	return err
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
