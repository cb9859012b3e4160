package pipeline

import (
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
)

// QuietAfter is the time without a line after which [Events.Tick] releases what is pending only because more lines may
// follow.
const QuietAfter = 2 * time.Second

// EventSettings configure the parsing of lines into events.
type EventSettings struct {
	// Provider is the name of a parser, "auto" or "none".
	Provider string
	// Redactor removes secrets; nil keeps them.
	Redactor *redact.Redactor
	// Join makes whole texts of deltas. A Redactor implies it, because a secret can span two deltas.
	Join bool
	// Inputs requests the arguments of tools.
	Inputs bool
	// Outputs requests the whole outputs of tools. Otherwise only the part that their summaries need is read.
	Outputs bool
	// Plain requests a quote of the plain text around and between the records, for PlainText.
	Plain bool
}

// Events parses the lines of one stream into events. It implements [events.DisplayEventSource], [events.LineStatuser]
// and [events.Flusher]. Results are valid until the next call.
type Events struct {
	*parser.Source
	redactor *redact.Redactor
	joiner   *redact.Joiner            // nil if deltas are kept
	source   events.DisplayEventSource // the last of parser, joiner and redaction
	text     text
	quoted   *PlainText // nil unless requested
	last     time.Time  // time of the last line; zero after its quiet time was handled, or without Live
	now      func() time.Time
}

// NewEvents returns the Events of a stream, with its parser, joiner and redaction.
func NewEvents(s EventSettings) (*Events, error) {
	p, err := parser.New(s.Provider)
	if err != nil {
		return nil, err
	}
	if !s.Inputs {
		p.DropInput()
	}
	if !s.Outputs {
		p.DropOutput()
	}
	e := &Events{Source: p, redactor: s.Redactor, source: p}
	if s.Plain {
		e.quoted = new(PlainText)
	}
	if s.Join || s.Redactor != nil {
		e.joiner = redact.NewJoiner(p, redact.JoinSettings{})
		e.source = e.joiner
	}
	if s.Redactor != nil {
		e.source = redact.New(e.joiner, s.Redactor)
		e.text.lines = redact.NewLines(s.Redactor)
	}
	return e, nil
}

// Live makes [Events.Tick] measure quiet times, for lines that are parsed as they are written.
func (e *Events) Live() { e.now = time.Now }

// ParseEvents parses the next line.
func (e *Events) ParseEvents(line []byte) []events.DisplayEvent {
	if e.now != nil {
		e.last = e.now()
	}
	evs := e.source.ParseEvents(line)
	e.text.take(e.Source)
	e.quote()
	return evs
}

// Reparse parses a replayed line only to restore the state of the parser and of the redaction of lines.
func (e *Events) Reparse(line []byte) {
	if e.joiner != nil {
		e.joiner.ParseEvents(line)
	} else {
		e.Source.ParseEvents(line)
	}
	e.text.take(e.Source)
	e.text.clear()
}

// Flush returns what is pending at the end of the stream.
func (e *Events) Flush() []events.DisplayEvent {
	f, ok := e.source.(events.Flusher)
	if !ok {
		return nil
	}
	evs := f.Flush()
	e.text.take(e.Source)
	return evs
}

// Tick returns what is due because no line arrives: the whole lines of quiet texts and, after QuietAfter, the result of
// [Events.Quiet]. It requires [Events.Live].
func (e *Events) Tick() []events.DisplayEvent {
	if evs := e.Texts(); len(evs) > 0 {
		return evs
	}
	if e.last.IsZero() || e.now().Sub(e.last) < QuietAfter {
		return nil
	}
	e.last = time.Time{}
	return e.Quiet()
}

// Texts returns the whole lines of texts that were quiet for long enough.
func (e *Events) Texts() []events.DisplayEvent {
	e.text.clear()
	if t, ok := e.source.(interface{ Tick() []events.DisplayEvent }); ok {
		return t.Tick()
	}
	return nil
}

// Quiet returns what is pending only because more lines may arrive: an end that may yet be revoked. Lines of no
// detected provider pass unchanged; see Raw.
func (e *Events) Quiet() []events.DisplayEvent {
	evs := e.Source.Quiet()
	e.text.take(e.Source)
	return e.clean(evs)
}

// Part returns the whole lines of all unfinished texts at once, as Texts did before a restart.
func (e *Events) Part() []events.DisplayEvent {
	e.text.clear()
	if e.joiner == nil {
		return nil
	}
	return e.clean(e.joiner.Part())
}

// EndTexts returns all unfinished texts.
func (e *Events) EndTexts() []events.DisplayEvent {
	evs := e.flushTexts()
	e.text.clear()
	return e.clean(evs)
}

func (e *Events) flushTexts() []events.DisplayEvent {
	if e.joiner == nil {
		return nil
	}
	return e.joiner.Flush()
}

func (e *Events) clean(evs []events.DisplayEvent) []events.DisplayEvent {
	if e.redactor != nil {
		for i := range evs {
			e.redactor.Event(&evs[i])
		}
	}
	return evs
}

// Raw returns the lines of no known provider that the last call passed, without secrets.
func (e *Events) Raw() [][]byte { return e.text.raw }

// Plain returns the lines of plain text around and between the records of the last call, without secrets.
func (e *Events) Plain() [][]byte { return e.text.plain }

// Words returns the last line of the last call that is no record, without secrets, or nil.
func (e *Events) Words() []byte { return e.text.last }

// Stats returns the parser's counts.
func (e *Events) Stats() parser.Stats {
	stats := e.Source.Stats()
	if e.redactor != nil {
		stats.UnknownTypes = e.redactor.Keys(stats.UnknownTypes)
	}
	return stats
}

// Holding reports whether a text of deltas has not ended.
func (e *Events) Holding() bool { return e.joiner != nil && e.joiner.Holding() }

// Pending reports whether Flush would return something.
func (e *Events) Pending() bool { return e.Holding() || e.Source.Pending() }
