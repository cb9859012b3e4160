package decode

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/keys"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Decoder is the memory of the current line. A provider's parser embeds it.
type Decoder struct {
	Scanner scan.Scanner // over the line
	Inner   scan.Scanner // over values of the line that were kept whole
	Nested  scan.Members // members of a nested object
	Strings scan.Strings
	Keys    keys.Keys

	Out     []events.DisplayEvent // the events of the line
	Output  lines.Output          // backs Tool.Output
	Scratch []byte                // for temporary texts
	Verdict lines.Verdict

	// Head holds the identity fields that the events of an object share.
	Head lines.Head
	// Identify, if set, fills Head before the first event of an object; see [Decoder.NextObject].
	Identify   func()
	identified bool

	// DropInput is true if the arguments of calls are not needed.
	DropInput bool
}

// New returns the memory of one stream.
func New() Decoder { return Decoder{Keys: keys.New()} }

// Begin prepares for the events of a line.
func (d *Decoder) Begin() {
	d.Output.Reset()
	d.Scratch = lines.Buffer(d.Scratch)
	d.Out, d.Verdict = lines.Events(d.Out), lines.Verdict{Status: events.LineIgnored}
}

// Objects calls read for each object of a line: one object, several in sequence, or an array of them.
func (d *Decoder) Objects(line []byte, read func()) {
	lines.Objects(&d.Scanner, &d.Verdict, line, lines.Trim, read)
}

// NextObject clears the identity of the previous object.
func (d *Decoder) NextObject() { d.identified = false }

// Identified fills Head unless that has been done for this object.
func (d *Decoder) Identified() {
	if !d.identified && d.Identify != nil {
		d.identified = true
		d.Identify()
	}
}

// Emit adds an event with the identity of the current object. The pointer is valid until the next event is added.
func (d *Decoder) Emit(kind events.Kind) *events.DisplayEvent {
	d.Identified()
	return lines.Emit(&d.Out, &d.Head, kind)
}

// Notice adds a notice from the agent program.
func (d *Decoder) Notice(level events.Level, code, text string) *events.DisplayEvent {
	e := d.Emit(events.KindNotice)
	e.Notice, e.Text = events.Notice{Level: level, Code: code}, text
	return e
}

// Unknown records an object of a type that the parser does not know. A line keeps the first name.
func (d *Decoder) Unknown(prefix string, kind []byte) events.LineStatus {
	if d.Verdict.Unknown == "" {
		d.Verdict.Unknown = lines.TypeName(prefix, kind)
	}
	return events.LineUnknownType
}

// Members returns the members of an object that was kept whole. They are valid until the next call.
func (d *Decoder) Members(object scan.Value) scan.Members {
	d.Nested = d.Inner.MembersOf(object, d.Nested[:0])
	return d.Nested
}

// Key returns the key of an ID. Differently escaped forms of an ID have the same key.
func (d *Decoder) Key(domain byte, id scan.Value) uint64 { return d.Keys.ID(domain, id.Body()) }

// Result returns the result of the line.
func (d *Decoder) Result() Result {
	return Result{Events: d.Out, Status: d.Verdict.Status, UnknownType: d.Verdict.Unknown}
}

// Quiet returns nothing: in most formats nothing is pending that depends on whether the agent continues.
func (d *Decoder) Quiet() []events.DisplayEvent { return nil }

// Flush returns nothing: most formats have nothing pending.
func (d *Decoder) Flush() Result { return Result{} }

// Drop omits the arguments of calls, or the texts of results, from now on.
func (d *Decoder) Drop(inputs, outputs bool) {
	d.DropInput = d.DropInput || inputs
	if outputs {
		d.Output.Drop()
	}
}
