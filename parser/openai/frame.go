package openai

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// maxFrameBytes is the maximum length of an event of several data lines.
const maxFrameBytes = 16 << 20

// frame is the state of a stream of server-sent events. The standard ends an event with a blank line. Since most events
// are one line, and some writers omit the blank lines, a whole line of data counts at once.
//
//	held   line                        result
//	no     data: whole                 its events
//	no     data: not whole             none: it is held
//	yes    data: not a body by itself  none: it is held too, after a newline
//	yes    data: a body by itself      the held data was torn; the events of the body
//	any    data: torn, then a body     none: it was torn, and the body is read again by itself
//	yes    blank, event:, [DONE], end  the held data, if it is whole now; otherwise it was torn
type frame struct {
	streams bool   // there was a line of data
	held    []byte // an incomplete event
}

var doneMark = []byte("[DONE]")

// readLine reads a trimmed line.
func (p *Parser) readLine(line []byte) {
	switch {
	case len(line) == 0:
		p.frameEnd()
	case bytes.Equal(line, doneMark):
		p.frameEnd()
		p.answers.done()
	case line[0] == '{' || line[0] == '[':
		p.frameEnd()
		p.objects(line)
	default:
		p.field(line)
	}
}

// field reads a line that is not JSON: a comment, or a field and its value.
func (p *Parser) field(line []byte) {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		p.Verdict.Note(events.LineMalformed)
		return
	}
	switch string(name) {
	case "": // a comment
	case "id", "retry":
	case "event":
		p.frameEnd()
	case "data":
		p.frame.streams = true
		p.data(bytes.TrimLeft(value, " \t"))
	default:
		p.Verdict.Note(events.LineMalformed)
	}
}

// data reads a line of data.
func (p *Parser) data(value []byte) {
	f := &p.frame
	switch {
	case len(value) == 0 && len(f.held) == 0:
	case bytes.Equal(value, doneMark):
		p.frameEnd()
		p.answers.done()
	case len(f.held) == 0 && value[0] != '{' && value[0] != '[':
		p.Verdict.Note(events.LineMalformed)
	case p.datum(value, len(f.held) > 0):
	case p.tornBefore(value): // the caller reads the line again from there
		f.held = nil
		p.Verdict.Note(events.LineMalformed)
	case len(f.held)+len(value) > maxFrameBytes:
		f.held = nil
		p.Verdict.Note(events.LineMalformed)
	default:
		if len(f.held) > 0 {
			f.held = append(f.held, '\n')
		}
		f.held = append(f.held, value...)
	}
}

// datum reads data that is whole by itself, and reports whether it was. After held data, which it might belong
// to, only a body counts as whole.
func (p *Parser) datum(value []byte, behindHeld bool) bool {
	if len(value) == 0 || value[0] != '{' && value[0] != '[' {
		return false
	}
	p.Scanner.Reset(value)
	if value[0] == '[' {
		if behindHeld {
			return false
		}
		if p.Scanner.Skip(); p.Scanner.Err() != nil || len(p.Scanner.Rest()) > 0 {
			return false
		}
		p.objects(value)
		return true
	}
	if !p.record.read(&p.Scanner) || len(p.Scanner.Rest()) > 0 || behindHeld && p.kindOf(p.record) == kindUnknown {
		return false
	}
	if behindHeld {
		p.frame.held = nil
		p.Verdict.Note(events.LineMalformed)
	}
	if !isEmptyObject(value) {
		p.dispatch(p.record)
	}
	return true
}

// tornBefore reports whether data is a torn event followed by a whole body, which no event of several lines contains.
func (p *Parser) tornBefore(value []byte) bool {
	at := lines.BehindTorn(value)
	if at == len(value) {
		return false
	}
	p.Scanner.Reset(value[at:])
	return p.record.read(&p.Scanner) && p.kindOf(p.record) != kindUnknown
}

// isEmptyObject reports whether value is the data of a ping.
func isEmptyObject(value []byte) bool {
	var s scan.Scanner
	s.Reset(value)
	return s.Object() && !s.Key() && s.Err() == nil
}

// frameEnd reads the held event.
func (p *Parser) frameEnd() {
	f := &p.frame
	if len(f.held) == 0 {
		return
	}
	held := f.held
	f.held = nil
	p.objects(held)
}
