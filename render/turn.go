package render

import (
	"io"

	"github.com/tailspan/tailspan/render/internal/label"
	"github.com/tailspan/tailspan/render/internal/safe"
	"github.com/tailspan/tailspan/render/internal/text"
)

// shared is a writer that several renderers use in turn.
type shared struct {
	w     io.Writer
	last  *page           // page of the renderer that wrote last, nil after it is closed
	owner *label.Identity // source of the last lines, as known to the reader; nil until a heading may be needed
	name  string          // the owner's name at that time; a shorter name needs no heading
}

// leave releases a page that will not be written to any more.
func (s *shared) leave(p *page) {
	if s.last == p {
		s.last = nil
	}
}

// turn is the writer of one renderer.
type turn struct {
	of     *shared
	page   *page
	label  *label.Label // of the stream, if headings name it; otherwise nil
	labels *label.Set   // of the log
	// introduce is LogSettings.Introduce.
	introduce bool
}

// Write writes what the renderer produced. If another renderer wrote last, it first ends that one's unfinished line, and
// a heading names the stream of the lines that follow.
func (t *turn) Write(p []byte) (int, error) {
	head := t.takeOver()
	if len(head) == 0 {
		return t.of.w.Write(p)
	}
	n, err := t.of.w.Write(append(head, p...))
	return max(n-len(head), 0), err
}

// takeOver returns what comes before the next line of this renderer.
func (t *turn) takeOver() []byte {
	s := t.of
	head := page{escape: safe.Filter{Systems: t.page.escape.Systems}, color: t.page.color, sgr: text.SGRHead}
	if s.last != nil && s.last != t.page && s.last.inLine {
		s.last.endLine()
		s.last.buf = s.last.buf[:0]
		head.buf = append(head.buf, '\n')
	}
	s.last = t.page
	if heading := t.heading(); heading != "" {
		head.line("--- [" + heading + "] ---")
	}
	return head.buf
}

// heading returns the name of the stream of the next lines, or "" if the reader knows it, because it has not changed or there
// is only one stream. The first heading of a stream includes its pipeline.
func (t *turn) heading() string {
	if t.label == nil || !t.label.Named() {
		return ""
	}
	s, l := t.of, t.label
	name := l.Name()
	if !l.Introduced {
		name = l.Full()
	}
	if s.owner != nil && *s.owner == l.Identity && len(name) <= len(s.name) {
		return ""
	}
	alone := s.owner == nil && !t.introduce && !t.labels.Others(l)
	s.owner, s.name = &l.Identity, name
	if alone {
		return ""
	}
	l.Introduced = true
	return name
}
