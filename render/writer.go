package render

import (
	"bytes"
	"fmt"

	"github.com/tailspan/tailspan/events"
)

// defaultMaxLine is the longest line that a Writer parses by default, in bytes.
const defaultMaxLine = 16 << 20

// keepLine is the size from which the memory of a long line is not kept for the next one, in bytes.
const keepLine = 1 << 20

// Target is where a [Writer] renders to: a [Renderer] or a [Stream].
type Target interface {
	events.Sink
	PassThrough(line []byte)
	Raw(line []byte)
	Close() error
	Err() error
}

// WriterSettings says how a Writer reads. The zero value takes lines of up to 16 MiB and gives no warnings.
type WriterSettings struct {
	// MaxLine is the longest line in bytes; a longer one is skipped, and reading continues behind it. 0 means 16 MiB.
	MaxLine int
	// Warn, if not nil, is called with what was skipped. [Writer.Skipped] counts in any case.
	Warn func(message string)
	// Clean, if not nil, redacts every line that is shown as it is, such as plain text between the JSON. It does not
	// concern [ModeJSON].
	Clean func(line []byte) []byte
	// Mode and Style are those of the target. In [ModeJSON] lines are written unchanged and nothing is parsed; a transcript
	// shows lines that are no JSON.
	Mode  Mode
	Style Style
}

// Writer takes the bytes that an agent program writes and renders them: it splits lines, has a source parse them and
// emits the events to a target. Without a source, lines pass unchanged, made safe unless the target's mode is
// [ModeJSON]. Close reads a last line without a newline. A Writer is used by one goroutine at a time.
type Writer struct {
	target   Target
	source   events.DisplayEventSource
	settings WriterSettings
	part     []byte // a line that has not ended
	size     int    // of that line, skipped bytes included
	skipped  int
	closed   bool
}

// NewWriter makes a Writer that has source parse what is written to it. source may be nil.
func NewWriter(t Target, source events.DisplayEventSource, s WriterSettings) *Writer {
	if s.MaxLine <= 0 {
		s.MaxLine = defaultMaxLine
	}
	return &Writer{target: t, source: source, settings: s}
}

// Write takes any piece of the stream. The error is the target's failed write; the bytes are taken all the same.
func (w *Writer) Write(p []byte) (int, error) {
	if w.closed {
		return 0, fmt.Errorf("write stream: writer is closed")
	}
	n := len(p)
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			w.hold(p)
			break
		}
		if len(w.part) == 0 && w.size == 0 && i <= w.settings.MaxLine {
			w.line(p[:i])
		} else {
			w.hold(p[:i])
			w.endLine()
		}
		p = p[i+1:]
	}
	return n, w.target.Err()
}

// hold keeps a piece of a line until its newline comes, as long as the line may still be taken.
func (w *Writer) hold(piece []byte) {
	w.size += len(piece)
	if w.size <= w.settings.MaxLine {
		w.part = append(w.part, piece...)
	}
}

// endLine renders the line that was held, or skips it.
func (w *Writer) endLine() {
	if w.size > w.settings.MaxLine {
		w.skipped++
		if w.settings.Warn != nil {
			w.settings.Warn(fmt.Sprintf("skipped a line of %d bytes, longer than %d", w.size, w.settings.MaxLine))
		}
	} else {
		w.line(w.part)
	}
	w.size = 0
	if w.part = w.part[:0]; cap(w.part) > keepLine {
		w.part = nil
	}
}

// line renders one line without its newline.
func (w *Writer) line(line []byte) {
	switch {
	case w.settings.Mode == ModeJSON:
		w.target.Raw(line)
	case w.source == nil:
		w.pass(line)
	default:
		evs := w.source.ParseEvents(line)
		if len(evs) == 0 && w.showsWords() {
			w.pass(line)
		}
		w.emit(evs)
	}
}

// pass shows a line as it is.
func (w *Writer) pass(line []byte) {
	if w.settings.Clean != nil {
		line = w.settings.Clean(line)
	}
	w.target.PassThrough(line)
}

// showsWords reports whether the last line is words between the JSON, which a transcript shows.
func (w *Writer) showsWords() bool {
	if w.settings.Mode != ModeVerbose || w.settings.Style != StyleTranscript {
		return false
	}
	s, ok := w.source.(events.LineStatuser)
	return ok && s.LineStatus() == events.LineMalformed
}

// emit renders events, and the lines that the source passes through.
func (w *Writer) emit(evs []events.DisplayEvent) {
	for i := range evs {
		w.target.Emit(&evs[i])
	}
	if p, ok := w.source.(interface{ Raw() [][]byte }); ok {
		for _, line := range p.Raw() {
			w.pass(line)
		}
	}
}

// Tick renders what became due by time, if the source has a method Tick: a text that waits for its end (package redact has
// such a source), and lines that the source passes through. A live reader calls it regularly, never during a Write.
func (w *Writer) Tick() error {
	if t, ok := w.source.(interface{ Tick() []events.DisplayEvent }); ok {
		w.emit(t.Tick())
	}
	return w.target.Err()
}

// WriteRecord renders one whole record without its newline: a line, or a document of many. It is not held to MaxLine.
func (w *Writer) WriteRecord(record []byte) error {
	w.line(record)
	return w.target.Err()
}

// Skipped is how many lines were too long.
func (w *Writer) Skipped() int { return w.skipped }

// Close renders a last line without a newline and the pending events of the source, and closes the target. A second call
// does nothing more.
func (w *Writer) Close() error {
	if w.closed {
		return w.target.Err()
	}
	w.closed = true
	if w.size > 0 {
		w.endLine()
	}
	if f, ok := w.source.(events.Flusher); ok && w.settings.Mode != ModeJSON {
		w.emit(f.Flush())
	}
	return w.target.Close()
}
