package clock

import "time"

// Moment is a point in time and its source.
type Moment struct {
	At     Instant
	Source Source
	// Ahead is true if the time is that of something later, so the event happened before it.
	Ahead bool
	// Lived is true if the line was written while the stream was followed: then the system clock detects gaps before it.
	Lived bool
	// Clamped is true if the agent's clock was set back before: then the time is by the clock with which the run began.
	Clamped bool
}

// Known reports whether there is a time.
func (m Moment) Known() bool { return !m.At.IsZero() }

// FromLine reports whether the time is that of a line.
func (m Moment) FromLine() bool { return m.Source == SourceLine || m.Source == SourceBatch }

// read reports whether the time is one that a clock showed: that of the agent, or ours when a line arrived.
func (m Moment) read() bool { return m.FromLine() || m.Source == SourceArrival }

// follows reports whether m can show that a clock was set back since an earlier moment: an arrival says nothing about
// the times of lines that a recorded stream has.
func (m Moment) follows(earlier *Moment) bool {
	return !earlier.Guessed() || m.Source == earlier.Source
}

// Guessed reports whether neither the line nor one near it has the time.
func (m Moment) Guessed() bool { return m.Source == SourceArrival || m.Source == SourceFile }

// setBack returns the time by the clock before it was set back.
func (m Moment) setBack(by time.Duration) Moment {
	m.At, m.Clamped = m.At.Add(by), true
	return m
}

// Later returns the later of two moments.
func Later(a, b Moment) Moment {
	if b.At.After(a.At) {
		return b
	}
	return a
}

// correct replaces m by a better time unless that is impossible: after the time of something later, or before the time
// of something earlier.
func (m *Moment) correct(better Moment) {
	late := m.Ahead || m.Source == SourceBatch || m.Source == SourceArrival
	if late && !better.At.After(m.At) || !late && !better.At.Before(m.At) {
		*m = better
	}
}

// Restamp replaces m by a better time if m is guessed.
func (m *Moment) Restamp(better Moment) {
	if m.Guessed() {
		*m = better
	}
}
