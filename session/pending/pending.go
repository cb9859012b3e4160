package pending

import (
	"slices"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/outcome"
)

// Event is an event that waits for its run's key or for a time.
type Event struct {
	Event    events.DisplayEvent
	At       clock.Moment
	Origin   Origin
	Delivery Delivery
	// bytes is the event's approximate size. upTo is the sum of the sizes from the first pending event on, this one included.
	bytes int
	upTo  int64
}

// Delivery is whether an event was read before a restart, and whether it was exported then.
type Delivery uint8

const (
	New   Delivery = iota // its line is new
	Again                 // its line is replayed, and it was still pending before the restart
	Done                  // its line is replayed, and it was exported
)

// Limits bound the pending events of a stream: their number and their size.
type Limits struct{ Events, Bytes int }

// Events are the pending events of a stream, oldest first. Each one has a running total of sizes, so the size of
// any range is a difference.
type Events []Event

// firstEvents is how many events most streams have before their run has a key. Events are large, so growing in steps copies much.
const firstEvents = 4

// Add appends an event. It copies what is captured of its tool's input and output.
func (p *Events) Add(ev *events.DisplayEvent, at clock.Moment, o Origin, d Delivery, capture *otlp.CaptureSettings) {
	h := Event{Event: *ev, At: at, Origin: o, Delivery: d}
	h.Event.Tool.Input, h.Event.Tool.Output = nil, nil
	if capture.Inputs() {
		h.Event.Tool.Input = slices.Clone(ev.Tool.Input)
	}
	if capture.Outputs() {
		h.Event.Tool.Output = slices.Clone(ev.Tool.Output)
	}
	h.bytes = content.Size(&h.Event)
	h.upTo = int64(h.bytes)
	if n := len(*p); n > 0 {
		h.upTo += (*p)[n-1].upTo
	}
	*p = append(slices.Grow(*p, max(0, firstEvents-len(*p))), h)
}

// bytesFrom returns the approximate size of the events from index first on.
func (p Events) bytesFrom(first int) int64 {
	return p[len(p)-1].upTo - p[first].upTo + int64(p[first].bytes)
}

// Exceed reports whether the pending events exceed the limits.
func (p Events) Exceed(limits Limits) bool {
	return len(p) > 0 && (len(p) > limits.Events || p.bytesFrom(0) > int64(limits.Bytes))
}

// LeaveRoom reports whether the events from index done on leave a quarter of the limits free.
func (p Events) LeaveRoom(limits Limits, done int) bool {
	return len(p)-done <= limits.Events*3/4 && p.bytesFrom(done) <= int64(limits.Bytes)*3/4
}

// Date sets the time of events that wait for one. A line's time also replaces a guessed one: the first lines, which
// lack a time, were written before it.
func (p Events) Date(m clock.Moment) {
	for i := range p {
		if h := &p[i]; !h.At.Known() || h.At.Guessed() && m.Source == clock.SourceCarried {
			h.At = m
		}
	}
}

// IsUnasked reports whether the events are a transcript in which nobody asked for anything.
func (p Events) IsUnasked() bool {
	return len(p) > 0 && p[0].Event.Model == "" && p.unasked() == len(p)
}

// unasked returns the number of events at the beginning of p that are no work: the header and notices of the program.
func (p Events) unasked() (n int) {
	for i := range p {
		switch ev := &p[i].Event; {
		case content.IsHeader(ev) && content.StartsSession(ev):
		case i == 0 || !content.IsAside(ev):
			return i
		}
	}
	return len(p)
}

// Asked returns the event since which the model is to answer: a prompt, or the start of a stream on standard output, which may contain
// no prompt. It returns nil if there is none or if what follows shows that no answer comes.
func (p Events) Asked() (asked *Event) {
	var signs outcome.Signs
	for i := range p {
		ev := &p[i].Event
		if content.Asks(ev) && (asked == nil || signs.ShowEnd()) {
			asked = &p[i]
		}
		signs.Note(ev)
	}
	if signs.ShowEnd() {
		return nil
	}
	return asked
}

// Undated reports whether an event waits for a time.
func (p Events) Undated() bool {
	return slices.ContainsFunc(p, func(h Event) bool { return !h.At.Known() })
}
