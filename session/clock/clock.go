package clock

import (
	"slices"
	"time"
)

// playbackLag is how far the first line time of a stream may lie from its arrival: clocks differ, and lines are buffered.
const playbackLag = time.Minute

// Line is what a clock has to know of a line.
type Line struct {
	Offset  int64
	Arrival Instant
	Live    bool // written while the stream was followed; its arrival counts as a time
	Replay  bool // applied before a restart
}

// Clock gives the events of one stream their times: that of the line; else of the nearest line that has one; else of the line's
// arrival, or of the file.
//
// A recorded stream may be played back line by line, and is read live then: its lines come now, with times of long ago. The
// arrival of a line is not the time of its event. That shows with the first line time: what was stamped until then with its
// arrival, or with the file's time, takes that line time, the nearest later one.
type Clock struct {
	file     Instant // modification time of the file; zero if it is not known
	line     Line
	newest   Moment // newest line time; unknown before the first
	guess    Moment // the latest time that was used because no line had one
	applied  Moment // newest line time of what was applied
	playback bool
	lived    bool   // the line at work was written while the stream was followed, maybe before a restart
	marks    *marks // nil: none are needed
}

// Change is what a new time changes for events before it.
type Change struct {
	// Pending is the time of the pending events that have none; unknown if there is none for them. That of a line also replaces
	// guessed times.
	Pending Moment
	// Open is set if what is open and has a guessed time takes that time too, since the stream is played back.
	Open bool
}

// New makes a clock, with the marks of an earlier state.
func New(file Instant) Clock { return Clock{file: file} }

// Restore restores the marks of a state, and the time that the file had then.
func (c *Clock) Restore(file Instant, arrivals []Arrival, lived []Range) {
	if len(arrivals)+len(lived) > 0 {
		c.marks = &marks{slices.Clone(arrivals), slices.Clone(lived)}
	}
	if file.plausible() {
		c.file = file
	}
}

// State returns what restore needs.
func (c *Clock) State() (file Instant, arrivals []Arrival, lived []Range) {
	if c.marks == nil {
		return c.file, nil, nil
	}
	if !c.Timed() { // else no line needs them
		arrivals = slices.Clone(c.marks.arrivals)
	}
	return c.file, arrivals, slices.Clone(c.marks.lived)
}

// Begin begins a line. A replayed line arrived when it was read first.
func (c *Clock) Begin(line Line) {
	before := c.lived
	c.line, c.lived = line, line.Live
	switch {
	case line.Replay:
		c.lived = c.marks.wasLived(line.Offset)
		if at, ok := c.marks.arrived(line.Offset); ok {
			c.line.Live, c.line.Arrival = true, at
		}
	case line.Live:
		if c.marks == nil {
			c.marks = new(marks)
		}
		c.marks.markLived(line.Offset, before)
		if !c.Timed() {
			c.marks.markArrival(line.Offset, line.Arrival)
		}
	}
}

// Timed reports whether some line had a time.
func (c *Clock) Timed() bool { return c.newest.Known() }

// Of is the time of an event of the line at work whose own time is t; unknown if no line so far has one.
func (c *Clock) Of(t time.Time) (Moment, Change) {
	switch {
	case Plausible(t):
		at := InstantOf(t)
		var before Change
		if !c.Timed() { // else all that is pending has such a time
			before = Change{Pending: Moment{At: at, Source: SourceCarried, Ahead: true}, Open: c.showsPlayback(at)}
			c.playback = c.playback || before.Open
		}
		c.newest = Moment{At: at, Source: SourceCarried}
		return Moment{At: at, Source: SourceLine, Lived: c.lived}, before
	case c.Timed():
		return c.newest, Change{}
	case c.line.Live:
		arrival := c.guessed(Moment{At: c.line.Arrival, Source: SourceArrival})
		return arrival, Change{Pending: arrival}
	default:
		return Moment{}, Change{}
	}
}

// showsPlayback reports whether the first line time proves that the stream is played back: it lies away from the line's
// arrival. A line that is not live proves it by a time earlier than those that were used for lines before it.
func (c *Clock) showsPlayback(first Instant) bool {
	if c.line.Live {
		return first.Sub(c.line.Arrival).Abs() > playbackLag
	}
	return c.guess.Known() && first.Before(c.guess.At.Add(-playbackLag))
}

// guessed notes a time that was used because no line has one.
func (c *Clock) guessed(m Moment) Moment {
	c.guess = Later(c.guess, m)
	return m
}

// FileTime is the time of the file; unknown if it has none. Whatever was written was written before it.
func (c *Clock) FileTime() Moment {
	if c.file.IsZero() {
		return Moment{}
	}
	return Moment{At: c.file, Source: SourceFile, Ahead: true}
}

// GuessFile is the time of the file for events that no line gives a time.
func (c *Clock) GuessFile() Moment { return c.guessed(c.FileTime()) }

// Fallback is for events that can wait no longer.
func (c *Clock) Fallback(now func() time.Time) Moment {
	if m := c.FileTime(); m.Known() {
		return c.guessed(m)
	}
	return Moment{At: InstantOf(now()), Source: SourceArrival}
}

// End is when the run ends whose process ended at the moment at, by the clock. What is played back ended with the last line
// time.
func (c *Clock) End(at Moment) Moment {
	if c.playback {
		return c.newest
	}
	return at
}

// GapBefore reports whether at lies so far behind the last line time that was applied that the stream counts as left.
func (c *Clock) GapBefore(at Moment, bound time.Duration) bool {
	return bound > 0 && at.FromLine() && !at.Lived && c.applied.Known() && at.At.Sub(c.applied.At) >= bound
}

// Passed notes the time of an event that is applied.
func (c *Clock) Passed(at Moment) {
	if at.FromLine() {
		c.applied = Later(c.applied, at)
	}
}

// Jump notes a gap that was seen, up to the moment at.
func (c *Clock) Jump(at Moment) { c.applied = at }

// Reached is the newest line time that was applied; unknown before the first.
func (c *Clock) Reached() Moment { return c.applied }

// clockStep is how far a line's time may lie before that of an earlier line: lines are written out of order, by little.
const clockStep = time.Minute

// SteppedBack reports whether the moment at shows that the agent's clock was set back.
func (c *Clock) SteppedBack(at Moment) bool {
	return at.Source == SourceLine && c.applied.Known() && c.applied.At.Sub(at.At) >= clockStep
}
