package fold

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/telemetry"
)

// Settings describe one stream.
type Settings struct {
	// Provider is the format: that of a parser, "auto" or "none".
	Provider string
	// Program is the service name of a stream that never told what it is.
	Program string
	// Path is where the stream's file is, for what its folder tells of it; empty for none.
	Path string
	// Registry is what the streams share.
	Registry *telemetry.Registry
	// Redactor takes secrets out; nil leaves them in.
	Redactor *redact.Redactor
	// Inputs asks for the arguments of tools; else they need not be made.
	Inputs bool
	// Outputs asks for the whole outputs of tools; else no more of them is read than their summaries need.
	Outputs bool
	// Telemetry is what the fold is opened with. Its Agent is filled in once the provider is known, and its Identity and
	// Parent may be completed by the stream's first line.
	Telemetry telemetry.StreamSettings
	// Ambient counts less than the stream's first line.
	Ambient telemetry.Identity
	// InBand says what the stream's first line may set; see [config.InBand].
	InBand string
	// Copies hands every line on as it is too, as a record of its own.
	Copies bool
	// Opened, if set, is called with the provider when the fold is opened.
	Opened func(provider string)
	// Told, if set, is called with the events that are folded, but for silent ones; they are valid until it returns.
	Told func([]events.DisplayEvent)
	// Take, if set, is given the events instead of the fold, and gives it those that it is to have; see [Stream.Fold].
	Take func([]events.DisplayEvent)
	// Discards, if set, is called with the number of lines of no known provider that are to be handed on as they are, and
	// reports whether they are left out instead.
	Discards func(lines int) bool
	// Refused, if set, is called with what the first line tells and is not understood.
	Refused func(error)
	// Dropped, if set, is called with the number of attributes of the first line that are not taken.
	Dropped func(n int)
}

// Stream is one stream on its way from lines to spans and records. See the package documentation.
type Stream struct {
	// What of the settings is needed for as long as the stream lasts.
	provider                string
	redactor                *redact.Redactor
	inputs, outputs, copies bool
	told, takes             func([]events.DisplayEvent)
	discards                func(lines int) bool
	opening                 *opening // nil once the fold is opened

	parser   *parser.Source
	joiner   *redact.Joiner
	events   events.DisplayEventSource // parser, joiner and redaction
	fold     *telemetry.Stream         // nil until the provider is known
	early    *telemetry.Stream         // of lines that passed before that
	begun    bool
	uncopied []uncopied
	// rereading tells that lines come again for the parser alone; see [Stream.Rest].
	rereading bool

	// At is the line at work.
	At telemetry.Line
	// Noted is what is known of that line beside its bytes.
	Noted parser.Noted
}

// opening is what a Stream needs until it opens its fold.
type opening struct {
	Settings
	first []byte // a hash of the first line that is not ours; nil before it
}

// New makes a Stream.
func New(s Settings) (*Stream, error) {
	st := &Stream{
		provider: s.Provider, redactor: s.Redactor, inputs: s.Inputs, outputs: s.Outputs, copies: s.Copies, told: s.Told, takes: s.Take,
		discards: s.Discards, opening: &opening{Settings: s},
	}
	if err := st.makeParser(); err != nil {
		return nil, err
	}
	return st, nil
}

// makeParser makes parser, joiner and redaction.
func (s *Stream) makeParser() error {
	p, err := parser.New(s.provider)
	if err != nil {
		return err
	}
	if !s.inputs {
		p.DropInput()
	}
	if !s.outputs {
		p.DropOutput()
	}
	s.parser, s.joiner = p, redact.NewJoiner(p, redact.JoinSettings{})
	s.events = s.joiner
	if s.redactor != nil {
		s.events = redact.New(s.joiner, s.redactor)
	}
	return nil
}

// Line parses one line, or document, and folds what it tells.
func (s *Stream) Line(data []byte) {
	if !s.begun {
		s.begun = true
		if s.readInBand(data) {
			return
		}
	}
	s.parser.Note(s.Noted)
	if o := s.opening; o != nil && o.first == nil && len(bytes.TrimSpace(data)) > 0 {
		o.first = fingerprint(data)
	}
	if s.rereading {
		s.joiner.ParseEvents(data) // what it gives goes nowhere, so no secrets are looked for
		return
	}
	evs := s.events.ParseEvents(data)
	s.pass(s.parser.Raw())
	s.take(evs)
	if s.copies {
		s.copy(data)
	}
}

// uncopied is a line that waits for the provider to be told, to be handed on as it is too, unless it passes.
type uncopied struct {
	at   telemetry.Line
	data []byte
}

// copy hands a line on as it is, beside what it tells. One that passes has been handed on already.
func (s *Stream) copy(data []byte) {
	switch {
	case s.parser.Undecided():
		s.uncopied = append(s.uncopied, uncopied{s.At, bytes.Clone(data)})
	case s.parser.LineStatus() == events.LinePassed:
		s.uncopied = nil
	default:
		s.open()
		for _, u := range s.uncopied {
			s.fold.RawCopy(u.at, u.data)
		}
		s.uncopied = nil
		s.fold.RawCopy(s.At, data)
	}
}

