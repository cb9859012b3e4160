package claude

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
)

// deltas holds the content of stream_event lines that precede the complete lines. A text belongs to its message.
type deltas struct {
	pending lines.Pending

	// The message that streams: only message_start names it in versions before 2.1.3xx.
	messageID string
	model     string
}

// streamEvent takes one event of the model's API, as the program got it.
func (p *Parser) streamEvent(r *record) {
	p.nested = p.inner.MembersOf(r.rest.Get("event"), p.nested[:0])
	event := p.nested
	switch string(event.Get("type").Body()) {
	case "message_start":
		p.messageStart(r, event.Get("message"))
	case "content_block_delta":
		index, delta := event.Get("index").Int(), event.Get("delta")
		p.nested = p.inner.MembersOf(delta, p.nested[:0])
		switch string(p.nested.Get("type").Body()) {
		case "text_delta":
			p.piece(r, index, false, p.nested.Get("text"))
		case "thinking_delta":
			p.piece(r, index, true, p.nested.Get("thinking"))
		}
	case "message_delta":
		// The only place of a stream where a single message has its final output tokens.
		if usage := event.Get("usage"); usage.Kind == scan.KindObject {
			id := p.streaming(r)
			p.deltaUsage(id, p.streamedAnswer(r, id), usage, true)
		}
	}
}

func (p *Parser) messageStart(r *record, message scan.Value) {
	d := &p.deltas
	p.nested = p.inner.MembersOf(message, p.nested[:0])
	d.messageID = p.strings.Text(p.nested.Get("id"))
	d.model = p.strings.Intern(p.nested.Get("model"))
	id := p.nested.Get("id")
	nth := p.beginAnswer(r, id)
	if usage := p.nested.Get("usage"); usage.Kind == scan.KindObject {
		p.deltaUsage(id, nth, usage, false)
	}
}

// streaming is the id of the message that a stream_event belongs to.
func (p *Parser) streaming(r *record) scan.Value {
	if id := r.rest.Get("api_message_id"); len(id.Body()) > 0 {
		return id
	}
	p.scratch = append(append(append(p.scratch[:0], '"'), p.deltas.messageID...), '"')
	return scan.Value{Kind: scan.KindString, Raw: p.scratch}
}

func (p *Parser) deltaUsage(id scan.Value, nth int, usage scan.Value, final bool) {
	before := len(p.out)
	w := p.readUsage(usage)
	if p.callUsage(id, nth, w, final) != nil {
		p.out[before].Model = p.deltas.model
	}
	p.advisorUsage(id, nth, w)
	for i := before; i < len(p.out); i++ {
		p.out[i].MessageID, p.out[i].Answer = p.strings.Text(id), nth
	}
}

// piece adds to the text of a block.
func (p *Parser) piece(r *record, index int64, thinking bool, v scan.Value) {
	d := &p.deltas
	piece := p.strings.Text(v)
	if piece == "" {
		return
	}
	owner := p.streaming(r)
	nth := p.streamedAnswer(r, owner)
	id := p.sticky(owner)
	at := lines.Place{Owner: id, Index: index, Thinking: thinking}
	t := d.pending.Find(at)
	if t == nil {
		p.identify(r)
		head := p.head
		head.MessageID, head.Answer, head.Model = id, nth, d.model
		t = d.pending.Begin(at, head)
	}
	d.pending.Add(t, piece)
}

// complete releases the deltas of a text that came whole. What names no message is of none that streams.
func (d *deltas) complete(messageID string, thinking bool, text string) {
	if messageID != "" {
		d.pending.Complete(messageID, thinking, text)
	}
}

// Pending reports whether Flush would return something.
func (p *Parser) Pending() bool { return p.deltas.pending.Any() }

// Flush gives the texts whose pieces were never completed, each joined.
func (p *Parser) Flush() []events.DisplayEvent {
	p.out = p.deltas.pending.Flush(p.out[:0])
	return p.out
}

// Dropped counts the texts in deltas that were evicted because too many were pending.
func (p *Parser) Dropped() int { return p.deltas.pending.Dropped }
