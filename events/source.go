package events

// DisplayEventSource turns the lines of one stream into events.
//
// ParseEvents parses one line without its newline and returns its events in source order. The slice and the borrowed
// fields in it are valid until the next call. ParseEvents never panics and returns no error: an unreadable line
// yields no events and is counted (see [LineStatuser]). A source may keep state across the lines of its stream.
type DisplayEventSource interface {
	ParseEvents(line []byte) []DisplayEvent
}

// Flusher is implemented by sources that can have pending events when their stream ends, such as a text whose deltas
// were never completed. Call Flush once, after the last line.
type Flusher interface {
	Flush() []DisplayEvent
}

// OutputHead is the number of bytes of a result's text that a source keeps even if texts are dropped. Where [Tool.Summary]
// was cut, only the text after the cut shows whether a secret was cut too.
const OutputHead = 1 << 10

// LineStatuser is implemented by sources that report the status of the last line, for counters and raw lines.
type LineStatuser interface {
	LineStatus() LineStatus
}

// LineStatus is the result of parsing a line.
type LineStatus uint8

const (
	// LineOK is a line that was understood, whether or not it yielded events.
	LineOK LineStatus = iota
	// LineIgnored is a line that was understood but holds nothing of interest, or is blank.
	LineIgnored
	// LineUnknownType is a well-formed object of a type that the parser does not know.
	LineUnknownType
	// LineMalformed is not a JSON object: torn, garbled or plain text.
	LineMalformed
	// LinePassed is a line of no known provider, which is exported unchanged.
	LinePassed
	// LineHeld is pending until later lines identify the provider.
	LineHeld

	lineStatusEnd
)

var lineStatusNames = [lineStatusEnd]string{"ok", "ignored", "unknown_type", "malformed", "passed", "held"}

// String returns the wire spelling.
func (s LineStatus) String() string {
	if s < lineStatusEnd {
		return lineStatusNames[s]
	}
	return "unknown"
}
