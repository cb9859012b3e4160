package render

import (
	"fmt"
	"io"

	"github.com/tailspan/tailspan/events"
)

// defaultCalls is how many open tool calls a Renderer remembers unless told otherwise.
const defaultCalls = 1024

// Settings says how a Renderer renders. The zero value is default mode.
type Settings struct {
	// Mode tells how much is shown.
	Mode Mode
	// Style is what verbose mode looks like.
	Style Style
	// EscapeCommands breaks what a CI system would take for a command to it in the log: see the package's Safety section.
	EscapeCommands bool
	// Calls is how many open tool calls are remembered, so that a result that tells only an id can be named; the oldest
	// is forgotten. 0 means 1024.
	Calls int
}

// Renderer writes events for people. It is an [events.Sink]; each Emit is at most one write to the underlying writer,
// and nothing complete stays back. It must be closed to end an unfinished text.
type Renderer struct {
	w     io.Writer
	mode  Mode
	style Style
	page  page
	text  text
	calls callMemory
	err   error
}

// New makes a Renderer that writes to w. It does not close w.
func New(w io.Writer, s Settings) *Renderer {
	if s.Calls <= 0 {
		s.Calls = defaultCalls
	}
	if s.Style >= styleEnd {
		s.Style = StyleMarker
	}
	return &Renderer{w: w, mode: s.Mode, style: s.Style, page: page{escape: s.EscapeCommands}, calls: callMemory{limit: s.Calls}}
}

// Emit renders one event. A failed write is kept for [Renderer.Err]; after it nothing more is written.
func (r *Renderer) Emit(e *events.DisplayEvent) {
	if r.err != nil || r.mode == ModeJSON {
		return
	}
	if e.Kind == events.KindText {
		if r.mode != ModeQuiet {
			r.addText(e)
		}
	} else {
		row := looks[e.Kind]
		if row.ends == endsAll || row.ends == endsThread && e.ParentID == r.text.key.parent {
			r.endText()
		}
		switch {
		case r.mode == ModeQuiet && row.quiet != nil:
			row.quiet(r, e)
		case r.mode == ModeVerbose && row.verbose[r.style] != nil:
			row.verbose[r.style](r, e)
		}
	}
	r.flush()
}

// PassThrough writes a line of a stream that no parser knows, sanitised and closed by a newline, in every mode; in JSON
// mode it is [Renderer.Raw].
func (r *Renderer) PassThrough(line []byte) {
	if r.mode == ModeJSON {
		r.Raw(line)
		return
	}
	if r.err != nil {
		return
	}
	r.page.endLine()
	r.page.write([]byte(Sanitize(string(line))))
	r.page.endLine()
	r.flush()
}

// Raw writes an input line as it is, without any cleaning, and a newline unless it ends in one.
func (r *Renderer) Raw(line []byte) {
	if r.err != nil {
		return
	}
	r.page.endLine()
	r.page.buf = append(r.page.buf, line...)
	if len(line) == 0 || line[len(line)-1] != '\n' {
		r.page.buf = append(r.page.buf, '\n')
	}
	r.flush()
}

// Break ends the line that is being written, so that others may write lines to the same writer. An unfinished text goes
// on in the next line.
func (r *Renderer) Break() {
	if r.err != nil {
		return
	}
	r.page.endLine()
	r.flush()
}

// Close ends an unfinished text and returns [Renderer.Err]. It does not close the writer.
func (r *Renderer) Close() error {
	if r.err == nil {
		r.endText()
		r.flush()
	}
	return r.err
}

// Err is the first failed write, nil if there was none.
func (r *Renderer) Err() error { return r.err }

// line writes one line, sanitised and without blanks at its end, after the line of an unfinished text.
func (r *Renderer) line(parts ...string) {
	r.page.line(joinLine(parts))
}

// block writes safe text of several lines and ends its last line.
func (r *Renderer) block(safe string) {
	r.page.endLine()
	r.page.write([]byte(safe))
	r.page.endLine()
}

// flush hands what was rendered to the writer.
func (r *Renderer) flush() {
	if len(r.page.buf) == 0 {
		return
	}
	n, err := r.w.Write(r.page.buf)
	if err == nil && n < len(r.page.buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		r.err = fmt.Errorf("write output: %w", err)
	}
	r.page.buf = keepSmall(r.page.buf)
}

// keepSmall empties a buffer for its next use; one that a huge text blew up is let go.
func keepSmall(buf []byte) []byte {
	const limit = 1 << 16 // bytes
	if cap(buf) > limit {
		return nil
	}
	return buf[:0]
}
