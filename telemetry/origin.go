package telemetry

import "github.com/tailspan/tailspan/events"

// origin is the position of an event in its stream: its line, and its index there.
type origin struct {
	offset int64
	index  int // among all events of the line
	nth    int // among those of its kind and item
}

// counter numbers the events of a line among those of their kind and item.
type counter struct {
	item  string
	kinds [64]uint8
}

func (c *counter) next(ev *events.DisplayEvent) int {
	if ev.ItemID != c.item {
		*c = counter{item: ev.ItemID}
	}
	k := int(ev.Kind) % len(c.kinds)
	n := c.kinds[k]
	if n < 255 {
		c.kinds[k]++
	}
	return int(n)
}
