package clock

// Source is where a time comes from. The zero value is that of no time.
type Source uint8

// The sources, best first.
const (
	SourceLine     Source = iota + 1 // of the line itself
	SourceBatch                      // of the line, but one time for several results: when the last was there
	SourceDuration                   // the other end, and the duration that the provider reports
	SourceCarried                    // the nearest line that has one
	SourceArrival                    // when it was read, live
	SourceFile                       // the file's modification time
	sourceEnd
)

var sourceNames = [sourceEnd]string{
	SourceBatch: "batch", SourceDuration: "duration", SourceCarried: "carried", SourceArrival: "arrival", SourceFile: "file",
}

// String gives the wire spelling: none for the time of the line itself, as nearly all times are.
func (s Source) String() string {
	if s < sourceEnd {
		return sourceNames[s]
	}
	return ""
}

// DurationFrom is the source of a time that is a duration away from m: no better than m itself.
func DurationFrom(m Moment) Source { return Worst(SourceDuration, m.Source) }

// Rank orders the sources, the surest first. No time is as good as that of the file.
func (s Source) Rank() Source {
	if s == 0 {
		return SourceFile
	}
	return s
}

// Worst is the less certain of two sources: a span is as good as its worse end.
func Worst(a, b Source) Source {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}