// readInBand takes a first line that tells identity and parent.
func (s *Stream) readInBand(data []byte) bool {
	inBand, ok := config.ParseInBand(data)
	if !ok || s.rereading || s.opening == nil {
		return ok
	}
	inBand, dropped := inBand.Allowed(s.opening.InBand)
	if dropped > 0 && s.opening.Dropped != nil && !s.At.Replay {
		s.opening.Dropped(dropped)
	}
	attrs := make([]telemetry.Attribute, 0, len(inBand.Attributes))
	for key, value := range inBand.Attributes {
		if r := s.redactor; r != nil {
			key, value = r.Attribute(key, value)
		}
		attrs = append(attrs, telemetry.Attribute{Key: key, Value: value})
	}
	into := &s.opening.Telemetry
	into.Identity = into.Identity.With(telemetry.NewIdentity(attrs...))
	parent, err := telemetry.ParseTraceParent(inBand.TraceParent)
	switch {
	case err != nil:
		if s.opening.Refused != nil {
			s.opening.Refused(err)
		}
	case into.Parent.Empty():
		into.Parent = parent
	}
	return true
}

// Provider is who writes the stream; empty while that is not known, and for one that passes.
func (s *Stream) Provider() string { return s.parser.Provider() }

// Stats are the parser's counts so far.
func (s *Stream) Stats() parser.Stats { return s.parser.Stats() }

// LineStatus tells what became of the last line.
func (s *Stream) LineStatus() events.LineStatus { return s.parser.LineStatus() }

// Holding reports whether a text in pieces has not ended.
func (s *Stream) Holding() bool { return !s.Resting() && s.joiner.Holding() }

// Owes reports whether the parser or the joiner would give something at the stream's end.
func (s *Stream) Owes() bool { return !s.Resting() && (s.joiner.Holding() || s.parser.Pending()) }

// Incomplete reports whether a run has begun whose end the format promises and has not told.
func (s *Stream) Incomplete() bool { return s.parser.Incomplete() }

// pass hands on the lines that belong to no known provider, or to none yet.
func (s *Stream) pass(raw [][]byte) {
	if len(raw) == 0 || s.rereading {
		return
	}
	if s.discards != nil && s.discards(len(raw)) {
		s.uncopied = nil
		return
	}
	if r := s.redactor; r != nil {
		for i := range raw {
			raw[i] = r.Bytes(raw[i])
		}
	}
	if s.parser.Undecided() {
		s.uncopied = nil
		if s.early == nil {
			set := s.telemetryOf("")
			set.State, set.Changed = nil, nil // they are the fold's
			s.early = s.opening.Registry.Open(set)
		}
		s.early.Raw(s.At, raw)
		return
	}
	s.open()
	s.fold.Raw(s.At, raw)
}

// take folds events.
func (s *Stream) take(evs []events.DisplayEvent) {
	switch {
	case len(evs) == 0 || s.rereading:
	case s.takes != nil:
		s.takes(evs)
	default:
		s.Fold(s.At, evs)
	}
}

// Fold folds events at a line.
func (s *Stream) Fold(at telemetry.Line, evs []events.DisplayEvent) {
	if len(evs) == 0 {
		return
	}
	s.open()
	s.fold.Feed(at, evs)
	if s.told != nil && !at.Replay {
		s.told(evs)
	}
}

// open begins the fold, as soon as the provider is known.
func (s *Stream) open() {
	if s.fold != nil {
		return
	}
	provider := s.parser.Provider()
	if s.opening.Opened != nil {
		s.opening.Opened(provider)
	}
	s.fold = s.opening.Registry.Open(s.telemetryOf(provider))
	s.opening = nil
}

func (s *Stream) telemetryOf(provider string) telemetry.StreamSettings {
	info := parser.InfoOf(provider)
	set := s.opening.Telemetry
	set.Agent = telemetry.Agent{
		Provider: info.Name, ServiceName: cmp.Or(info.ServiceName, s.opening.Program), System: info.System, Folders: info.Folders,
		OwnMessageIDs: info.OwnMessageIDs, UsageAfterCalls: info.UsageAfterCalls, Bodies: info.Bodies, StreamIDs: info.StreamIDs, CallIDs: info.CallIDs, TotalsOfAgents: info.TotalsOfAgents,
	}
	set.ParentSession = parser.ParentSession(info.Name, s.opening.Path)
	set.Group = parser.Group(info.Name, s.opening.Path)
	set.Identity = set.Identity.With(s.opening.Ambient)
	set.Fingerprint = hex.EncodeToString(s.opening.first)
	return set
}

// maxFingerprint bounds what of a stream's first line is hashed.
const maxFingerprint = 64 << 10

// fingerprint is a hash of what a stream begins with.
func fingerprint(line []byte) []byte {
	sum := sha256.Sum256(line[:min(len(line), maxFingerprint)])
	return sum[:8]
}

// Take returns what there is to hand on since the last call; Outputs that hold nothing but counts are among them.
func (s *Stream) Take() []telemetry.Output {
	var all []telemetry.Output
	for _, f := range []*telemetry.Stream{s.early, s.fold} {
		if f == nil {
			continue
		}
		if out := f.Take(); !out.Empty() || out.Counts != (telemetry.Counts{}) {
			all = append(all, out)
		}
	}
	if s.fold != nil {
		s.early = nil
	}
	return all
}
