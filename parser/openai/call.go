package openai

import (
	"bytes"
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
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

// calls makes the events of calls, and remembers their names for the results.
type calls struct {
	*line
	quoted scan.Quoted // over arguments that are JSON in a string
	input  []byte      // backs Tool.Input where the line has them so, and args
	args   scan.Members

	names    memory.Table[string]
	begun    int // how many answers have begun
	numbered int // how many calls of the last one were emitted
}

// call gives the event of a call.
func (cs *calls) call(c *call) {
	name := cs.toolName(c.name)
	args, input := cs.decode(c.arguments())
	if cs.DropInput {
		input = nil
	}
	if args == nil && len(c.pieces) > 0 && input != nil { // what came in pieces lies in memory that the next answer takes
		start := len(cs.input)
		cs.input = append(cs.input, input...)
		input = cs.input[start:len(cs.input):len(cs.input)]
	}
	e := cs.Emit(events.KindToolUse)
	t := &e.Tool
	t.ID, t.Name, t.Input = cs.callID(c.id), name, input
	t.Target = cs.target(name, args, c.arguments())
	cs.remember(t)
}

// toolName is the name as written, without control sequences.
func (l *line) toolName(raw []byte) string {
	return events.CleanLine(l.Strings.Intern(scan.Value{Kind: scan.KindString, Raw: l.quote(raw)}), 0)
}

// quote gives raw as a string value; the memory is good until the next call.
func (l *line) quote(raw []byte) []byte {
	l.Scratch = append(append(append(l.Scratch[:0], '"'), raw...), '"')
	return l.Scratch
}

// callID is the id that a server gave to a call. Where it gave none, one is made of the answer's own id and the number
// of the call in it, so that it is the same whenever the answer is read.
func (cs *calls) callID(id scan.Value) string {
	cs.numbered++
	switch {
	case len(id.Body()) > 0:
		return cs.Strings.Text(id)
	case id.Kind == scan.KindNumber:
		return cs.Strings.Copy(id.Raw)
	}
	answer := cs.Head.MessageID
	if answer == "" {
		answer = "answer-" + strconv.Itoa(cs.begun)
	}
	return answer + "#call-" + strconv.Itoa(cs.numbered)
}

// remember keeps the name of a call for its result.
func (cs *calls) remember(t *events.Tool) {
	if t.Name != "" {
		cs.names.Set(cs.Keys.String(domainID, t.ID), t.Name)
	}
}

// decode gives the members of a call's arguments and their JSON. Arguments are an object as text; some servers send the
// object itself, and some encode the text twice. Of what is no object, such as arguments that a limit cut, there are no
// members, and the JSON is as received. Where arguments are dropped there is no JSON of an object in a text, and
// of its members only those that may be a target.
func (cs *calls) decode(v scan.Value) (args scan.Members, input []byte) {
	switch v.Kind {
	case scan.KindObject:
		cs.args = cs.Inner.MembersOf(v, cs.args[:0])
		return cs.args, v.Raw
	case scan.KindNone, scan.KindNull:
		return nil, nil
	case scan.KindString:
		if len(v.Body()) == 0 {
			return nil, nil
		}
	default:
		return nil, v.Raw
	}
	if cs.DropInput {
		var whole bool
		if cs.args, cs.input, whole = cs.quoted.Members(cs.args[:0], cs.input, v.Body(), isArgument); whole {
			if cs.args == nil {
				cs.args = scan.Members{} // an object without them, and not what is no object
			}
			return cs.args, nil
		}
	}
	text := v
	for range 2 {
		start := len(cs.input)
		cs.input = scan.AppendString(cs.input, text.Body())
		decoded := cs.input[start:len(cs.input):len(cs.input)]
		cs.Inner.Reset(decoded)
		switch cs.Inner.Peek() {
		case scan.KindObject:
			cs.args = cs.Inner.Members(cs.args[:0])
			if cs.Inner.Err() == nil && len(cs.Inner.Rest()) == 0 {
				return cs.args, decoded
			}
			return nil, v.Raw
		case scan.KindString:
			text = cs.Inner.Value()
			if cs.Inner.Err() != nil || len(cs.Inner.Rest()) > 0 {
				return nil, v.Raw
			}
		default:
			return nil, v.Raw
		}
	}
	return nil, v.Raw
}

// fragment adds a piece of a call to a choice that streams.
func (an *answers) fragment(t *streamed, f *fragment) {
	a := &an.answer
	c := an.continued(t, f)
	if c == nil {
		if t.repeats(f) {
			return
		}
		if a.calls >= maxAnswerCalls {
			an.dropped++
			return
		}
		a.calls++
		c = t.open()
		c.legacy, c.indexed, c.index = f.legacy, f.index.Kind == scan.KindNumber, f.index.Int()
	}
	if !hasID(c.id) && hasID(f.id) {
		c.id = scan.Value{Kind: f.id.Kind, Raw: append(c.id.Raw[:0], f.id.Raw...)}
	}
	if name := f.name.Body(); len(name) > 0 && !bytes.Equal(name, c.name) {
		c.name = append(c.name, name...)
	}
	switch f.args.Kind {
	case scan.KindString:
		if body := f.args.Body(); len(body) > 0 {
			if len(c.pieces) == 0 {
				c.pieces = append(c.pieces, '"')
			}
			c.pieces = append(c.pieces, body...)
			a.bytes += len(body)
		}
	case scan.KindObject:
		c.args = scan.Value{Kind: scan.KindObject, Raw: bytes.Clone(f.args.Raw)}
		a.bytes += len(f.args.Raw)
	}
}

// open adds a call behind what the choice has said.
func (t *streamed) open() *call {
	if len(t.segments) == 0 {
		t.addSegment()
	}
	g, c := &t.segments[len(t.segments)-1], t.addCall()
	g.calls = append(g.calls, c)
	return c
}

// continued finds the call that a fragment goes on with; nil if it begins a new one. An id wins over an index: servers
// use an index twice, or none at all, or number calls anew in each chunk.
//
//	index    id           name    goes on with
//	known    new          any     none
//	known    same, none   any     the call of the index; none if that is whole and a name comes again
//	unknown  of a call    any     that call, unless it is whole
//	unknown  new          any     none
//	unknown  none         some    none
//	unknown  none         none    the last call
func (an *answers) continued(t *streamed, f *fragment) *call {
	if f.legacy {
		return an.lastLegacy(t, f)
	}
	if f.index.Kind == scan.KindNumber {
		for i := len(t.calls) - 1; i >= 0; i-- {
			c := t.calls[i]
			if c.legacy || !c.indexed || c.index != f.index.Int() {
				continue
			}
			if hasID(f.id) && hasID(c.id) && !bytes.Equal(f.id.Raw, c.id.Raw) {
				return nil
			}
			if an.restarts(c, f) {
				return nil
			}
			return c
		}
	}
	if hasID(f.id) {
		for i := len(t.calls) - 1; i >= 0; i-- {
			if c := t.calls[i]; bytes.Equal(c.id.Raw, f.id.Raw) {
				if an.restarts(c, f) {
					return nil
				}
				return c
			}
		}
		return nil
	}
	if len(f.name.Body()) > 0 || len(t.calls) == 0 {
		return nil
	}
	return t.calls[len(t.calls)-1]
}

// lastLegacy finds the function_call of a choice; there is one, unless a whole one came and another begins.
func (an *answers) lastLegacy(t *streamed, f *fragment) *call {
	for i := len(t.calls) - 1; i >= 0; i-- {
		if c := t.calls[i]; c.legacy {
			if an.restarts(c, f) {
				return nil
			}
			return c
		}
	}
	return nil
}

// restarts reports whether a fragment begins a call of its own though index or id are those of c: c is whole, and a name
// comes again with arguments.
func (an *answers) restarts(c *call, f *fragment) bool {
	if len(f.name.Body()) == 0 || len(f.args.Body()) == 0 && f.args.Kind != scan.KindObject {
		return false
	}
	return an.isWhole(c)
}

// repeats reports whether a fragment is a whole call that came before, under the same id: some servers send their calls
// again with the last chunk.
func (t *streamed) repeats(f *fragment) bool {
	for _, c := range t.calls {
		if hasID(f.id) && bytes.Equal(c.id.Raw, f.id.Raw) && bytes.Equal(c.name, f.name.Body()) && bytes.Equal(c.arguments().Raw, f.args.Raw) {
			return true
		}
	}
	return false
}

// isWhole reports whether the arguments of a call are a whole object.
func (an *answers) isWhole(c *call) bool {
	if c.args.Kind == scan.KindObject {
		return true
	}
	if len(c.pieces) < 3 || c.pieces[len(c.pieces)-1] != '}' {
		return false
	}
	an.Scratch = scan.AppendString(an.Scratch[:0], c.pieces[1:])
	an.Inner.Reset(an.Scratch)
	if an.Inner.Peek() != scan.KindObject {
		return false
	}
	an.Inner.Skip()
	return an.Inner.Err() == nil && len(an.Inner.Rest()) == 0
}

func hasID(v scan.Value) bool { return len(v.Body()) > 0 || v.Kind == scan.KindNumber }
