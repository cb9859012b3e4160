package parser

import (
	"bytes"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
)

// Limits of detection: what "auto" holds before it gives up. Of candidate lines, an object or an array each, DetectLines
// are looked at; installers, banners and warnings before them are bounded by their size, with all others, and their number.
const (
	DetectLines = 64
	DetectNoise = 10_000
	DetectBytes = 1 << 20
)

// state is what a source does with a line.
//
//	from       on                           to
//	undecided  a line that shows it         parsing
//	undecided  the limits, or Flush         passing
//	undecided  a quiet time                 undecided: the lines that are held pass, and are held on
type state uint8

const (
	stateUndecided state = iota // hold it
	stateParsing                // make events of it
	statePassing                // pass it on
)

// Source turns the lines of one stream into events. It implements DisplayEventSource, LineStatuser and Flusher of package events.
type Source struct {
	state                 state
	provider              string
	parser                decode.Parser // nil until the provider is known
	dropInput, dropOutput bool          // for a parser that is not known yet

	noted      Noted // of the line at work
	held       []heldLine
	candidates [][]byte // those of them that may show the provider
	heldBytes  int
	released   int // how many of the held lines were passed on in a quiet time

	out    []events.DisplayEvent
	mended []events.DisplayEvent // of a line with a torn record
	raw    [][]byte
	status events.LineStatus
	stats  Stats
}

// heldLine waits for the provider to be detected.
type heldLine struct {
	data  []byte
	noted Noted
}

// Noted is what the reader of a line knows about it besides its bytes.
type Noted struct {
	// Time is when the line was received, if that was noted; events without a time of their own get it. Zero: it is not known.
	Time time.Time
	// Abridged is true if the line was too long and comes shortened.
	Abridged bool
}

// fill sets what the events of a line lack.
func (n *Noted) fill(evs []events.DisplayEvent) {
	for i := range evs {
		if evs[i].Time.IsZero() {
			evs[i].Time = n.Time
		}
		evs[i].Abridged = n.Abridged
	}
}

// Provider is who writes the stream; "" while that is not known, and for a stream that passes.
func (s *Source) Provider() string { return s.provider }

// Undecided reports whether it is not known yet who writes the stream.
func (s *Source) Undecided() bool { return s.state == stateUndecided }

// ParseEvents takes the next line.
func (s *Source) ParseEvents(line []byte) []events.DisplayEvent {
	s.raw = s.raw[:0]
	s.stats.Lines++
	switch s.state {
	case stateParsing:
		return s.parse(line)
	case statePassing:
		s.pass(line)
		return nil
	default:
		return s.hold(line)
	}
}

// Note sets what is known about the next lines besides their bytes.
func (s *Source) Note(n Noted) { s.noted = n }

// parse hands the line to the provider's parser and counts it. Of a torn line it also parses the whole record behind the tear.
func (s *Source) parse(line []byte) []events.DisplayEvent {
	out := s.parseWhole(line)
	if s.status == events.LineMalformed {
		out = s.mend(line, out)
	}
	if s.noted != (Noted{}) {
		s.noted.fill(out)
	}
	return out
}

func (s *Source) parseWhole(line []byte) []events.DisplayEvent {
	result := s.parser.Parse(line)
	out := s.sanitize(result.Events)
	s.status = result.Status
	s.stats.count(s.status, result.UnknownType, len(out))
	return out
}

// sanitize takes out the numbers that no line can have; see [events.IgnoredNumbers].
func (s *Source) sanitize(out []events.DisplayEvent) []events.DisplayEvent {
	kept := 0
	for i := range out {
		if !s.stats.Numbers.Sanitize(&out[i]) {
			continue
		}
		if kept < i {
			out[kept] = out[i]
		}
		kept++
	}
	return out[:kept]
}

func (s *Source) pass(line []byte) {
	s.raw = append(s.raw, line)
	s.status = events.LinePassed
	s.stats.count(s.status, "", 0)
}

// hold keeps the line until it is known whose it is.
func (s *Source) hold(line []byte) []events.DisplayEvent {
	candidate := isCandidate(line)
	if candidate {
		s.candidates = append(s.candidates, line)
		if name, ok := Detect(s.candidates); ok {
			s.decide(name)
			return s.replay(line)
		}
	}
	line = bytes.Clone(line)
	s.held = append(s.held, heldLine{line, s.noted})
	if candidate {
		s.candidates[len(s.candidates)-1] = line // the caller reuses its own
	}
	s.heldBytes += len(line)
	s.status = events.LineHeld
	if len(s.candidates) >= DetectLines || len(s.held) >= DetectNoise || s.heldBytes >= DetectBytes {
		s.giveUp()
	}
	return nil
}

