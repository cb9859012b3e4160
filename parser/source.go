package parser

import (
	"bytes"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser/internal/decode"
	"github.com/tailspan/tailspan/parser/internal/lines"
)

// Limits of the lines that "auto" buffers before it gives up. DetectLines limits the candidates: lines that are an object or an
// array. DetectNoise and DetectBytes limit the number and size of all lines, including those of installers and banners.
const (
	DetectLines = 64
	DetectNoise = 10_000
	DetectBytes = 1 << 20
)

// state is what a source does with a line.
//
//	from       on                               to
//	undecided  a line that shows the provider   parsing
//	undecided  the limits, or Flush             passing
//	undecided  Quiet                            undecided: the held lines pass, and stay held
type state uint8

const (
	stateUndecided state = iota // hold the line
	stateParsing                // parse the line
	statePassing                // pass the line unchanged
)

// Source turns the lines of one stream into events. It implements DisplayEventSource, LineStatuser and Flusher of package events.
type Source struct {
	state                 state
	provider              string
	parser                decode.Parser // nil until the provider is known
	dropInput, dropOutput bool          // for the parser, once it is known

	noted      Noted // of the current line
	held       []heldLine
	candidates [][]byte // the held lines that may identify the provider
	heldBytes  int
	released   int // number of held lines that Quiet has passed

	out    []events.DisplayEvent
	mended []events.DisplayEvent // events of a line with a torn record
	raw    [][]byte
	broken [][]byte
	status events.LineStatus
	stats  Stats
}

// heldLine is a line that waits for the detection of the provider.
type heldLine struct {
	data  []byte
	noted Noted
}

// Noted is what the reader of a line knows in addition to its bytes.
type Noted struct {
	// Time is when the line was received; zero if unknown. Events without a time of their own get it.
	Time time.Time
	// Abridged is true if the line was too long and has been shortened.
	Abridged bool
}

// fill sets the fields that the events of a line lack.
func (n *Noted) fill(evs []events.DisplayEvent) {
	for i := range evs {
		if evs[i].Time.IsZero() {
			evs[i].Time = n.Time
		}
		evs[i].Abridged = n.Abridged
	}
}

// Provider returns the provider of the stream, or "" if it is not known yet or the stream passes unchanged.
func (s *Source) Provider() string { return s.provider }

// Undecided reports whether the provider is not known yet.
func (s *Source) Undecided() bool { return s.state == stateUndecided }

// ParseEvents parses the next line.
func (s *Source) ParseEvents(line []byte) []events.DisplayEvent {
	s.raw, s.broken = s.raw[:0], s.broken[:0]
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

// Note sets what is known about the next lines in addition to their bytes.
func (s *Source) Note(n Noted) { s.noted = n }

// parse passes the line to the provider's parser and counts it. It also parses the whole record that follows a torn one.
func (s *Source) parse(line []byte) []events.DisplayEvent {
	out := s.parseWhole(line)
	if s.status == events.LineMalformed {
		out = s.mend(line, out)
		s.broken = append(s.broken, line)
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

// sanitize removes implausible numbers; see [events.IgnoredNumbers].
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

// hold keeps the line until the provider is known.
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
		s.candidates[len(s.candidates)-1] = line // the caller reuses its buffer
	}
	s.heldBytes += len(line)
	s.status = events.LineHeld
	if len(s.candidates) >= DetectLines || len(s.held) >= DetectNoise || s.heldBytes >= DetectBytes {
		s.giveUp()
	}
	return nil
}

// isCandidate reports whether a line may identify its provider: it begins an object, an array, or the data of a server-sent
// event. Terminal control sequences or a byte order mark may come first.
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

// decide starts parsing for the named provider.
func (s *Source) decide(name string) {
	s.state, s.provider, s.parser, s.candidates = stateParsing, name, newParser(name), nil
	s.parser.Drop(s.dropInput, s.dropOutput)
}

// replay parses the held lines, then the one that identified the provider.
func (s *Source) replay(line []byte) []events.DisplayEvent {
	s.out = s.out[:0]
	now := s.noted
	for i, held := range s.held {
		s.noted = held.noted
		for _, e := range s.parse(held.data) {
			e.Tool.Output = bytes.Clone(e.Tool.Output) // the parser's next line would overwrite it
			s.out = append(s.out, e)
		}
		if i < s.released { // it was passed as it is
			s.broken = s.broken[:0]
		}
	}
	s.held, s.noted = nil, now
	s.out = append(s.out, s.parse(line)...)
	return s.out
}

// giveUp passes the held lines that have not been passed yet.
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

// Flush returns the pending events of the ended stream. The lines of a stream of no known provider pass: see Raw.
func (s *Source) Flush() []events.DisplayEvent {
	s.raw, s.broken = s.raw[:0], s.broken[:0]
	switch s.state {
	case stateUndecided:
		s.giveUp()
	case stateParsing:
		result := s.parser.Flush()
		out := s.sanitize(result.Events)
		s.stats.Events += len(out)
		if result.Status == events.LineMalformed { // the end shows that a line counted as ignored was torn
			s.stats.Ignored--
			s.stats.Malformed++
		}
		return out
	}
	return nil
}

// Quiet returns events that are pending only because the agent may continue, such as an end that a compaction can cancel.
// Call it when a followed stream has been quiet for a while. If the provider is unknown, the held lines pass unchanged: see
// Raw. They are still parsed if a later line identifies the provider, since events must not depend on the speed of the
// stream.
func (s *Source) Quiet() []events.DisplayEvent {
	s.raw, s.broken = s.raw[:0], s.broken[:0]
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

// Pending reports whether Flush would return events.
func (s *Source) Pending() bool {
	if s.state == stateUndecided {
		return len(s.held) > s.released
	}
	return s.parser != nil && s.parser.State().Pending
}

// Incomplete reports whether a run has begun and the end that the format promises has not arrived yet. Transcripts
// promise no end.
func (s *Source) Incomplete() bool {
	return s.parser != nil && s.parser.State().Incomplete
}

// DropInput omits the arguments of calls from now on, if that saves work.
func (s *Source) DropInput() {
	s.dropInput = true
	if s.parser != nil {
		s.parser.Drop(true, false)
	}
}

// DropOutput omits the texts of results from now on; see [events.OutputHead].
func (s *Source) DropOutput() {
	s.dropOutput = true
	if s.parser != nil {
		s.parser.Drop(false, true)
	}
}

// LineStatus returns the status of the last line.
func (s *Source) LineStatus() events.LineStatus { return s.status }

// Raw returns the lines that the last call passed unchanged: the line itself if the stream has no known
// provider, or the held lines if detection gave up or the stream is quiet.
func (s *Source) Raw() [][]byte { return s.raw }

// Malformed returns the lines of the last call that are no records of a known provider: torn ones, and plain text ([IsPlain]). They
// precede the events of the call and are valid until the next one.
func (s *Source) Malformed() [][]byte { return s.broken }

// Stats returns the counts so far.
func (s *Source) Stats() Stats {
	stats := s.stats.clone()
	stats.Held = len(s.held)
	if s.parser != nil {
		stats.Dropped = s.parser.State().Dropped
	}
	return stats
}
