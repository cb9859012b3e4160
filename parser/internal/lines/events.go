package lines

import "github.com/tailspan/tailspan/events"

// Capacities of the slices in which parsers return their events.
const (
	// firstEvents is the initial capacity, enough for the events of a small line.
	firstEvents = 4
	// keepEvents is the capacity above which a slice is not reused for the next line.
	keepEvents = 1 << 10
)

// Events empties a slice of events for the next line. It releases a slice that a line of many events made large.
func Events(out []events.DisplayEvent) []events.DisplayEvent {
	if cap(out) > keepEvents {
		return nil
	}
	return out[:0]
}

// Emit adds an event of the given kind with the fields of head. The pointer is valid until the next event is added.
func Emit(out *[]events.DisplayEvent, head *Head, kind events.Kind) *events.DisplayEvent {
	if *out == nil {
		*out = make([]events.DisplayEvent, 0, firstEvents)
	}
	*out = head.Append(*out, kind)
	return &(*out)[len(*out)-1]
}
