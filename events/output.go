package events

import "strings"

// DisplayOutput is the text of a run: the exact concatenation of its Text events in order. Nothing is added between
// them, and no other kind has a part in it. The zero value is ready; it is a [Sink].
type DisplayOutput struct {
	b strings.Builder
}

// Emit appends the text of one event.
func (o *DisplayOutput) Emit(e *DisplayEvent) {
	if e.Kind == KindText {
		o.b.WriteString(e.Text)
	}
}

// String is all the text so far.
func (o *DisplayOutput) String() string { return o.b.String() }
