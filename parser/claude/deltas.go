package claude

import (
	"github.com/tailspan/tailspan/parser/internal/lines"
	"github.com/tailspan/tailspan/parser/internal/scan"
	"github.com/tailspan/tailspan/parser/internal/sdkstream"
)

// deltas collects the content of stream_event lines, which precede the complete lines. A text belongs to its message.
type deltas struct {
	*line
	answers *answers
	usage   *ledger

	pending lines.Pending

	// messageID is the streaming message: before 2.1.3xx only message_start names it.
	messageID string
	model     string
}

// streamEvent handles one event of the model's API, as the program received it.
func (d *deltas) streamEvent(r *sdkstream.Envelope) {
	event := d.Members(r.Rest.Get("event"))
	switch string(event.Get("type").Body()) {
	case "message_start":
		d.messageStart(r, event.Get("message"))
	case "content_block_delta":
		index, delta := event.Get("index").Int(), event.Get("delta")
		d.Members(delta)
		switch string(d.Nested.Get("type").Body()) {
		case "text_delta":
			d.piece(r, index, false, d.Nested.Get("text"))
		case "thinking_delta":
			d.piece(r, index, true, d.Nested.Get("thinking"))
		}
	case "message_delta":
		// No other line of a stream has the final output tokens of a single message.
		if usage := event.Get("usage"); usage.Kind == scan.KindObject {
			id := d.streaming(r)
			d.deltaUsage(id, d.answers.streamedAnswer(r, id), usage, true)
		}
	}
}

func (d *deltas) messageStart(r *sdkstream.Envelope, message scan.Value) {
	d.Members(message)
	d.messageID = d.Strings.Text(d.Nested.Get("id"))
	d.model = d.Strings.Intern(d.Nested.Get("model"))
	id := d.Nested.Get("id")
	nth := d.answers.beginAnswer(r, id)
	if usage := d.Nested.Get("usage"); usage.Kind == scan.KindObject {
		d.deltaUsage(id, nth, usage, false)
	}
}

// streaming returns the ID of the message that a stream_event belongs to.
func (d *deltas) streaming(r *sdkstream.Envelope) scan.Value {
	if id := r.Rest.Get("api_message_id"); len(id.Body()) > 0 {
		return id
	}
	d.Scratch = append(append(append(d.Scratch[:0], '"'), d.messageID...), '"')
	return scan.Value{Kind: scan.KindString, Raw: d.Scratch}
}

func (d *deltas) deltaUsage(id scan.Value, nth int, usage scan.Value, final bool) {
	before := len(d.Out)
	w := d.usage.readUsage(usage)
	if d.usage.callUsage(id, nth, w, final) != nil {
		d.Out[before].Model = d.model
	}
	d.usage.advisorUsage(id, nth, w)
	for i := before; i < len(d.Out); i++ {
		d.Out[i].MessageID, d.Out[i].Answer = d.Strings.Text(id), nth
	}
}

// piece adds a piece to the text of a block.
func (d *deltas) piece(r *sdkstream.Envelope, index int64, thinking bool, v scan.Value) {
	piece := d.Strings.Text(v)
	if piece == "" {
		return
	}
	owner := d.streaming(r)
	nth := d.answers.streamedAnswer(r, owner)
	id := d.sticky(owner)
	at := lines.Place{Owner: id, Index: index, Thinking: thinking}
	if t := d.pending.Find(at); t != nil {
		d.pending.Add(t, piece)
		return
	}
	d.Identified() // only for the first piece: it allocates strings
	head := d.Head
	head.MessageID, head.Answer, head.Model = id, nth, d.model
	d.pending.Piece(at, &head, piece)
}

// complete removes the deltas of a text that arrived whole. A text without a message has none.
func (d *deltas) complete(messageID string, thinking bool, text string) {
	if messageID != "" {
		d.pending.Complete(messageID, thinking, text)
	}
}
