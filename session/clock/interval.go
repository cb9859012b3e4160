package clock

import (
	"encoding/json"
	"time"

	"github.com/tailspan/tailspan/events"
)

// Interval is the time of a span. It grows to cover everything inside the span.
type Interval struct {
	Start, End Moment
}

// intervalState is an Interval as JSON, in Unix nanoseconds, without sources.
type intervalState struct {
	Start Instant `json:"start"`
	End   Instant `json:"end"`
	Cut   bool    `json:"cut,omitempty"`
}

// IsZero reports whether the interval has no time.
func (i Interval) IsZero() bool { return !i.Start.Known() }

// MarshalJSON encodes the times of both ends.
func (i Interval) MarshalJSON() ([]byte, error) {
	return json.Marshal(intervalState{i.Start.At, i.End.At, i.Cut()})
}

// UnmarshalJSON decodes the times of both ends, with SourceCarried.
func (i *Interval) UnmarshalJSON(data []byte) error {
	var s intervalState
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	*i = Interval{Moment{At: s.Start, Source: SourceCarried}, Moment{At: s.End, Source: SourceCarried, Clamped: s.Cut}}
	return nil
}

// Cover extends the interval to m. A clamped m may be after an end of the same time, and replaces it. Cover runs several
// times for each event, once for each enclosing item, so it takes a pointer to the large value.
func (i *Interval) Cover(m *Moment) {
	if !m.Known() {
		return
	}
	if !i.Start.Known() || m.At.Before(i.Start.At) {
		i.Start = *m
	}
	if !i.End.Known() || m.At.After(i.End.At) || m.Clamped && m.At == i.End.At {
		i.End = *m
	}
}

// CoverAll extends the interval to another.
func (i *Interval) CoverAll(o *Interval) {
	i.Cover(&o.Start)
	i.Cover(&o.End)
}

// Contains reports whether o is inside i.
func (i *Interval) Contains(o Interval) bool {
	return !o.Start.At.Before(i.Start.At) && !o.End.At.After(i.End.At)
}

// Clamp moves an end before the start to the start and reports whether it did.
func (i *Interval) Clamp() bool {
	if i.End.At.Before(i.Start.At) {
		i.End.At = i.Start.At
		return true
	}
	return false
}

// ClampInto moves ends outside of outer to its bounds and reports whether it moved any.
func (i *Interval) ClampInto(outer Interval) bool {
	moved := false
	for _, m := range []*Moment{&i.Start, &i.End} {
		switch {
		case m.At.Before(outer.Start.At):
			m.At, moved = outer.Start.At, true
		case m.At.After(outer.End.At):
			m.At, moved = outer.End.At, true
		}
	}
	return moved
}

// maxSlack is the largest difference between the lines' duration of a call and the provider's that does not count as waiting.
const maxSlack = 500 * time.Millisecond

// Lasts applies the duration measured by the provider if the lines lack one end or both. It keeps the better known end. It
// changes nothing if both ends are arrivals, because these were measured here.
//
// If the lines have both ends and show a longer time, it returns the time the call waited, for approval or for its turn.
func (i *Interval) Lasts(d time.Duration) (waited time.Duration) {
	start, end := i.Start.Source.Rank(), i.End.Source.Rank()
	switch {
	case d <= 0 || !events.PlausibleDuration(d) || !i.Start.Known() || !i.End.Known():
	case start == end && i.End.Source == SourceLine:
		if waited = i.End.At.Sub(i.Start.At) - d; waited <= maxSlack {
			return 0
		}
		i.Start.At = i.End.At.Add(-d)
	case start == end && i.End.Source == SourceArrival:
	case start < end, start == end && !i.End.Ahead:
		i.End.correct(Moment{At: i.Start.At.Add(d), Source: DurationFrom(i.Start)})
	default:
		i.Start.correct(Moment{At: i.End.At.Add(-d), Source: DurationFrom(i.End)})
	}
	return waited
}

// Restamp replaces guessed ends by a better time.
func (i *Interval) Restamp(m Moment) {
	i.Start.Restamp(m)
	i.End.Restamp(m)
}

// Cut reports whether the clock was set back during the interval: the true end is at or after its end.
func (i *Interval) Cut() bool { return i.End.Clamped && !i.Start.Clamped }

// Clamped reports whether an end is not by the clock of its line.
func (i *Interval) Clamped() bool { return i.Start.Clamped || i.End.Clamped }

// Times returns both ends in Unix nanoseconds and the worse of their sources.
func (i *Interval) Times() (start, end int64, source string) {
	return int64(i.Start.At), int64(i.End.At), Worst(i.Start.Source, i.End.Source).String()
}
