package claude

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

// deltas holds what stream_event lines told ahead of the complete lines. A complete line decides the text and its
// place; what is never completed, because the program was killed, comes out joined at the end of the stream.
type deltas struct {
	pending []*pendingText
	bytes   int
	dropped int

	// The message that streams: only message_start names it in versions before 2.1.3xx.
	messageID string
	model     string
}

// pendingText is a text or a thinking that still streams.
type pendingText struct {
	head     lines.Head
	index    int64
	thinking bool
	text     strings.Builder
}

// streamEvent takes one event of the model's API, as the program got it.
func (p *Parser) streamEvent(r *record) {
	p.nested = p.inner.MembersOf(r.rest.Get("event"), p.nested[:0])
	event := p.nested
	d := &p.deltas
	switch string(event.Get("type").Body()) {
	case "message_start":
		p.messageStart(event.Get("message"))
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
		// The only place of a stream where a single message tells its final output tokens.
		if usage := event.Get("usage"); usage.Kind == scan.KindObject {
			p.deltaUsage(p.streaming(r), d.model, p.messageTokens(usage))
		}
	}
}

func (p *Parser) messageStart(message scan.Value) {
	d := &p.deltas
	p.nested = p.inner.MembersOf(message, p.nested[:0])
	d.messageID = p.strings.Text(p.nested.Get("id"))
	d.model = p.strings.Intern(p.nested.Get("model"))
	if usage := p.nested.Get("usage"); usage.Kind == scan.KindObject {
		p.deltaUsage(p.nested.Get("id"), d.model, p.messageTokens(usage))
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

func (p *Parser) deltaUsage(id scan.Value, model string, t events.Tokens) {
	before := len(p.out)
	p.callUsage(id, t)
	for i := before; i < len(p.out); i++ {
		p.out[i].MessageID, p.out[i].Model = p.strings.Text(id), model
	}
}

// piece adds to the text of a block.
func (p *Parser) piece(r *record, index int64, thinking bool, v scan.Value) {
	d := &p.deltas
	piece := p.strings.Text(v)
	if piece == "" {
		return
	}
	id := p.sticky(p.streaming(r))
	t := d.find(id, index, thinking)
	if t == nil {
		p.identify(r)
		t = &pendingText{head: p.head, index: index, thinking: thinking}
		t.head.ItemID = "" // the text is of many lines
		t.head.MessageID, t.head.Model = id, d.model
		d.pending = append(d.pending, t)
	}
	t.text.WriteString(piece)
	d.bytes += len(piece)
	for len(d.pending) > maxPending || d.bytes > maxPendingBytes && len(d.pending) > 0 {
		d.remove(0)
		d.dropped++
	}
}

func (d *deltas) find(id string, index int64, thinking bool) *pendingText {
	for i := len(d.pending) - 1; i >= 0; i-- {
		if t := d.pending[i]; t.head.MessageID == id && t.index == index && t.thinking == thinking {
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
// message, which the program may have changed on the way.
func (d *deltas) complete(id string, thinking bool, text string) {
	if len(d.pending) == 0 || id == "" {
		return
	}
	first := -1
	for i, t := range d.pending {
		if t.head.MessageID != id || t.thinking != thinking {
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

// Dropped counts the texts in pieces that were forgotten because too many were pending.
func (p *Parser) Dropped() int { return p.deltas.dropped }
