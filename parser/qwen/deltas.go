package qwen

import (
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Limits of the texts whose pieces came and whose whole did not yet.
const (
	maxPending      = 256
	maxPendingBytes = 16 << 20
)

// deltas holds what stream_event lines told ahead of the whole lines. Only the first whole line of a response has the
// id that message_start tells, so pieces find their whole by the thread and the kind of text. What is never completed,
// because the program was killed, comes out joined at the end of the stream.
type deltas struct {
	pending []*pendingText
	bytes   int
	dropped int

	messageID, model string // of the message that streams
}

// pendingText is a text or a thinking that still streams.
type pendingText struct {
	head     lines.Head
	index    int64
	thinking bool
	closed   bool // its block has ended
	text     strings.Builder
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
		if t := p.deltas.find(p.head.ParentID, index, false); t != nil {
			t.closed = true
		}
		if t := p.deltas.find(p.head.ParentID, index, true); t != nil {
			t.closed = true
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

// progress is word of a call at work: what an MCP tool reports, or a sign of life of a shell.
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
	t := d.find(p.head.ParentID, index, thinking)
	if t == nil || t.closed {
		t = &pendingText{head: p.head, index: index, thinking: thinking}
		t.head.ItemID = "" // the text is of many lines
		t.head.MessageID, t.head.Model = d.messageID, d.model
		d.pending = append(d.pending, t)
	}
	t.text.WriteString(piece)
	d.bytes += len(piece)
	for len(d.pending) > maxPending || d.bytes > maxPendingBytes && len(d.pending) > 0 {
		d.remove(0)
		d.dropped++
	}
}

// find gives the last text that streams at a place.
func (d *deltas) find(parent string, index int64, thinking bool) *pendingText {
	for i := len(d.pending) - 1; i >= 0; i-- {
		if t := d.pending[i]; t.head.ParentID == parent && t.index == index && t.thinking == thinking {
			return t
		}
	}
	return nil
}

func (d *deltas) remove(i int) {
	d.bytes -= d.pending[i].text.Len()
	d.pending = append(d.pending[:i], d.pending[i+1:]...)
}

// complete forgets the pieces of a text that came whole: the pending one that reads the same, else the first of its
// thread and kind, which the program may have changed on the way.
func (d *deltas) complete(parent string, thinking bool, text string) {
	first := -1
	for i, t := range d.pending {
		if t.head.ParentID != parent || t.thinking != thinking {
			continue
		}
		if t.text.String() == text {
			d.remove(i)
			return
		}
		if first < 0 {
			first = i
		}
	}
	if first >= 0 {
		d.remove(first)
	}
}

// Owes reports whether Flush would give something.
func (p *Parser) Owes() bool { return len(p.deltas.pending) > 0 }

// Flush gives the texts whose pieces were never completed, each joined.
func (p *Parser) Flush() []events.DisplayEvent {
	p.out = p.out[:0]
	for _, t := range p.deltas.pending {
		text := t.text.String()
		if lines.Blank(text) {
			continue
		}
		kind := events.KindText
		if t.thinking {
			kind = events.KindReasoning
		}
		p.out = t.head.Append(p.out, kind)
		p.out[len(p.out)-1].Text = text
	}
	p.deltas.pending, p.deltas.bytes = nil, 0
	return p.out
}
