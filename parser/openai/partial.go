package openai

import (
	"bytes"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// maxPartial is how many items of a response may stream at once.
const maxPartial = 1024

// partialItem is an item whose pieces came, and whose whole did not yet.
type partialItem struct {
	index                    int64
	id                       string
	text, reasoning, refusal []byte // raw
	call                     *call
}

func (a *responded) find(index int64) *partialItem {
	for _, x := range a.partial {
		if x.index == index {
			return x
		}
	}
	return nil
}

// forget drops the deltas of an item that came whole.
func (a *responded) forget(index int64) {
	for i, x := range a.partial {
		if x.index == index {
			a.partial = append(a.partial[:i], a.partial[i+1:]...)
			return
		}
	}
}

// beginItem handles an item as it is added: a call has its name and id then, and its arguments in pieces.
func (p *Parser) beginItem(r *record, index int64) {
	x := p.partial(index)
	if x == nil {
		return
	}
	m := r.item
	x.id = p.Strings.Text(m.Get("id"))
	switch string(m.Get("type").Body()) {
	case "function_call", "custom_tool_call", "mcp_call":
		id := m.Get("call_id")
		if len(id.Body()) == 0 {
			id = m.Get("id")
		}
		x.call = &call{id: scan.Value{Kind: id.Kind, Raw: bytes.Clone(id.Raw)}, name: bytes.Clone(m.Get("name").Body())}
	}
}

// partial finds the item of a place, or makes it; nil if there are too many, or its whole was emitted.
func (p *Parser) partial(index int64) *partialItem {
	a := &p.answer.response
	if x := a.find(index); x != nil {
		return x
	}
	if a.has(index, "") {
		return nil
	}
	if len(a.partial) >= maxPartial {
		p.dropped++
		return nil
	}
	x := &partialItem{index: index}
	a.partial = append(a.partial, x)
	return x
}

// itemDelta adds a piece to an item.
func (p *Parser) itemDelta(r *record, kind string) {
	if !p.answer.open {
		p.begin()
	}
	x := p.partial(p.outputIndex(r))
	body := r.rest.Get("delta").Body()
	if x == nil || len(body) == 0 {
		return
	}
	if p.answer.bytes > maxAnswerBytes {
		p.dropped++
		return
	}
	p.answer.bytes += len(body)
	switch kind {
	case "response.output_text.delta":
		x.text = append(x.text, body...)
	case "response.refusal.delta":
		x.refusal = append(x.refusal, body...)
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
		x.reasoning = append(x.reasoning, body...)
	default:
		if x.call == nil {
			return
		}
		if len(x.call.pieces) == 0 {
			x.call.pieces = append(x.call.pieces, '"')
		}
		x.call.pieces = append(x.call.pieces, body...)
	}
}
