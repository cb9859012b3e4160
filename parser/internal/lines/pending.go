package lines

import (
	"strings"

	"github.com/tailspan/tailspan/events"
)

// Limits of the texts whose pieces arrived before the whole text.
const (
	maxPending      = 256
	maxPendingBytes = 16 << 20
)

// Place identifies a text of a stream. Its owner, which the whole text shares, is the message or the thread.
type Place struct {
	Owner    string
	Index    int64
	Thinking bool
}

// Pending collects texts that arrive in pieces before the line that has them whole. That line determines the text and its
// place. A text that never arrives whole, because the program was killed, is emitted joined at the end of the stream.
type Pending struct {
	// Dropped counts the texts that were evicted because too many were pending.
	Dropped int

	texts []*PendingText
	bytes int
}

// PendingText is a text or reasoning that is still streaming.
type PendingText struct {
	head   Head
	place  Place
	closed bool
	text   strings.Builder
}

// Close ends the text: the next piece for the same place begins a new one. It does nothing for a nil text.
func (t *PendingText) Close() {
	if t != nil {
		t.closed = true
	}
}

// Find returns the last open text at a place, or nil.
func (p *Pending) Find(at Place) *PendingText {
	for i := len(p.texts) - 1; i >= 0; i-- {
		if t := p.texts[i]; t.place == at {
			if t.closed {
				return nil
			}
			return t
		}
	}
	return nil
}

// Begin adds a text at a place. Its head has no item ID because the text spans several lines.
func (p *Pending) Begin(at Place, head Head) *PendingText {
	head.ItemID = ""
	t := &PendingText{head: head, place: at}
	p.texts = append(p.texts, t)
	return t
}

// Add appends a piece to a text. If too much is pending, it drops the oldest texts.
func (p *Pending) Add(t *PendingText, piece string) {
	t.text.WriteString(piece)
	p.bytes += len(piece)
	for len(p.texts) > maxPending || p.bytes > maxPendingBytes && len(p.texts) > 0 {
		p.remove(0)
		p.Dropped++
	}
}

// Piece adds a piece to the text at a place. It uses head if it begins a new text.
func (p *Pending) Piece(at Place, head *Head, piece string) {
	t := p.Find(at)
	if t == nil {
		t = p.Begin(at, *head)
	}
	p.Add(t, piece)
}

func (p *Pending) remove(i int) {
	p.bytes -= p.texts[i].text.Len()
	p.texts = append(p.texts[:i], p.texts[i+1:]...)
}

// Complete removes the pieces of a text that arrived whole: the pending text that is equal, otherwise the first one of its
// owner and kind, since the program may have changed the text.
func (p *Pending) Complete(owner string, thinking bool, text string) {
	first := -1
	for i, t := range p.texts {
		if t.place.Owner != owner || t.place.Thinking != thinking {
			continue
		}
		if t.text.String() == text {
			p.remove(i)
			return
		}
		if first < 0 {
			first = i
		}
	}
	if first >= 0 {
		p.remove(first)
	}
}

// Any reports whether Flush would return events.
func (p *Pending) Any() bool { return len(p.texts) > 0 }

// Flush appends the texts that never arrived whole, each joined, and clears them.
func (p *Pending) Flush(out []events.DisplayEvent) []events.DisplayEvent {
	for _, t := range p.texts {
		text := t.text.String()
		if Blank(text) {
			continue
		}
		kind := events.KindText
		if t.place.Thinking {
			kind = events.KindReasoning
		}
		out = t.head.Append(out, kind)
		out[len(out)-1].Text = text
	}
	p.texts, p.bytes = nil, 0
	return out
}
