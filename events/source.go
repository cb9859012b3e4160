package events

// DisplayEventSource turns the lines of one stream into events.
//
// ParseEvents takes one line without its newline and returns the events that it tells, in source order; the slice and
// the borrowed fields in it are valid until the next call. It never panics and returns no error: a line that it can't
// read yields nothing and is counted (see [LineStatuser]). A source may keep state over the lines of its stream.
type DisplayEventSource interface {
	ParseEvents(line []byte) []DisplayEvent
}

// Flusher is implemented by sources that still owe events when their stream has ended, such as the text of pieces that
// were never completed. It is called once, after the last line.
type Flusher interface {
	Flush() []DisplayEvent
}

// OutputHead is the size of the head of a result's text that is made even where texts are dropped, in bytes.
const OutputHead = 8 << 10

// OutputDropper is implemented by sources that need not make the texts of results, for those who keep none: they are the
// bulk of a transcript, and making them can be most of the work.
type OutputDropper interface {
	// DropOutput lets [Tool.Output] be empty from now on. Where [Tool.Summary] was cut, Output holds at least the text's
	// first [OutputHead] bytes all the same, or all of it: only what follows the cut tells whether a secret was cut too.
	// All else that is told of a result stays as it is, the size too.
	DropOutput()
}

// InputDropper is implemented by sources that can save work where nobody keeps the arguments of calls: in some formats they
// are JSON in a string, which must be made to be handed on.
type InputDropper interface {
	// DropInput leaves [Tool.Input] empty from now on. All else that is told of a call stays as it is.
	DropInput()
}

// LineStatuser is implemented by sources that tell what became of the last line, for counters and for showing raw lines.
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
	// LineHeld waits for the provider to be told from the lines that follow.
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
