package claude

import (
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// deltas holds the content of stream_event lines that precede the complete lines. A text belongs to its message.
type deltas struct {
	pending lines.Pending

	// The message that streams: only message_start names it in versions before 2.1.3xx.
	messageID string
	model     string
}

// streamEvent takes one event of the model's API, as the program got it.
func (p *Parser) streamEvent(r *sdkstream.Envelope) {
	p.Members(r.Rest.Get("event"))
	event := p.Nested
	switch string(event.Get("type").Body()) {
	case "message_start":
		p.messageStart(r, event.Get("message"))
	case "content_block_delta":
		index, delta := event.Get("index").Int(), event.Get("delta")
		p.Members(delta)
		switch string(p.Nested.Get("type").Body()) {
		case "text_delta":
			p.piece(r, index, false, p.Nested.Get("text"))
		case "thinking_delta":
			p.piece(r, index, true, p.Nested.Get("thinking"))
		}
	case "message_delta":
		// The only place of a stream where a single message has its final output tokens.
		if usage := event.Get("usage"); usage.Kind == scan.KindObject {
			id := p.streaming(r)
			p.deltaUsage(id, p.streamedAnswer(r, id), usage, true)
		}
	}
}

func (p *Parser) messageStart(r *sdkstream.Envelope, message scan.Value) {
	d := &p.deltas
	p.Members(message)
	d.messageID = p.Strings.Text(p.Nested.Get("id"))
	d.model = p.Strings.Intern(p.Nested.Get("model"))
	id := p.Nested.Get("id")
	nth := p.beginAnswer(r, id)
	if usage := p.Nested.Get("usage"); usage.Kind == scan.KindObject {
		p.deltaUsage(id, nth, usage, false)
	}
}

// streaming is the id of the message that a stream_event belongs to.
func (p *Parser) streaming(r *sdkstream.Envelope) scan.Value {
	if id := r.Rest.Get("api_message_id"); len(id.Body()) > 0 {
		return id
	}
	p.Scratch = append(append(append(p.Scratch[:0], '"'), p.deltas.messageID...), '"')
	return scan.Value{Kind: scan.KindString, Raw: p.Scratch}
}

func (p *Parser) deltaUsage(id scan.Value, nth int, usage scan.Value, final bool) {
	before := len(p.Out)
	w := p.readUsage(usage)
	if p.callUsage(id, nth, w, final) != nil {
		p.Out[before].Model = p.deltas.model
	}
	p.advisorUsage(id, nth, w)
	for i := before; i < len(p.Out); i++ {
		p.Out[i].MessageID, p.Out[i].Answer = p.Strings.Text(id), nth
	}
}

// piece adds to the text of a block.
func (p *Parser) piece(r *sdkstream.Envelope, index int64, thinking bool, v scan.Value) {
	d := &p.deltas
	piece := p.Strings.Text(v)
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
		head := p.Head
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

// Flush returns the texts whose deltas were never completed, each joined.
func (p *Parser) Flush() decode.Result {
	p.Out = p.deltas.pending.Flush(p.Out[:0])
	return decode.Result{Events: p.Out}
}
