package qwen

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// deltas holds the content of stream_event lines that precede the whole lines. Only the first whole line of a response has the
// id that message_start has, so a text belongs to its thread.
type deltas struct {
	pending lines.Pending

	messageID, model string // of the message that streams
}

// streamEvent takes one event of a message as it is made.
func (p *Parser) streamEvent(r *sdkstream.Envelope) {
	p.open = true
	p.Members(r.Rest.Get("event"))
	kind, index := p.Nested.Get("type"), p.Nested.Get("index").Int()
	switch string(kind.Body()) {
	case "message_start":
		p.Members(p.Nested.Get("message"))
		p.deltas.messageID = p.Strings.Text(p.Nested.Get("id"))
		p.deltas.model = p.Strings.Intern(p.Nested.Get("model"))
	case "content_block_stop":
		for _, thinking := range []bool{false, true} {
			p.deltas.pending.Find(lines.Place{Owner: p.Head.ParentID, Index: index, Thinking: thinking}).Close()
		}
	case "content_block_delta":
		p.Members(p.Nested.Get("delta"))
		switch string(p.Nested.Get("type").Body()) {
		case "text_delta":
			p.piece(index, false, p.Nested.Get("text"))
		case "thinking_delta":
			p.piece(index, true, p.Nested.Get("thinking"))
		}
	case "tool_progress":
		p.progress(p.Nested.Get("tool_use_id"), p.Nested.Get("content"))
	}
}

// progress reports a call at work: what an MCP tool reports, or a sign of life of a shell.
func (p *Parser) progress(id, content scan.Value) {
	if len(id.Body()) == 0 {
		return
	}
	c, _ := p.calls.Get(p.Keys.ID(domainCall, id.Body()))
	e := p.Emit(events.KindToolProgress)
	e.Tool = events.Tool{ID: p.Strings.Text(id), Name: c.name, State: events.ToolStateRunning}
	p.Members(content)
	e.Text = p.Strings.Text(p.Nested.Get("message"))
}

// piece adds to the text of a block.
func (p *Parser) piece(index int64, thinking bool, v scan.Value) {
	d := &p.deltas
	piece := p.Strings.Text(v)
	if piece == "" {
		return
	}
	at := lines.Place{Owner: p.Head.ParentID, Index: index, Thinking: thinking}
	t := d.pending.Find(at)
	if t == nil {
		head := p.Head
		head.MessageID, head.Model = d.messageID, d.model
		t = d.pending.Begin(at, head)
	}
	d.pending.Add(t, piece)
}

// Flush returns the texts whose deltas were never completed, each joined.
func (p *Parser) Flush() decode.Result {
	p.Out = p.deltas.pending.Flush(p.Out[:0])
	return decode.Result{Events: p.Out}
}
