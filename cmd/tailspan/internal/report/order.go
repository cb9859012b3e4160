package report

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/otlp"
)

// place is the position of a record in its stream; the zero value for an item without a record.
type place struct {
	stream   string
	sequence int64
}

func placeOf(stream string, lr plog.LogRecord) place {
	if v, ok := lr.Attributes().Get(otlp.AttrSequence); ok && v.Type() == pcommon.ValueTypeInt {
		return place{stream, v.Int()}
	}
	return place{}
}

// inOrder sorts the items of an agent by their position in the stream, since the time of a text may be that of its end although
// it precedes the calls that it announces. Items of several streams, and items without records, are sorted by time.
func inOrder(items []*Item) []*Item {
	byTime := func(x, y *Item) int { return x.At.Compare(y.At) }
	var placed, others []*Item
	for _, item := range items {
		if item.place == (place{}) {
			others = append(others, item)
		} else {
			placed = append(placed, item)
		}
	}
	if slices.ContainsFunc(placed, func(item *Item) bool { return item.place.stream != placed[0].place.stream }) {
		slices.SortStableFunc(items, byTime)
		return items
	}
	slices.SortStableFunc(placed, func(x, y *Item) int { return cmp.Compare(x.place.sequence, y.place.sequence) })
	slices.SortStableFunc(others, byTime)
	ordered := make([]*Item, 0, len(items))
	for _, item := range placed {
		for len(others) > 0 && others[0].At.Before(item.At) {
			ordered, others = append(ordered, others[0]), others[1:]
		}
		ordered = append(ordered, item)
	}
	return append(ordered, others...)
}
