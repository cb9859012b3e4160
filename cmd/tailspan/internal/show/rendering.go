package show

import (
	"github.com/tailspan/tailspan/cmd/tailspan/internal/names"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pipeline"
)

// Rendering configures how one input is shown in a log.
type Rendering struct {
	Events   *pipeline.Events
	Settings render.LogSettings
	Origin   render.Origin
	// Live reports whether the input may be written while it is read.
	Live bool
	// NamesOnly hides texts, arguments, outputs and paths.
	NamesOnly bool
	// Plain, if set, is called with each line of plain text between the records; the log does not show it then.
	Plain func(line []byte)
	// Exit, if set, returns how the program that wrote the input ended.
	Exit func() *outcome.Exit
}

// Open begins the input in a log, which others may share.
func (r *Rendering) Open(log *render.Log) *Shown {
	stream := log.Open(r.Origin)
	ws := render.WriterSettings{Mode: r.Settings.Mode, Style: r.Settings.Style}
	if r.Plain != nil {
		ws.Style = render.StyleMarker // only a transcript shows these lines
	}
	if r.Live {
		r.Events.Live()
	}
	target := render.Target(stream)
	if r.NamesOnly {
		target = names.Wrap(stream)
	}
	source := &namingSource{Events: r.Events, stream: stream, exit: r.Exit, plain: r.plain, named: r.Origin.Agent != ""}
	return &Shown{r.Events, render.NewWriter(target, source, ws)}
}

// Shown passes one input to a log, record by record.
type Shown struct {
	events *pipeline.Events
	writer *render.Writer
}

// plain shows plain text between the records.
func (r *Rendering) plain(lines [][]byte) {
	if r.Plain == nil || r.NamesOnly {
		return
	}
	for _, line := range lines {
		r.Plain(line)
	}
}

// Note passes metadata of the next record.
func (s *Shown) Note(n parser.Noted) { s.events.Note(n) }

// Record shows a line or a document.
func (s *Shown) Record(record []byte) error { return s.writer.WriteRecord(record) }

// Replay restores what an earlier stream of the input knew after a record, and shows nothing.
func (s *Shown) Replay(record []byte) { s.events.Reparse(record) }

// Tick shows what is due while no record arrives.
func (s *Shown) Tick() error { return s.writer.Tick() }

// Close shows pending events at the end.
func (s *Shown) Close(int) error { return s.writer.Close() }

// namingSource names the agent of a log's stream after its parser has detected it, unless it has a name.
type namingSource struct {
	*pipeline.Events
	named  bool
	stream *render.Stream
	exit   func() *outcome.Exit
	plain  func(lines [][]byte)
}

// ParseEvents parses the next line.
func (n *namingSource) ParseEvents(line []byte) []events.DisplayEvent {
	before := n.Provider()
	evs := n.Events.ParseEvents(line)
	n.plain(n.Plain())
	if now := n.Provider(); now != before && !n.named {
		n.stream.SetAgent(parser.InfoOf(now).ServiceName)
	}
	return evs
}

// Flush returns pending events, and the end that a killed program did not write.
func (n *namingSource) Flush() []events.DisplayEvent {
	evs := n.Events.Flush()
	if n.exit == nil || !n.Incomplete() {
		return evs
	}
	return append(evs, *n.exit().IncompleteEnd())
}
