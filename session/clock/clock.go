package clock

import (
	"slices"
	"time"
)

// playbackLag is the largest plausible distance between the first line time and its arrival: clocks differ and lines are buffered.
const playbackLag = time.Minute

// Line is what a clock needs to know of a line.
type Line struct {
	Offset  int64
	Arrival Instant
	Live    bool // written while the stream was followed; its arrival counts as a time
	Replay  bool // applied before a restart
}

// Clock determines the time of each event: that of its line, else of the nearest line that has one, else of the line's
// arrival or of the file.
//
// A recorded stream can be played back line by line. It is then read live, but its lines carry times of long ago, and
// the arrival of a line is not the time of its event. The first line time reveals this. Everything stamped before it
// with an arrival or with the file's time then takes that line time, the nearest later one.
type Clock struct {
	file     Instant // modification time of the file; zero if unknown
	line     Line
	newest   Moment // newest line time; unknown before the first
	guess    Moment // latest time that was used because no line had one
	applied  Moment // newest line time among the applied events
	playback bool
	lived    bool   // the current line was written while the stream was followed, possibly before a restart
	marks    *marks // nil if none are needed
}

// Change is the effect of a new time on earlier events.
type Change struct {
	// Pending is the time for pending events that have none, or unknown. A line's time also replaces guessed times.
	Pending Moment
	// Open is true if open items with a guessed time take that time too, because the stream is played back.
	Open bool
}

// New returns a Clock for a file with that modification time.
func New(file Instant) Clock { return Clock{file: file} }

// Restore restores the marks of a state and the file time of that state.
func (c *Clock) Restore(file Instant, arrivals []Arrival, lived []Range) {
	if len(arrivals)+len(lived) > 0 {
		c.marks = &marks{slices.Clone(arrivals), slices.Clone(lived)}
	}
	if file.plausible() {
		c.file = file
	}
}

// State returns the arguments of Restore.
func (c *Clock) State() (file Instant, arrivals []Arrival, lived []Range) {
	if c.marks == nil {
		return c.file, nil, nil
	}
	if !c.Timed() { // otherwise no line needs them
		arrivals = slices.Clone(c.marks.arrivals)
	}
	return c.file, arrivals, slices.Clone(c.marks.lived)
}

// Begin starts a line. A replayed line arrived when it was first read.
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

// Timed reports whether any line had a time.
func (c *Clock) Timed() bool { return c.newest.Known() }

// LastLine returns the time of the last line that has one, or unknown.
func (c *Clock) LastLine() Moment { return c.newest }

// Of returns the time of an event of the current line. t is the event's own time. The result is unknown if no line so far has a time.
func (c *Clock) Of(t time.Time) (Moment, Change) {
	switch {
	case Plausible(t):
		at := InstantOf(t)
		var before Change
		if !c.Timed() { // otherwise everything pending has such a time
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

// showsPlayback reports whether the first line time proves a playback. A live line proves it by the distance between
// its time and its arrival, any other line by a time before those used for earlier lines.
func (c *Clock) showsPlayback(first Instant) bool {
	if c.line.Live {
		return first.Sub(c.line.Arrival).Abs() > playbackLag
	}
	return c.guess.Known() && first.Before(c.guess.At.Add(-playbackLag))
}

// guessed records a time that was used because no line has one.
func (c *Clock) guessed(m Moment) Moment {
	c.guess = Later(c.guess, m)
	return m
}

// FileTime returns the time of the file, or unknown. Every line was written before it.
func (c *Clock) FileTime() Moment {
	if c.file.IsZero() {
		return Moment{}
	}
	return Moment{At: c.file, Source: SourceFile, Ahead: true}
}

// GuessFile returns the time of the file for events without a line time.
func (c *Clock) GuessFile() Moment { return c.guessed(c.FileTime()) }

// Fallback returns the time for events that cannot wait any longer.
func (c *Clock) Fallback(now func() time.Time) Moment {
	if m := c.FileTime(); m.Known() {
		return c.guessed(m)
	}
	return Moment{At: InstantOf(now()), Source: SourceArrival}
}

// End returns the end of a run whose process ended at the moment at by the system clock. A playback ends with its last
// line time.
func (c *Clock) End(at Moment) Moment {
	if c.playback {
		return c.newest
	}
	return at
}

// GapBefore reports whether at is so long after the last applied line time that the stream counts as abandoned in between.
func (c *Clock) GapBefore(at Moment, bound time.Duration) bool {
	return bound > 0 && at.FromLine() && !at.Lived && c.applied.Known() && at.At.Sub(c.applied.At) >= bound
}

// Passed records the time of an applied event.
func (c *Clock) Passed(at Moment) {
	if at.FromLine() {
		c.applied = Later(c.applied, at)
	}
}

// NewRun records that a run begins: the clock may have been set back since the run before.
func (c *Clock) NewRun() { c.applied = Moment{} }

// Jump records a detected gap that ends at the moment at.
func (c *Clock) Jump(at Moment) { c.applied = at }

// Reached returns the newest applied line time; unknown before the first.
func (c *Clock) Reached() Moment { return c.applied }
