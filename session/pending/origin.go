package pending

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/clock"
)

// Origin is the position of an event in its stream: its line, and its index there.
type Origin struct {
	Offset int64
	Index  int // among all events of the line
	Nth    int // among those of its kind and item
}

// Numbers numbers the events of a line among those of their kind and item.
type Numbers struct {
	item  string
	kinds [64]uint8
}

func (c *Numbers) Next(ev *events.DisplayEvent) int {
	if ev.ItemID != c.item {
		*c = Numbers{item: ev.ItemID}
	}
	k := int(ev.Kind) % len(c.kinds)
	n := c.kinds[k]
	if n < 255 {
		c.kinds[k]++
	}
	return int(n)
}

// Sighting is an event with its time and its position in the stream.
type Sighting struct {
	Event *events.DisplayEvent
	At    clock.Moment
	From  Origin
	// Number is the record's sequence number if it was assigned before, else 0.
	Number int64
}
