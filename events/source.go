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

// OutputHead is the size of the head of a result's text that a source makes even where nobody keeps texts, in bytes: where
// [Tool.Summary] was cut, only what follows the cut shows whether a secret was cut too.
const OutputHead = 1 << 10

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
