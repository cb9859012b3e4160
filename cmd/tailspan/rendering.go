package main

import (
	"io"
	"sync"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/telemetry"
)

// rendering is one input on its way to a log.
type rendering struct {
	lines    *lineReader
	in       io.Reader
	parser   *parser.Source
	settings render.LogSettings
	origin   render.Origin
	redact   bool
	live     bool                   // what is read may be being written just now
	exit     func() *telemetry.Exit // how the program ended that wrote it; nil: that is not known

	mu     sync.Mutex // of what follows
	writer *render.Writer
}

// to renders the input to its end.
func (r *rendering) to(out io.Writer) error {
	stream := render.NewLog(out, r.settings).Open(r.origin)
	source := &namingSource{Source: r.parser, stream: stream, exit: r.exit}
	ws := render.WriterSettings{Mode: r.settings.Mode, Style: r.settings.Style}
	r.writer = render.NewWriter(stream, source, ws)
	if r.redact {
		redactor, err := redact.NewRedactor(redact.Settings{DropInput: true, DropOutput: true})
		if err != nil {
			return err
		}
		ws.Clean = redactor.Bytes
		r.writer = render.NewWriter(stream, newClean(source, redactor), ws)
	}
	stop := r.tick()
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

// tick has a text that is quiet for long enough leave, where the input is live.
func (r *rendering) tick() (stop func()) {
	if !r.live {
		return func() {}
	}
	return ticking(&r.mu, func() { _ = r.writer.Tick() }) // the next write returns its error
}

// quietAfter is the time without a line after which a parser releases what is pending only because the agent may continue.
const quietAfter = 2 * time.Second

// namingSource names the agent of a log's stream, once its parser has detected it.
type namingSource struct {
	*parser.Source
	stream *render.Stream
	last   time.Time // of the last line; zero if the parser was asked since
	passes bool      // the last call may have let lines pass
	exit   func() *telemetry.Exit
}

// Flush returns what is pending in the parser, and the end that a killed program did not write.
func (a *namingSource) Flush() []events.DisplayEvent {
	a.passes = true
	evs := a.Source.Flush()
	if a.exit == nil || !a.Incomplete() {
		return evs
	}
	return append(evs, *a.exit().IncompleteEnd())
}

// Tick returns what is pending in the parser after a quiet time.
func (a *namingSource) Tick() []events.DisplayEvent {
	if a.passes = false; a.last.IsZero() || time.Since(a.last) < quietAfter {
		return nil
	}
	a.last, a.passes = time.Time{}, true
	return a.Quiet()
}

// Raw gives the lines that the last call let pass.
func (a *namingSource) Raw() [][]byte {
	if !a.passes {
		return nil
	}
	return a.Source.Raw()
}

// ParseEvents takes the next line.
func (a *namingSource) ParseEvents(line []byte) []events.DisplayEvent {
	a.last, a.passes = time.Now(), true
	before := a.Provider()
	evs := a.Source.ParseEvents(line)
	if now := a.Provider(); now != before {
		a.stream.SetAgent(parser.InfoOf(now).ServiceName)
	}
	return evs
}

// clean is a source without secrets that knows its lines which pass as they are.
type clean struct {
	*redact.Source
	inner    *namingSource
	redactor *redact.Redactor
}

// newClean joins the pieces of texts, since a secret can lie across two of them, and takes the secrets out.
func newClean(inner *namingSource, r *redact.Redactor) clean {
	return clean{Source: redact.New(redact.NewJoiner(inner, redact.JoinSettings{}), r), inner: inner, redactor: r}
}

// Tick gives texts that are quiet, then what the parser held back.
func (c clean) Tick() []events.DisplayEvent {
	c.inner.passes = false
	if evs := c.Source.Tick(); len(evs) > 0 {
		return evs
	}
	evs := c.inner.Tick()
	for i := range evs {
		c.redactor.Event(&evs[i])
	}
	return evs
}

// Raw gives the lines that the last call lets pass.
func (c clean) Raw() [][]byte { return c.inner.Raw() }
