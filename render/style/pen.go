package style

import "github.com/tailspan/tailspan/render/internal/text"

// Page receives the output of a [Pen]: whole lines and blocks of safe text, each line after a margin.
type Page interface {
	// Line writes one line with its newline. It first ends the line of an unfinished text.
	Line(margin string, line []byte)
	// Block writes text of several lines and ends its last line.
	Block(margin, safe string)
}

// Pen is what a [Look] writes with.
type Pen struct {
	Page Page
	// Margin begins each line.
	Margin string
	// Width returns the maximum width of a line in cells, including the margin; nil or 0 sets no limit.
	Width func() int
	// Results shows the results of tools in the styles that hide them, and how long calls took in all styles.
	Results bool
	// Agent is the name of the agent, or of the program that runs it.
	Agent string

	scratch []byte // the line being built
}

// Line writes one line, sanitised and without trailing blanks.
func (p *Pen) Line(parts ...string) {
	line := text.AppendLine(p.scratch[:0], parts)
	if width, limited := p.room(); limited {
		line = append(line[:0], text.Fit(string(line), width)...)
	}
	line = append(line, '\n')
	p.Page.Line(p.Margin, line)
	p.scratch = text.KeepSmall(line)
}

// Block writes safe text of several lines.
func (p *Pen) Block(safe string) { p.Page.Block(p.Margin, safe) }

// room returns the number of cells left for a line after the margin, if there is a limit.
func (p *Pen) room() (width int, limited bool) {
	if p.Width == nil {
		return 0, false
	}
	if width = p.Width(); width <= 0 {
		return 0, false
	}
	return width - text.Cells(p.Margin), true
}
