package render

import (
	"fmt"
	"io"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render/internal/label"
	"github.com/tailspan/tailspan/render/internal/memory"
	"github.com/tailspan/tailspan/render/internal/safe"
	"github.com/tailspan/tailspan/render/internal/text"
	"github.com/tailspan/tailspan/render/style"
)

// Renderer writes the events of one stream for people. It is an [events.Sink]. Each Emit performs at most one write
// to each writer, and holds back nothing that is complete. Close it to end an unfinished text. It shows every event:
// a [Log] does what concerns several streams, and throttles the activity style.
type Renderer struct {
	w, linesTo io.Writer
	settings   Settings
	label      *label.Label
	page       page  // for the text
	side       *page // for all other lines; the same page unless Settings.Lines is set
	text       openText
	memory     memory.Memory
	textMargin string
	pen        style.Pen // writes to side
	margins    activityMargins
	answer     answer
	undated    bool // lines wait for the first time of the stream
	err        error
}

// New returns a Renderer that writes to w. It does not close w.
func New(w io.Writer, s Settings) *Renderer { return newRenderer(w, s, Origin{}, &label.Label{}) }

func newRenderer(w io.Writer, s Settings, o Origin, l *label.Label) *Renderer {
	s = s.complete()
	r := &Renderer{w: w, settings: s, label: l, memory: memory.New(s.memory())}
	r.pen = style.Pen{Results: s.Results, Agent: text.Capped(o.Agent)}
	if s.activity() {
		r.pen.Width = s.Width
	}
	r.undated = s.Replay && s.activity() && s.Now == nil
	r.page = page{escape: safe.Filter{Systems: s.EscapeCommands}, color: s.Color}
	r.side = &r.page
	if s.Lines != nil {
		r.linesTo = s.Lines
		r.side = &page{escape: safe.Filter{Systems: s.EscapeCommands}, color: s.LinesColor}
	}
	r.side.undated = r.undated
	r.pen.Page = r.side
	return r
}

// Emit renders one event. [Renderer.Err] reports a failed write, after which nothing more is written.
func (r *Renderer) Emit(e *events.DisplayEvent) {
	r.show(r.memory.Take(e))
	r.memory.Release()
}

// show renders an event that the memory has completed.
func (r *Renderer) show(e *events.DisplayEvent) {
	mode := r.settings.Mode
	if r.err != nil || mode == ModeJSON {
		return
	}
	r.setMargins(e)
	if result := r.answer.of(e); result != "" && r.showsAnswers() {
		r.addText(&events.DisplayEvent{Kind: events.KindText, SessionID: e.SessionID, Text: result})
	}
	switch {
	case e.Kind == events.KindText:
		if mode != ModeQuiet {
			r.addText(e)
		}
	case e.Kind == events.KindReasoning:
		if mode == ModeVerbose && r.settings.Reasoning {
			r.addText(e)
		}
	default:
		r.showLines(e)
	}
	r.flush()
}

// showsAnswers reports whether a result is shown as a text if there is no other: the transcript style shows each result itself.
func (r *Renderer) showsAnswers() bool {
	return r.settings.Mode == ModeDefault || r.settings.Mode == ModeVerbose && r.settings.Style != StyleTranscript
}

// showLines renders an event that is not text.
func (r *Renderer) showLines(e *events.DisplayEvent) {
	row := style.RowOf(e.Kind)
	if row.Ends == style.EndsAll || row.Ends == style.EndsThread && memory.KeyOf(e) == r.text.key.thread {
		r.endText()
	}
	if look := row.Look(r.settings.Mode, r.settings.Style); look != nil {
		r.side.sgr = style.SGROf(e)
		look(&r.pen, e)
		r.side.sgr = text.SGRNone
	}
	if e.Kind == events.KindSessionEnded && memory.KeyOf(e) == (memory.Key{}) {
		r.summarize()
	}
}

// setMargins sets what begins the lines of an event: the step in quiet mode and the activity style, indentation for a
// sub-agent, and in the activity style the time of lines that are not text.
func (r *Renderer) setMargins(e *events.DisplayEvent) {
	r.textMargin, r.pen.Margin = "", ""
	switch r.settings.Mode {
	case ModeQuiet:
		r.pen.Margin = r.stepLabel()
	case ModeVerbose:
		in := r.memory.Lead(e)
		r.textMargin, r.pen.Margin = in, in
		if r.settings.Style == StyleActivity {
			r.setActivityMargins(r.memory.TimeOf(e), in)
		}
		if r.side != &r.page {
			r.textMargin = ""
		}
	}
}

