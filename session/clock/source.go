package clock

// Source is the origin of a time. The zero value is that of no time.
type Source uint8

// The sources, best first.
const (
	SourceLine     Source = iota + 1 // the line itself
	SourceBatch                      // the line, with one time for several results: when the last was ready
	SourceDuration                   // the other end and the duration reported by the provider
	SourceCarried                    // the nearest line that has a time
	SourceArrival                    // when the line was read, live
	SourceFile                       // modification time of the file
	sourceEnd
)

var sourceNames = [sourceEnd]string{
	SourceBatch: "batch", SourceDuration: "duration", SourceCarried: "carried", SourceArrival: "arrival", SourceFile: "file",
}

// String returns the attribute value. It is empty for SourceLine, because nearly all times are of lines.
func (s Source) String() string {
	if s < sourceEnd {
		return sourceNames[s]
	}
	return ""
}

// DurationFrom returns the source of a time that is a duration away from m: no better than that of m.
func DurationFrom(m Moment) Source { return Worst(SourceDuration, m.Source) }

// Rank orders the sources, best first. No time ranks with the file's time.
func (s Source) Rank() Source {
	if s == 0 {
		return SourceFile
	}
	return s
}

// Worst returns the less reliable of two sources: a span is as good as its worse end.
func Worst(a, b Source) Source {
	if b.Rank() > a.Rank() {
		return b
	}
	return a
}
