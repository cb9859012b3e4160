package report

import (
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// attributes reads the attributes of a span or a resource. Missing attributes have the zero value.
type attributes struct{ m pcommon.Map }

// line returns an attribute as one line that is safe to show.
func (a attributes) line(key string) string {
	v, ok := a.m.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return ""
	}
	return oneLine(v.Str())
}

func (a attributes) flag(key string) bool {
	v, ok := a.m.Get(key)
	return ok && v.Type() == pcommon.ValueTypeBool && v.Bool()
}

// number returns an integer in decimal, or "" if it is missing.
func (a attributes) number(key string) string {
	v, ok := a.m.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeInt {
		return ""
	}
	return strconv.FormatInt(v.Int(), 10)
}

func (a attributes) lines(key string) (list []string) {
	v, ok := a.m.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return nil
	}
	for _, one := range v.Slice().All() {
		list = append(list, oneLine(one.AsString()))
	}
	return list
}

// lineRunes bounds a name, a target and an error text, in runes.
const lineRunes = 1024

// oneLine converts a text to one line that is safe to show.
func oneLine(s string) string { return events.CleanLine(render.Sanitize(s), lineRunes) }
