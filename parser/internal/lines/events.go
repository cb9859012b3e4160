package lines

import "github.com/tailspan/tailspan/events"

// Sizes of the slices that parsers give their events in.
const (
	// firstEvents is the room of the first one, so that the events of a small line need no second.
	firstEvents = 4
	// keepEvents is the size from which a slice is not kept for the next line.
	keepEvents = 1 << 10
)

// Events empties a slice of events for the next line; one that a line of many events made large is released.
func Events(out []events.DisplayEvent) []events.DisplayEvent {
	if cap(out) > keepEvents {
		return nil
	}
	return out[:0]
}

// Emit adds an event of a kind with a head. The pointer is good until the next one is added.
func Emit(out *[]events.DisplayEvent, head *Head, kind events.Kind) *events.DisplayEvent {
	if *out == nil {
		*out = make([]events.DisplayEvent, 0, firstEvents)
	}
	*out = head.Append(*out, kind)
	return &(*out)[len(*out)-1]
}
