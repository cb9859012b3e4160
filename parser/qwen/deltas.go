package qwen

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// deltas holds the content of stream_event lines that precede the whole lines. Only the first whole line of a response has the
// id that message_start has, so a text belongs to its thread.
type deltas struct {
	pending lines.Pending

	messageID, model string // of the message that streams
}

// streamEvent takes one event of a message as it is made.
func (p *Parser) streamEvent(r *record) {
	p.open = true
	p.nested = p.inner.MembersOf(r.rest.Get("event"), p.nested[:0])
	kind, index := p.nested.Get("type"), p.nested.Get("index").Int()
	switch string(kind.Body()) {
	case "message_start":
		p.nested = p.inner.MembersOf(p.nested.Get("message"), p.nested[:0])
		p.deltas.messageID = p.strings.Text(p.nested.Get("id"))
		p.deltas.model = p.strings.Intern(p.nested.Get("model"))
	case "content_block_stop":
		for _, thinking := range []bool{false, true} {
			p.deltas.pending.Find(lines.Place{Owner: p.head.ParentID, Index: index, Thinking: thinking}).Close()
		}
	case "content_block_delta":
		p.nested = p.inner.MembersOf(p.nested.Get("delta"), p.nested[:0])
		switch string(p.nested.Get("type").Body()) {
		case "text_delta":
			p.piece(index, false, p.nested.Get("text"))
		case "thinking_delta":
			p.piece(index, true, p.nested.Get("thinking"))
		}
	case "tool_progress":
		p.progress(p.nested.Get("tool_use_id"), p.nested.Get("content"))
	}
}

// progress reports a call at work: what an MCP tool reports, or a sign of life of a shell.
func (p *Parser) progress(id, content scan.Value) {
	if len(id.Body()) == 0 {
		return
	}
	c, _ := p.calls.Get(p.keys.ID(domainCall, id.Body()))
	e := p.emit(events.KindToolProgress)
	e.Tool = events.Tool{ID: p.strings.Text(id), Name: c.name, State: events.ToolStateRunning}
	p.nested = p.inner.MembersOf(content, p.nested[:0])
	e.Text = p.strings.Text(p.nested.Get("message"))
}

// piece adds to the text of a block.
func (p *Parser) piece(index int64, thinking bool, v scan.Value) {
	d := &p.deltas
	piece := p.strings.Text(v)
	if piece == "" {
		return
	}
	at := lines.Place{Owner: p.head.ParentID, Index: index, Thinking: thinking}
	t := d.pending.Find(at)
	if t == nil {
		head := p.head
		head.MessageID, head.Model = d.messageID, d.model
		t = d.pending.Begin(at, head)
	}
	d.pending.Add(t, piece)
}

// Pending reports whether Flush would return something.
func (p *Parser) Pending() bool { return p.deltas.pending.Any() }

// Flush gives the texts whose pieces were never completed, each joined.
func (p *Parser) Flush() []events.DisplayEvent {
	p.out = p.deltas.pending.Flush(p.out[:0])
	return p.out
}
