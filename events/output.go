package events

import "strings"

// DisplayOutput is the text of a run: the exact concatenation of its Text events in order, with nothing between
// them. Events of other kinds do not contribute. The zero value is ready to use. It implements [Sink].
type DisplayOutput struct {
	b strings.Builder
}

// Emit appends the text of e.
func (o *DisplayOutput) Emit(e *DisplayEvent) {
	if e.Kind == KindText {
		o.b.WriteString(e.Text)
	}
}

// String returns all the text so far.
func (o *DisplayOutput) String() string { return o.b.String() }
