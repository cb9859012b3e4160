package render

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/tailspan/tailspan/render/internal/safe"
	"github.com/tailspan/tailspan/render/internal/text"
)

// page is one output of a Renderer: safe bytes that have not been written yet, and the state of the line that is
// being written.
type page struct {
	buf    []byte
	inLine bool        // the last byte written is not a newline
	escape safe.Filter // Settings.EscapeCommands
	color  bool        // Settings.Color
	margin string      // begins every line
	// While buf waits for the first time of the stream (undated), clocks are the offsets of noClock in buf.
	undated bool
	clocks  []int
	sgr     text.SGR // of the text after the margin
}

// write adds safe bytes, each line after the margin and in the rendition.
func (p *page) write(safe []byte) {
	if p.margin == "" && (p.sgr == text.SGRNone || !p.color) {
		p.put(safe)
		return
	}
	for len(safe) > 0 {
		line, newline := safe, 0
		if i := bytes.IndexByte(safe, '\n'); i >= 0 {
			line, newline = safe[:i], 1
		}
		if !p.inLine && p.margin != "" {
			margin := p.margin
			if len(line) == 0 {
				margin = strings.TrimRight(margin, " ")
			}
			p.paint(text.SGRDim, []byte(margin))
			if p.undated && strings.HasPrefix(margin, noClock) {
				p.clocks = append(p.clocks, bytes.LastIndex(p.buf, []byte(noClock)))
			}
		}
		p.paint(p.sgr, line)
		p.put(safe[len(line) : len(line)+newline])
		safe = safe[len(line)+newline:]
	}
}

// paint adds a part of a line in a rendition.
func (p *page) paint(s text.SGR, safe []byte) {
	if len(safe) == 0 {
		return
	}
	if !p.color || s == text.SGRNone || len(bytes.TrimSpace(safe)) == 0 {
		p.put(safe)
		return
	}
	p.buf = append(p.buf, s.Begin()...)
	p.put(safe)
	p.buf = append(p.buf, text.SGRReset...)
}

// put adds safe bytes and breaks commands, if configured.
func (p *page) put(safe []byte) {
	if len(safe) == 0 {
		return
	}
	p.inLine = safe[len(safe)-1] != '\n'
	if p.escape.Systems == 0 {
		p.buf = append(p.buf, safe...)
		return
	}
	for len(safe) > 0 {
		r, n := utf8.DecodeRune(safe)
		if p.escape.Breaks(r) {
			p.buf = append(p.buf, '\\')
		}
		p.escape.See(r)
		p.buf = append(p.buf, safe[:n]...)
		safe = safe[n:]
	}
}

// line ends the current line, if any, and adds a separate one.
func (p *page) line(safe string) {
	p.endLine()
	p.write(append([]byte(safe), '\n'))
}

// endLine writes a newline unless the last byte is one.
func (p *page) endLine() {
	if p.inLine {
		p.put([]byte{'\n'})
	}
}

// Line writes one line with its newline, after a margin. It first ends the line of an unfinished text.
func (p *page) Line(margin string, line []byte) {
	p.endLine()
	p.margin = margin
	p.write(line)
}

// Block writes safe text of several lines and ends its last line.
func (p *page) Block(margin, safe string) {
	p.endLine()
	p.margin, p.sgr = margin, text.SGRNone
	p.write([]byte(safe))
	p.endLine()
}
