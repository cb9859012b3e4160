package render

import (
	"bytes"
	"fmt"

	"github.com/tailspan/tailspan/events"
)

// defaultMaxLine is the default maximum length of a line that a Writer parses, in bytes.
const defaultMaxLine = 16 << 20

// keepLine is the length above which the memory of a line is not reused for the next one, in bytes.
const keepLine = 1 << 20

// Target receives the output of a [Writer]: a [Renderer] or a [Stream].
type Target interface {
	events.Sink
	PassThrough(line []byte)
	Raw(line []byte)
	Close() error
	Err() error
}

// WriterSettings says how a Writer reads. The zero value reads lines of up to 16 MiB and reports no warnings.
type WriterSettings struct {
	// MaxLine is the maximum length of a line in bytes. A longer line is skipped. 0 means 16 MiB.
	MaxLine int
	// Warn, if not nil, is called for everything that is skipped. [Writer.Skipped] counts in any case.
	Warn func(message string)
	// Mode and Style are those of the target. In [ModeJSON] lines are written unchanged and nothing is parsed. A transcript
	// shows lines that are not JSON.
	Mode  Mode
	Style Style
}

// Writer renders the bytes that an agent program writes: it splits lines, parses them with a source and emits the
// events to a target. Without a source, lines pass unchanged, sanitised unless the target's mode is [ModeJSON].
// Close handles a last line without a newline. Use a Writer from one goroutine at a time.
type Writer struct {
	target   Target
	source   events.DisplayEventSource
	settings WriterSettings
	part     []byte // an unfinished line
	size     int    // length of that line, including skipped bytes
	skipped  int
	closed   bool
}

// NewWriter returns a Writer that parses what is written to it with source, which may be nil.
func NewWriter(t Target, source events.DisplayEventSource, s WriterSettings) *Writer {
	if s.MaxLine <= 0 {
		s.MaxLine = defaultMaxLine
	}
	return &Writer{target: t, source: source, settings: s}
}

// Write takes any piece of the stream. The error is the target's failed write; the bytes are consumed nevertheless.
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

// hold keeps a piece of a line until its newline arrives, as long as the line is not too long.
func (w *Writer) hold(piece []byte) {
	w.size += len(piece)
	if w.size <= w.settings.MaxLine {
		w.part = append(w.part, piece...)
	}
}

// endLine renders the held line, or skips it.
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
		w.target.PassThrough(line)
	default:
		evs := w.source.ParseEvents(line)
		if len(evs) == 0 && w.showsWords() {
			w.target.PassThrough(w.words(line))
		}
		w.emit(evs)
	}
}

// words returns the last line as the source shows it if that has a method Words: without secrets.
func (w *Writer) words(line []byte) []byte {
	if s, ok := w.source.(interface{ Words() []byte }); ok {
		return s.Words()
	}
	return line
}

// showsWords reports whether the last line is plain text between the JSON, which a transcript shows.
func (w *Writer) showsWords() bool {
	if w.settings.Mode != ModeVerbose || w.settings.Style != StyleTranscript {
		return false
	}
	s, ok := w.source.(events.LineStatuser)
	return ok && s.LineStatus() == events.LineMalformed
}

// emit renders events, and the lines that the source passes unchanged.
func (w *Writer) emit(evs []events.DisplayEvent) {
	for i := range evs {
		w.target.Emit(&evs[i])
	}
	if p, ok := w.source.(interface{ Raw() [][]byte }); ok {
		for _, line := range p.Raw() {
			w.target.PassThrough(line)
		}
	}
}

// Tick renders what has become due, if the source has a method Tick: a text that waits for its end (package redact has
// such a source), and lines that the source passes unchanged. A live reader calls it regularly, never during a Write.
func (w *Writer) Tick() error {
	if t, ok := w.source.(interface{ Tick() []events.DisplayEvent }); ok {
		w.emit(t.Tick())
	}
	return w.target.Err()
}

// WriteRecord renders one whole record without its newline: a line, or a document of many lines. MaxLine does not apply.
func (w *Writer) WriteRecord(record []byte) error {
	w.line(record)
	return w.target.Err()
}

// Skipped returns the number of lines that were too long.
func (w *Writer) Skipped() int { return w.skipped }

// Close renders a last line without a newline and the pending events of the source, and closes the target. Further calls
// do nothing.
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
