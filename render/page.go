package render

import (
	"unicode"
	"unicode/utf8"
)

// page is the output side of a Renderer: safe bytes that wait for their write, and what must be known of the line that
// is being written.
type page struct {
	buf    []byte
	inLine bool // the last byte written is no newline
	escape bool // Settings.EscapeCommands

	// What the present line holds so far, for escape.
	lead leadState
	tail [maxCommandTail]byte // its last bytes, lower case, newest last
}

// leadState is what a line begins with, as far as "::" matters.
type leadState uint8

const (
	leadBlank leadState = iota // white space only
	leadColon                  // white space, then one colon
	leadOther
)

// commandTails are what turns a "[" into the begin of a command to a CI system, wherever in a line it stands: GitHub's
// older form, Azure Pipelines, TeamCity.
var commandTails = [...]string{"##", "##vso", "##teamcity"}

const maxCommandTail = len("##teamcity")

// write adds safe bytes.
func (p *page) write(safe []byte) {
	if len(safe) == 0 {
		return
	}
	p.inLine = safe[len(safe)-1] != '\n'
	if !p.escape {
		p.buf = append(p.buf, safe...)
		return
	}
	for len(safe) > 0 {
		r, n := utf8.DecodeRune(safe)
		if r == ':' && p.lead == leadColon || r == '[' && p.endsInCommand() {
			p.buf = append(p.buf, '\\')
		}
		p.see(r)
		p.buf = append(p.buf, safe[:n]...)
		safe = safe[n:]
	}
}

// line ends the line that is being written, if any, and adds one of its own.
func (p *page) line(safe string) {
	p.endLine()
	p.write([]byte(safe))
	p.write([]byte{'\n'})
}

// endLine writes a newline unless the last byte is one.
func (p *page) endLine() {
	if p.inLine {
		p.write([]byte{'\n'})
	}
}

// see notes one rune of the present line.
func (p *page) see(r rune) {
	if r == '\n' {
		p.lead = leadBlank
		p.tail = [maxCommandTail]byte{}
		return
	}
	switch {
	case p.lead == leadBlank && unicode.IsSpace(r):
	case p.lead == leadBlank && r == ':':
		p.lead = leadColon
	default:
		p.lead = leadOther
	}
	copy(p.tail[:], p.tail[1:])
	p.tail[len(p.tail)-1] = 0
	if r < utf8.RuneSelf {
		p.tail[len(p.tail)-1] = byte(unicode.ToLower(r))
	}
}

func (p *page) endsInCommand() bool {
	for _, c := range commandTails {
		if string(p.tail[len(p.tail)-len(c):]) == c {
			return true
		}
	}
	return false
}