// isCandidate reports whether a line may show whose it is: it begins an object, an array, or the data of a server-sent event.
// What a terminal was meant to get, or a byte order mark, may precede it.
func isCandidate(line []byte) bool {
	line = lines.Trim(line)
	if len(line) == 0 {
		return false
	}
	switch c := line[0]; {
	case c == '{' || c == '[' || c < ' ' || c >= 0x80:
		return bytes.IndexByte(line, '{') >= 0
	default:
		return bytes.HasPrefix(line, []byte("data:"))
	}
}

// decide begins the parsing for a provider.
func (s *Source) decide(name string) {
	s.state, s.provider, s.parser, s.candidates = stateParsing, name, newParser(name), nil
	s.parser.Drop(s.dropInput, s.dropOutput)
}

// replay parses the lines that were held, then the one that decided.
func (s *Source) replay(line []byte) []events.DisplayEvent {
	s.out = s.out[:0]
	now := s.noted
	for _, held := range s.held {
		s.noted = held.noted
		for _, e := range s.parse(held.data) {
			e.Tool.Output = bytes.Clone(e.Tool.Output) // the parser's next line would overwrite it
			s.out = append(s.out, e)
		}
	}
	s.held, s.noted = nil, now
	s.out = append(s.out, s.parse(line)...)
	return s.out
}

// giveUp passes on what was held, and has not passed yet.
func (s *Source) giveUp() {
	held := s.held
	s.state, s.held, s.candidates = statePassing, nil, nil
	for i, line := range held {
		if i >= s.released {
			s.raw = append(s.raw, line.data)
		}
		s.status = events.LinePassed
		s.stats.count(s.status, "", 0)
	}
}

// Flush returns the pending events of the ended stream. A stream of no known provider passes: see Raw.
func (s *Source) Flush() []events.DisplayEvent {
	s.raw = s.raw[:0]
	switch s.state {
	case stateUndecided:
		s.giveUp()
	case stateParsing:
		result := s.parser.Flush()
		out := s.sanitize(result.Events)
		s.stats.Events += len(out)
		if result.Status == events.LineMalformed { // the end proves torn what counted as ignored
			s.stats.Ignored--
			s.stats.Malformed++
		}
		return out
	}
	return nil
}

// Quiet returns what is pending in the parser only because the agent may yet go on, such as an end that a compaction can take
// back. It is for consumers that follow a stream that has been quiet for a while. Lines that do not show their provider
// pass: see Raw. They are parsed all the same when a later line shows it, since events must not depend on how fast a stream
// came.
func (s *Source) Quiet() []events.DisplayEvent {
	s.raw = s.raw[:0]
	if s.state == stateUndecided {
		for _, line := range s.held[s.released:] {
			s.raw = append(s.raw, line.data)
		}
		s.released = len(s.held)
		return nil
	}
	if s.parser == nil {
		return nil
	}
	out := s.sanitize(s.parser.Quiet())
	s.stats.Events += len(out)
	return out
}

// Pending reports whether Flush would return something.
func (s *Source) Pending() bool {
	if s.state == stateUndecided {
		return len(s.held) > s.released
	}
	return s.parser != nil && s.parser.State().Pending
}

// Incomplete reports whether the lines so far hold a run that has begun and whose end the format promises, but has not
// arrived yet. A transcript promises none.
func (s *Source) Incomplete() bool {
	return s.parser != nil && s.parser.State().Incomplete
}

// DropInput leaves the arguments of calls out from now on, where that saves work.
func (s *Source) DropInput() {
	s.dropInput = true
	if s.parser != nil {
		s.parser.Drop(true, false)
	}
}

// DropOutput leaves the texts of results out from now on; see [events.OutputHead].
func (s *Source) DropOutput() {
	s.dropOutput = true
	if s.parser != nil {
		s.parser.Drop(false, true)
	}
}

// LineStatus is the status of the last line.
func (s *Source) LineStatus() events.LineStatus { return s.status }

// Raw returns the lines that the last call passed on as they are: the line itself for a stream of no
// known provider, the held lines when detection gives up or the stream is quiet.
func (s *Source) Raw() [][]byte { return s.raw }

// Stats gives the counts so far.
func (s *Source) Stats() Stats {
	stats := s.stats.clone()
	stats.Held = len(s.held)
	if s.parser != nil {
		stats.Dropped = s.parser.State().Dropped
	}
	return stats
}
