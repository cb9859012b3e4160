package lines

import (
	"strings"

	"github.com/tailspan/tailspan/events"
)

// Limits of the texts whose pieces came and whose whole did not yet.
const (
	maxPending      = 256
	maxPendingBytes = 16 << 20
)

// Place is where a text of a stream stands. The owner is what its whole is found by as well: the message, or the thread.
type Place struct {
	Owner    string
	Index    int64
	Thinking bool
}

// Pending holds texts that come piece by piece ahead of the line that has them whole. That line decides the text and its
// place; what never comes whole, because the program was killed, comes out joined at the end of the stream.
type Pending struct {
	// Dropped counts the texts that were evicted because too many were pending.
	Dropped int

	texts []*PendingText
	bytes int
}

// PendingText is a text or a thinking that still streams.
type PendingText struct {
	head   Head
	place  Place
	closed bool
	text   strings.Builder
}

// Close ends the text: a piece for the same place begins another one. A nil text stays nil.
func (t *PendingText) Close() {
	if t != nil {
		t.closed = true
	}
}

// Find gives the last text that streams at a place and is not closed, or nil.
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

// Begin adds a text at a place. It is of many lines, so its head names no item.
func (p *Pending) Begin(at Place, head Head) *PendingText {
	head.ItemID = ""
	t := &PendingText{head: head, place: at}
	p.texts = append(p.texts, t)
	return t
}

// Add appends a piece to a text. Where too much is pending, the oldest texts are dropped.
func (p *Pending) Add(t *PendingText, piece string) {
	t.text.WriteString(piece)
	p.bytes += len(piece)
	for len(p.texts) > maxPending || p.bytes > maxPendingBytes && len(p.texts) > 0 {
		p.remove(0)
		p.Dropped++
	}
}

// Piece adds to the text that streams at a place; one that begins has a head.
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

// Complete releases the pieces of a text that came whole: the pending one that reads the same, else the first of its owner
// and kind, which the program may have changed on the way.
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

// Any reports whether Flush would return something.
func (p *Pending) Any() bool { return len(p.texts) > 0 }

// Flush appends the texts that never came whole, each joined, and clears them.
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
