package openai

import (
	"bytes"
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// call is a tool call, whole or assembled from pieces.
type call struct {
	index   int64
	indexed bool
	legacy  bool       // function_call, without ID and index
	id      scan.Value // a string, or a number from some servers
	name    []byte     // raw
	args    scan.Value // if they arrived whole: a string, or an object
	pieces  []byte     // if they arrived in pieces: raw, after an opening quote
}

// arguments returns the arguments as received.
func (c *call) arguments() scan.Value {
	if len(c.pieces) > 0 {
		return scan.Value{Kind: scan.KindString, Raw: append(c.pieces, '"')}
	}
	return c.args
}

// calls emits the events of calls and remembers their names for the results.
type calls struct {
	*line
	quoted scan.Quoted // reads arguments that are JSON in a string
	input  []byte      // backs Tool.Input and args if the arguments are in a string
	args   scan.Members

	names    memory.Table[string]
	begun    int // number of answers that have begun
	numbered int // number of calls of the last answer that were emitted
}

// call emits a call.
func (cs *calls) call(c *call) {
	name := cs.toolName(c.name)
	args, input := cs.decode(c.arguments())
	if cs.DropInput {
		input = nil
	}
	if args == nil && len(c.pieces) > 0 && input != nil { // the pieces are in memory that the next answer reuses
		start := len(cs.input)
		cs.input = append(cs.input, input...)
		input = cs.input[start:len(cs.input):len(cs.input)]
	}
	e := cs.Emit(events.KindToolUse)
	t := &e.Tool
	t.ID, t.Name, t.Input, t.State = cs.callID(c.id), name, input, events.ToolStateRequested
	t.Target = cs.target(name, args, c.arguments())
	cs.remember(t)
}

// toolName returns the name as written, without control sequences.
func (l *line) toolName(raw []byte) string {
	return events.CleanLine(l.Strings.Intern(scan.Value{Kind: scan.KindString, Raw: l.quote(raw)}), 0)
}

// quote returns raw as a string value. The memory is valid until the next call.
func (l *line) quote(raw []byte) []byte {
	l.Scratch = append(append(append(l.Scratch[:0], '"'), raw...), '"')
	return l.Scratch
}

// callID returns the ID that the server assigned to a call. If there is none, it combines the answer's ID and the
// number of the call in the answer, so that it is the same whenever the answer is read.
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

// remember stores the name of a call for its result.
func (cs *calls) remember(t *events.Tool) {
	if t.Name != "" {
		cs.names.Set(cs.Keys.String(domainID, t.ID), t.Name)
	}
}

// decode returns the members of a call's arguments and their JSON. Arguments are an object as text; some servers send
// the object itself, and some encode the text twice. If they are not an object, for example because a limit cut them,
// there are no members, and the JSON is as received. If arguments are dropped, there is no JSON of an object in a text,
// and only the members that may be a target.
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
				cs.args = scan.Members{} // a non-nil slice: an object without wanted members
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

// fragment adds a piece of a call to a streaming choice.
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

// open adds a call after what the choice has said.
func (t *streamed) open() *call {
	if len(t.segments) == 0 {
		t.addSegment()
	}
	g, c := &t.segments[len(t.segments)-1], t.addCall()
	g.calls = append(g.calls, c)
	return c
}

// continued returns the call that a fragment continues, or nil if it begins a new one. An ID takes precedence over an
// index: servers use an index twice, or none at all, or restart the numbering in each chunk.
//
//	index    id           name    continues
//	known    new          any     none
//	known    same, none   any     the call of the index; none if that is whole and the name repeats
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

// lastLegacy returns the function_call of a choice. There is one, unless it is whole and another begins.
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

// restarts reports whether a fragment begins a new call although it has the index or ID of c: c is whole, and the
// fragment has a name and arguments.
func (an *answers) restarts(c *call, f *fragment) bool {
	if len(f.name.Body()) == 0 || len(f.args.Body()) == 0 && f.args.Kind != scan.KindObject {
		return false
	}
	return an.isWhole(c)
}

// repeats reports whether a fragment is a whole call that came before with the same ID: some servers send their calls
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
