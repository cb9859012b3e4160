package events

// DisplayEventSource turns the lines of one stream into events.
//
// ParseEvents parses one line without its newline and returns its events, in source order; the slice and
// the borrowed fields in it are valid until the next call. It never panics and returns no error: a line that it can't
// read yields nothing and is counted (see [LineStatuser]). A source may keep state over the lines of its stream.
type DisplayEventSource interface {
	ParseEvents(line []byte) []DisplayEvent
}

// Flusher is implemented by sources that can have pending events when their stream ends, such as a text whose deltas
// were never completed. It is called once, after the last line.
type Flusher interface {
	Flush() []DisplayEvent
}

// OutputHead is the size of the head of a result's text that is made even where texts are dropped, in bytes.
const OutputHead = 8 << 10

// OutputDropper is implemented by sources that need not make the texts of results, for those who keep none: they are the
// bulk of a transcript, and making them can be most of the work.
type OutputDropper interface {
	// DropOutput leaves [Tool.Output] empty from now on. Where [Tool.Summary] was cut, Output holds at least the text's
	// first [OutputHead] bytes all the same, or all of it: only what follows the cut shows whether a secret was cut too.
	// All other fields of the result stay as they are, the size too.
	DropOutput()
}

// InputDropper is implemented by sources that can save work where nobody keeps the arguments of calls: in some formats they
// are JSON in a string, which must be made to be handed on.
type InputDropper interface {
	// DropInput leaves [Tool.Input] empty from now on. All other fields of the call stay as they are.
	DropInput()
}

// LineStatuser is implemented by sources that report the status of the last line, for counters and for raw lines.
type LineStatuser interface {
	LineStatus() LineStatus
}

// LineStatus is what became of a line.
type LineStatus uint8

const (
	// LineOK was understood, whether or not it gave events.
	LineOK LineStatus = iota
	// LineIgnored was understood and holds nothing for us, or is blank.
	LineIgnored
	// LineUnknownType is a well-formed object of a type that the parser does not know.
	LineUnknownType
	// LineMalformed is no JSON object: torn, garbled, or plain words.
	LineMalformed
	// LinePassed belongs to no known provider and goes out as it is.
	LinePassed
	// LineHeld is pending until later lines show the provider.
	LineHeld

	lineStatusEnd
)

var lineStatusNames = [lineStatusEnd]string{"ok", "ignored", "unknown_type", "malformed", "passed", "held"}

// String gives the wire spelling.
func (s LineStatus) String() string {
	if s < lineStatusEnd {
		return lineStatusNames[s]
	}
	return "unknown"
}
