package qwen

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// deltas collects the content of stream_event lines, which precede the whole lines. Only the first whole line of a response
// has the ID of message_start, so a text belongs to its thread.
type deltas struct {
	*line
	calls   *calls
	session *session

	pending lines.Pending

	messageID, model string // the streaming message
}

// streamEvent handles one event of a message that is streaming.
func (d *deltas) streamEvent(r *sdkstream.Envelope) {
	d.session.open = true
	d.Members(r.Rest.Get("event"))
	kind, index := d.Nested.Get("type"), d.Nested.Get("index").Int()
	switch string(kind.Body()) {
	case "message_start":
		d.Members(d.Nested.Get("message"))
		d.messageID = d.Strings.Text(d.Nested.Get("id"))
		d.model = d.Strings.Intern(d.Nested.Get("model"))
	case "content_block_stop":
		for _, thinking := range []bool{false, true} {
			d.pending.Find(lines.Place{Owner: d.Head.ParentID, Index: index, Thinking: thinking}).Close()
		}
	case "content_block_delta":
		d.Members(d.Nested.Get("delta"))
		switch string(d.Nested.Get("type").Body()) {
		case "text_delta":
			d.piece(index, false, d.Nested.Get("text"))
		case "thinking_delta":
			d.piece(index, true, d.Nested.Get("thinking"))
		}
	case "tool_progress":
		d.progress(d.Nested.Get("tool_use_id"), d.Nested.Get("content"))
	}
}

// progress reports on a running call: what an MCP tool reports, or the heartbeat of a shell.
func (d *deltas) progress(id, content scan.Value) {
	if len(id.Body()) == 0 {
		return
	}
	c, _ := d.calls.byID.Get(d.Keys.ID(domainCall, id.Body()))
	e := d.Emit(events.KindToolProgress)
	e.Tool = events.Tool{ID: d.Strings.Text(id), Name: c.name, State: events.ToolStateRunning}
	d.Members(content)
	e.Text = d.Strings.Text(d.Nested.Get("message"))
}

// piece adds a piece to the text of a block.
func (d *deltas) piece(index int64, thinking bool, v scan.Value) {
	piece := d.Strings.Text(v)
	if piece == "" {
		return
	}
	head := d.Head
	head.MessageID, head.Model = d.messageID, d.model
	d.pending.Piece(lines.Place{Owner: d.Head.ParentID, Index: index, Thinking: thinking}, &head, piece)
}

// Flush returns the texts whose deltas were never completed, each joined.
func (p *Parser) Flush() decode.Result {
	p.Out = p.deltas.pending.Flush(p.Out[:0])
	return decode.Result{Events: p.Out}
}
