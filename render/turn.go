package render

import "io"

// shared is a writer on which several renderers take turns.
type shared struct {
	w    io.Writer
	last *page  // of whoever wrote last, nil once it is written no more
	name string // whose the lines are, as the reader knows it
}

// leave forgets a page that is written no more.
func (s *shared) leave(p *page) {
	if s.last == p {
		s.last = nil
	}
}

// turn is the writer of one renderer.
type turn struct {
	of   *shared
	page *page
	name string // of the stream, where that is told when it changes; empty if it has none
}

// Write takes what the renderer made. Where another wrote last, its unfinished line is ended first; where another has
// another name, a heading tells whose the lines are from here on.
func (t *turn) Write(p []byte) (int, error) {
	head := t.takeOver()
	if len(head) == 0 {
		return t.of.w.Write(p)
	}
	n, err := t.of.w.Write(append(head, p...))
	return max(n-len(head), 0), err
}

// takeOver gives what has to stand before the next line of this renderer.
func (t *turn) takeOver() []byte {
	s := t.of
	head := page{escape: commandFilter{systems: t.page.escape.systems}, color: t.page.color, ink: inkHead}
	if s.last != nil && s.last != t.page && s.last.inLine {
		s.last.endLine()
		s.last.buf = s.last.buf[:0]
		head.buf = append(head.buf, '\n')
	}
	if s.name != "" && t.name != "" && s.name != t.name {
		head.line("--- [" + t.name + "] ---")
	}
	if s.last = t.page; t.name != "" {
		s.name = t.name
	}
	return head.buf
}
