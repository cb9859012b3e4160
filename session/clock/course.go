package clock

import "time"

// step is the smallest backward step that proves a change of the clock: lines are written slightly out of order.
const step = time.Minute

// SetBack is a change of an agent's clock during a run. Its zero value is none.
type SetBack struct {
	By     time.Duration `json:"by_ns"` // since the start of the run
	Last   Instant       `json:"last"`  // last time before the change
	Before *SetBack      `json:"before,omitempty"`
}

// maxSetBacks bounds the changes of a clock that are remembered.
const maxSetBacks = 8

// newest returns the latest n changes.
func (b *SetBack) newest(n int) *SetBack {
	if b == nil || b.By == 0 || n == 0 {
		return nil
	}
	return &SetBack{b.By, b.Last, b.Before.newest(n - 1)}
}

// of returns the change after which at was written: the earliest one that places it between that change and the next.
func (b *SetBack) of(at Instant) *SetBack {
	found, next := b, Instant(0)
	for one := b; one != nil; next, one = one.Last, one.Before {
		if placed := at.Add(one.By); !placed.Before(one.Last) && (next.IsZero() || !placed.After(next)) {
			found = one
		}
	}
	return found
}

// Course is the course of time in a run by the agent's clock, which can be set back during the run. The times after
// that keep their distances, and follow those before it.
type Course struct {
	first, newest Instant
	back          SetBack
}

// Begin records the start of the run or, for a sub-agent in another stream, that of its run; zero if unknown.
func (c *Course) Begin(at Instant) { c.first = at }

// Begun returns the start of the run.
func (c *Course) Begun() Instant { return c.first }

// Back returns how the clock was set back during the run.
func (c *Course) Back() SetBack { return c.back }

// Pass records the time of an event of the run.
func (c *Course) Pass(at Moment) {
	if at.read() {
		c.newest = max(c.newest, at.At)
	}
}

// Straight reports whether [Course.Fit] returns at for any floor.
func (c *Course) Straight(at Moment) bool {
	return c.back.By == 0 && (!at.read() || max(c.first, c.newest).Sub(at.At) < step)
}

// Floor is what is known of the time of an event apart from its line.
type Floor struct {
	// After is a time that the event cannot precede. If it is unknown, that is the start of the run.
	After Moment
	// Ends is when the event happened if it ends what began then and reports how long that lasted; zero if it does not.
	Ends Instant
	// Run is how the clock was set back in the stream of the run if the event is in that of a sub-agent. It counts if
	// the sub-agent began after that; before, its own stream shows how it was set back.
	Run SetBack
}

// Fit returns the time of an event by the clock with which its run began. If its line precedes the floor, the clock was
// set back, and the event takes the newest time of the run, or a later one by its floor.
func (c *Course) Fit(at Moment, floor Floor) Moment {
	if !floor.After.Known() {
		floor.After = Moment{At: c.first}
	}
	fit, newest := c.Place(at, floor.After), max(c.first, c.newest)
	if c.back.By != 0 && fit.At.Sub(at.At) < c.back.By && fit.At.After(c.back.Last) {
		c.back.By += fit.At.Sub(c.back.Last)
		c.back.Last = fit.At
	}
	if at.read() && at.follows(&floor.After) && floor.After.At.Sub(fit.At) >= step && newest.Sub(fit.At) >= step {
		fit.At, fit.Clamped = max(newest, floor.Ends), true
		if run := floor.Run.of(at.At); run.By != 0 && c.newest.IsZero() {
			fit.At, newest = max(fit.At, at.At.Add(run.By), run.Last), max(newest, run.Last)
		}
		c.back = SetBack{fit.At.Sub(at.At), newest, c.back.newest(maxSetBacks)}
	}
	c.Pass(fit)
	return fit
}

// Place is Fit for an event that is not applied yet. A time from before a change may follow those from after it: some
// formats list an item that lasted long before items that began earlier than its end.
func (c *Course) Place(at, after Moment) Moment {
	if c.back.By == 0 || !at.Known() {
		return at
	}
	fit := at.setBack(c.back.By)
	for one := c.back.Before; ; one = one.Before {
		earlier := at
		if one != nil {
			earlier = at.setBack(one.By)
		}
		if after.At.Sub(earlier.At) < step && earlier.At.Sub(c.newest).Abs() <= fit.At.Sub(c.newest).Abs() {
			fit = earlier
		}
		if one == nil {
			return fit
		}
	}
}
