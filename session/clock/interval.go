package clock

import (
	"encoding/json"
	"time"

	"github.com/tailspan/tailspan/events"
)

// Interval is the time that a span covers. It grows over what happens inside it.
type Interval struct {
	Start, End Moment
}

// intervalState is an interval as JSON, in Unix nanoseconds. Where its ends come from is not kept.
type intervalState struct {
	Start Instant `json:"start"`
	End   Instant `json:"end"`
}

// IsZero reports whether the interval has no time.
func (i Interval) IsZero() bool { return !i.Start.Known() }

// MarshalJSON writes the times of both ends.
func (i Interval) MarshalJSON() ([]byte, error) {
	return json.Marshal(intervalState{i.Start.At, i.End.At})
}

// UnmarshalJSON reads the times of both ends, as those of carried lines.
func (i *Interval) UnmarshalJSON(data []byte) error {
	var s intervalState
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	*i = Interval{Moment{At: s.Start, Source: SourceCarried}, Moment{At: s.End, Source: SourceCarried}}
	return nil
}

// Cover stretches the interval over m. Every event comes by here several times, for all that it lies in, so what is large
// is not handed around.
func (i *Interval) Cover(m *Moment) {
	if !m.Known() {
		return
	}
	if !i.Start.Known() || m.At.Before(i.Start.At) {
		i.Start = *m
	}
	if !i.End.Known() || m.At.After(i.End.At) {
		i.End = *m
	}
}

// CoverAll stretches the interval over another.
func (i *Interval) CoverAll(o *Interval) {
	i.Cover(&o.Start)
	i.Cover(&o.End)
}

// holds reports whether o lies inside i.
func (i *Interval) Contains(o Interval) bool {
	return !o.Start.At.Before(i.Start.At) && !o.End.At.After(i.End.At)
}

// Clamp moves an end that lies before its start to the start and reports whether it had to.
func (i *Interval) Clamp() bool {
	if i.End.At.Before(i.Start.At) {
		i.End.At = i.Start.At
		return true
	}
	return false
}

// ClampInto moves what lies outside of outer to its borders and reports whether anything did.
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

// maxSlack is how much longer the lines may show a call than the provider measured it, without that being a wait.
const maxSlack = 500 * time.Millisecond

// Lasts gives the interval the length that the provider measured, where the lines have only one of its ends, or none.
// The better known end stays. Both ends as they arrived were measured by us, and stay too.
//
// It returns how long it waited, for approval or for its turn, where the lines have both ends and show a longer time.
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

// Restamp gives both ends a better time where they are guessed.
func (i *Interval) Restamp(m Moment) {
	i.Start.Restamp(m)
	i.End.Restamp(m)
}

// SetBack moves an interval that begins after at to it.
func (i *Interval) SetBack(at Moment) {
	if i.Start.At.After(at.At) {
		*i = Interval{Start: at, End: at}
	}
}

// Times are both ends in Unix nanoseconds, and the worse source of them.
func (i *Interval) Times() (start, end int64, source string) {
	return int64(i.Start.At), int64(i.End.At), Worst(i.Start.Source, i.End.Source).String()
}
