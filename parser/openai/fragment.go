package openai

import (
	"bytes"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// fragment adds a piece of a call to a choice that streams.
func (p *Parser) fragment(t *streamed, f *fragment) {
	a := &p.answer
	c := p.continued(t, f)
	if c == nil {
		if t.repeats(f) {
			return
		}
		if a.calls >= maxAnswerCalls {
			p.dropped++
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
func (p *Parser) continued(t *streamed, f *fragment) *call {
	if f.legacy {
		return p.lastLegacy(t, f)
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
			if p.restarts(c, f) {
				return nil
			}
			return c
		}
	}
	if hasID(f.id) {
		for i := len(t.calls) - 1; i >= 0; i-- {
			if c := t.calls[i]; bytes.Equal(c.id.Raw, f.id.Raw) {
				if p.restarts(c, f) {
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
func (p *Parser) lastLegacy(t *streamed, f *fragment) *call {
	for i := len(t.calls) - 1; i >= 0; i-- {
		if c := t.calls[i]; c.legacy {
			if p.restarts(c, f) {
				return nil
			}
			return c
		}
	}
	return nil
}

// restarts reports whether a fragment begins a call of its own though index or id are those of c: c is whole, and a name
// comes again with arguments.
func (p *Parser) restarts(c *call, f *fragment) bool {
	if len(f.name.Body()) == 0 || len(f.args.Body()) == 0 && f.args.Kind != scan.KindObject {
		return false
	}
	return p.isWhole(c)
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
func (p *Parser) isWhole(c *call) bool {
	if c.args.Kind == scan.KindObject {
		return true
	}
	if len(c.pieces) < 3 || c.pieces[len(c.pieces)-1] != '}' {
		return false
	}
	p.Scratch = scan.AppendString(p.Scratch[:0], c.pieces[1:])
	p.Inner.Reset(p.Scratch)
	if p.Inner.Peek() != scan.KindObject {
		return false
	}
	p.Inner.Skip()
	return p.Inner.Err() == nil && len(p.Inner.Rest()) == 0
}

func hasID(v scan.Value) bool { return len(v.Body()) > 0 || v.Kind == scan.KindNumber }