// setActivityMargins puts the time and the step before the indentation of a sub-agent. Consecutive events usually
// have the same margins, which are then kept.
func (r *Renderer) setActivityMargins(at time.Time, in string) {
	m := &r.margins
	step := r.label.Name()
	if second := at.Unix(); !m.known || m.second != second || m.in != in || m.step != step {
		*m = activityMargins{known: true, second: second, in: in, step: step, text: r.stepLabel() + in}
		switch {
		case !at.IsZero():
			m.line = r.timeOfDay(at) + " " + m.text
		case r.undated || !r.settings.Replay:
			m.line = noClock + " " + m.text
		default:
			m.line = m.text
		}
	}
	r.textMargin, r.pen.Margin = m.text, m.line
}

// activityMargins are the margins of an event in the activity style.
type activityMargins struct {
	known      bool
	second     int64
	in, step   string
	text, line string
}

// stepLabel returns "[step] ", or "" without a step.
func (r *Renderer) stepLabel() string {
	if step := r.label.Name(); step != "" {
		return "[" + step + "] "
	}
	return ""
}

func (r *Renderer) timeOfDay(at time.Time) string {
	return at.In(r.settings.Location).Format(time.TimeOnly)
}

// PassThrough writes a line of a stream that no parser knows, sanitised and closed by a newline, in every mode. In JSON
// mode it is [Renderer.Raw].
func (r *Renderer) PassThrough(line []byte) {
	if r.settings.Mode == ModeJSON {
		r.Raw(line)
		return
	}
	if r.err != nil {
		return
	}
	r.page.endLine()
	r.page.margin, r.page.sgr = "", text.SGRNone
	r.page.write([]byte(Sanitize(string(line))))
	r.page.endLine()
	r.flush()
}

// Raw writes an input line without any cleaning, and a newline unless it ends in one.
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

// Break writes what is pending and ends the current line, so that others may write lines to the same writer. An
// unfinished text continues on the next line.
func (r *Renderer) Break() {
	if r.err != nil {
		return
	}
	r.page.endLine()
	r.date()
	r.flush()
}

// Stop is [Renderer.Close] for a stream that continues without being shown. It does not summarize the run so
// far, since that would look like its end.
func (r *Renderer) Stop() error {
	r.memory.EndRun()
	return r.Close()
}

// Close ends an unfinished text, summarizes a run that has not ended, and returns [Renderer.Err]. It does not close
// the writer.
func (r *Renderer) Close() error {
	if r.err == nil {
		r.endText()
		r.pen.Margin = ""
		r.summarize()
		r.date()
		r.flush()
	}
	return r.err
}

// Err returns the first failed write, or nil.
func (r *Renderer) Err() error { return r.err }

// flush writes what was rendered, unless it waits for the first time of the stream.
func (r *Renderer) flush() {
	if r.undated {
		if r.memory.Last().IsZero() && len(r.page.buf)+len(r.side.buf) < maxUndated {
			return
		}
		r.date()
	}
	r.writeOut(r.w, &r.page)
	if r.side != &r.page {
		r.writeOut(r.linesTo, r.side)
	}
}

func (r *Renderer) writeOut(w io.Writer, p *page) {
	if len(p.buf) == 0 || r.err != nil {
		return
	}
	n, err := w.Write(p.buf)
	if err == nil && n < len(p.buf) {
		err = io.ErrShortWrite
	}
	if err != nil {
		r.err = fmt.Errorf("write output: %w", err)
	}
	p.buf = text.KeepSmall(p.buf)
}

// summarize writes the summary of the run that ends here, if it did anything.
func (r *Renderer) summarize() {
	summary := r.memory.Summary()
	if summary == "" {
		return
	}
	if r.settings.activity() { // not at a single point in time
		r.pen.Margin = r.stepLabel()
	}
	r.pen.Line("--- Summary ---")
	r.pen.Block(summary)
	r.memory.EndRun()
}
