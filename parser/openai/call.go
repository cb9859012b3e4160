package openai

import (
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// call is a tool call, whole or put together from pieces.
type call struct {
	index   int64
	indexed bool
	legacy  bool       // function_call: it has no id and no index
	id      scan.Value // a string, or a number as some servers send it
	name    []byte     // raw
	args    scan.Value // if they came whole: a string, or an object
	pieces  []byte     // if they came in pieces: raw, behind an opening quote
}

// arguments gives the arguments as received.
func (c *call) arguments() scan.Value {
	if len(c.pieces) > 0 {
		return scan.Value{Kind: scan.KindString, Raw: append(c.pieces, '"')}
	}
	return c.args
}

// call gives the event of a call.
func (p *Parser) call(c *call) {
	name := p.toolName(c.name)
	args, input := p.decode(c.arguments())
	if p.DropInput {
		input = nil
	}
	if args == nil && len(c.pieces) > 0 && input != nil { // what came in pieces lies in memory that the next answer takes
		start := len(p.input)
		p.input = append(p.input, input...)
		input = p.input[start:len(p.input):len(p.input)]
	}
	e := p.Emit(events.KindToolUse)
	t := &e.Tool
	t.ID, t.Name, t.Input = p.callID(c.id), name, input
	t.Target = p.target(name, args, c.arguments())
	p.remember(t)
}

// toolName is the name as written, without control sequences.
func (p *Parser) toolName(raw []byte) string {
	return events.CleanLine(p.Strings.Intern(scan.Value{Kind: scan.KindString, Raw: p.quote(raw)}), 0)
}

// quote gives raw as a string value; the memory is good until the next call.
func (p *Parser) quote(raw []byte) []byte {
	p.Scratch = append(append(append(p.Scratch[:0], '"'), raw...), '"')
	return p.Scratch
}

// callID is the id that a server gave to a call. Where it gave none, one is made of the answer's own id and the number
// of the call in it, so that it is the same whenever the answer is read.
func (p *Parser) callID(id scan.Value) string {
	p.answered++
	switch {
	case len(id.Body()) > 0:
		return p.Strings.Text(id)
	case id.Kind == scan.KindNumber:
		return p.Strings.Copy(id.Raw)
	}
	answer := p.Head.MessageID
	if answer == "" {
		answer = "answer-" + strconv.Itoa(p.answers)
	}
	return answer + "#call-" + strconv.Itoa(p.answered)
}

// remember keeps the name of a call for its result.
func (p *Parser) remember(t *events.Tool) {
	if t.Name != "" {
		p.names.Set(p.Keys.String(domainID, t.ID), t.Name)
	}
}

// decode gives the members of a call's arguments and their JSON. Arguments are an object as text; some servers send the
// object itself, and some encode the text twice. Of what is no object, such as arguments that a limit cut, there are no
// members, and the JSON is as received. Where arguments are dropped there is no JSON of an object in a text, and
// of its members only those that may be a target.
func (p *Parser) decode(v scan.Value) (args scan.Members, input []byte) {
	switch v.Kind {
	case scan.KindObject:
		p.args = p.Inner.MembersOf(v, p.args[:0])
		return p.args, v.Raw
	case scan.KindNone, scan.KindNull:
		return nil, nil
	case scan.KindString:
		if len(v.Body()) == 0 {
			return nil, nil
		}
	default:
		return nil, v.Raw
	}
	if p.DropInput {
		var whole bool
		if p.args, p.input, whole = p.quoted.Members(p.args[:0], p.input, v.Body(), isArgument); whole {
			if p.args == nil {
				p.args = scan.Members{} // an object without them, and not what is no object
			}
			return p.args, nil
		}
	}
	text := v
	for range 2 {
		start := len(p.input)
		p.input = scan.AppendString(p.input, text.Body())
		decoded := p.input[start:len(p.input):len(p.input)]
		p.Inner.Reset(decoded)
		switch p.Inner.Peek() {
		case scan.KindObject:
			p.args = p.Inner.Members(p.args[:0])
			if p.Inner.Err() == nil && len(p.Inner.Rest()) == 0 {
				return p.args, decoded
			}
			return nil, v.Raw
		case scan.KindString:
			text = p.Inner.Value()
			if p.Inner.Err() != nil || len(p.Inner.Rest()) > 0 {
				return nil, v.Raw
			}
		default:
			return nil, v.Raw
		}
	}
	return nil, v.Raw
}
