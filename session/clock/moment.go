package clock

// Moment is a point in time and where it comes from.
type Moment struct {
	At     Instant
	Source Source
	// Ahead is set if the time is that of something later: what it stands for happened before it, not after.
	Ahead bool
	// Lived is set if its line was written while the stream was followed: the clock judges what lies before it.
	Lived bool
}

// Known reports whether there is a time.
func (m Moment) Known() bool { return !m.At.IsZero() }

// FromLine reports whether the time is that of a line.
func (m Moment) FromLine() bool { return m.Source == SourceLine || m.Source == SourceBatch }

// Guessed reports whether no line has the time, nor one near it.
func (m Moment) Guessed() bool { return m.Source == SourceArrival || m.Source == SourceFile }

// Later is the later of two moments.
func Later(a, b Moment) Moment {
	if b.At.After(a.At) {
		return b
	}
	return a
}

// correct replaces m by a better time, unless that lies on the side of m where the truth can't be: after a
// later line time, or before an earlier one.
func (m *Moment) correct(better Moment) {
	late := m.Ahead || m.Source == SourceBatch || m.Source == SourceArrival
	if late && !better.At.After(m.At) || !late && !better.At.Before(m.At) {
		*m = better
	}
}

// Restamp gives m a better time if it is guessed.
func (m *Moment) Restamp(better Moment) {
	if m.Guessed() {
		*m = better
	}
}
