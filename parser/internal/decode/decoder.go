package decode

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/keys"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Decoder is the memory of the line at work. It is part of a provider's parser.
type Decoder struct {
	Scanner scan.Scanner // over the line
	Inner   scan.Scanner // over values in it that were kept whole
	Nested  scan.Members // members of a nested object
	Strings scan.Strings
	Keys    keys.Keys

	Out     []events.DisplayEvent // of the line
	Output  lines.Output          // backs Tool.Output
	Scratch []byte                // texts that nobody keeps
	Verdict lines.Verdict

	// Head is the identity that the events of an object share.
	Head lines.Head
	// Identify, if set, fills in Head for the first event of an object; see [Decoder.NextObject].
	Identify   func()
	identified bool

	// DropInput is true if nobody keeps the arguments of calls.
	DropInput bool
}

// New returns the memory of a stream.
func New() Decoder { return Decoder{Keys: keys.New()} }

// Begin makes room for the events of a line.
func (d *Decoder) Begin() {
	d.Output.Reset()
	d.Scratch = lines.Buffer(d.Scratch)
	d.Out, d.Verdict = lines.Events(d.Out), lines.Verdict{Status: events.LineIgnored}
}

// Objects reads the objects of a line: one, several that follow each other, or an array of them.
func (d *Decoder) Objects(line []byte, read func()) {
	lines.Objects(&d.Scanner, &d.Verdict, line, lines.Trim, read)
}

// NextObject forgets the identity of the object before.
func (d *Decoder) NextObject() { d.identified = false }

// Identified fills in Head unless that has been done for this object.
func (d *Decoder) Identified() {
	if !d.identified && d.Identify != nil {
		d.identified = true
		d.Identify()
	}
}

// Emit adds an event with the identity of the object at work. The pointer is good until the next one is added.
func (d *Decoder) Emit(kind events.Kind) *events.DisplayEvent {
	d.Identified()
	return lines.Emit(&d.Out, &d.Head, kind)
}

// Notice adds a notice of the agent program.
func (d *Decoder) Notice(level events.Level, code, text string) *events.DisplayEvent {
	e := d.Emit(events.KindNotice)
	e.Notice, e.Text = events.Notice{Level: level, Code: code}, text
	return e
}

// Unknown notes an object of a type that the parser does not know. The first name of a line stays.
func (d *Decoder) Unknown(prefix string, kind []byte) events.LineStatus {
	if d.Verdict.Unknown == "" {
		d.Verdict.Unknown = lines.TypeName(prefix, kind)
	}
	return events.LineUnknownType
}

// Members reads the members of an object that was kept whole; they are valid until the next call.
func (d *Decoder) Members(object scan.Value) scan.Members {
	d.Nested = d.Inner.MembersOf(object, d.Nested[:0])
	return d.Nested
}

// Key makes a key of an id, however it is escaped.
func (d *Decoder) Key(domain byte, id scan.Value) uint64 { return d.Keys.ID(domain, id.Body()) }

// Result returns what the line gave.
func (d *Decoder) Result() Result {
	return Result{Events: d.Out, Status: d.Verdict.Status, UnknownType: d.Verdict.Unknown}
}

// Quiet returns nothing: most formats have nothing pending that the agent's going on could change.
func (d *Decoder) Quiet() []events.DisplayEvent { return nil }

// Flush returns nothing: most formats have nothing pending.
func (d *Decoder) Flush() Result { return Result{} }

// Drop leaves the arguments of calls, and the texts of results, out from now on.
func (d *Decoder) Drop(inputs, outputs bool) {
	d.DropInput = d.DropInput || inputs
	if outputs {
		d.Output.Drop()
	}
}
