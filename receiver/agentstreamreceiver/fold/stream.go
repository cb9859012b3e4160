package fold

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/telemetry"
)

// Settings describe one stream.
type Settings struct {
	// Provider is the format: that of a parser, "auto" or "none".
	Provider string
	// Program is the service name of a stream of no known provider.
	Program string
	// Path is the path of the stream's file, whose folder may link it to others; empty for none.
	Path string
	// Registry is what the streams share.
	Registry *telemetry.Registry
	// Redactor removes secrets; nil leaves them in.
	Redactor *redact.Redactor
	// Inputs requests the arguments of tools.
	Inputs bool
	// Outputs requests the whole outputs of tools; else only what their summaries need is read.
	Outputs bool
	// Telemetry are the settings of the telemetry stream. Agent is set once the provider is known; the in-band line may
	// complete Identity and Parent.
	Telemetry telemetry.StreamSettings
	// Ambient is an identity that the in-band line overrides.
	Ambient otlp.Identity
	// InBand is what the in-band line may set; see [config.InBand].
	InBand string
	// Copies also exports every line as it is, as a record of its own.
	Copies bool
	// OnOpen, if set, is called with the provider when it is known.
	OnOpen func(provider string)
	// OnEvents, if set, is called with the events that are applied, except replayed ones; they are valid until it returns.
	OnEvents func([]events.DisplayEvent)
	// Intercept, if set, gets the events instead of telemetry, and applies those that it selects; see [Stream.Fold].
	Intercept func([]events.DisplayEvent)
	// Discards, if set, is called with the number of lines of no known provider, and reports whether they are dropped.
	Discards func(lines int) bool
	// OnInvalidParent, if set, is called with the error of an invalid traceparent in the in-band line.
	OnInvalidParent func(error)
	// OnDropped, if set, is called with the number of dropped attributes of the in-band line.
	OnDropped func(n int)
}

// Stream is one stream on its way from lines to spans and records. See the package documentation.
type Stream struct {
	// The settings that are needed until the end of the stream.
	provider                string
	redactor                *redact.Redactor
	inputs, outputs, copies bool
	onEvents, intercept     func([]events.DisplayEvent)
	discards                func(lines int) bool
	opening                 *opening // nil once the provider is known

	parser   *parser.Source
	joiner   *redact.Joiner
	events   events.DisplayEventSource // parser, joiner and redaction
	fold     *telemetry.Stream         // nil until the provider is known
	early    *telemetry.Stream         // of lines that passed before that
	begun    bool
	uncopied []uncopied
	// reparsing: replayed lines are for the parser alone; see [Stream.Suspend].
	reparsing bool

	// At is the current line.
	At telemetry.Line
	// Noted is what is known of the current line beside its bytes.
	Noted parser.Noted
}

// opening is what a Stream needs until the provider is known.
type opening struct {
	Settings
	first []byte // a hash of the first line after the in-band line; nil before it
}

// New makes a Stream.
func New(s Settings) (*Stream, error) {
	st := &Stream{
		provider: s.Provider, redactor: s.Redactor, inputs: s.Inputs, outputs: s.Outputs, copies: s.Copies, onEvents: s.OnEvents, intercept: s.Intercept,
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

// Line parses one line, or document, and applies its events.
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
	if s.reparsing {
		s.joiner.ParseEvents(data) // its events are dropped, so they need no redaction
		return
	}
	evs := s.events.ParseEvents(data)
	s.pass(s.parser.Raw())
	s.take(evs)
	if s.copies {
		s.copy(data)
	}
}

// uncopied is a line whose copy is pending until the provider is known. A line that passes needs no copy.
type uncopied struct {
	at   telemetry.Line
	data []byte
}

// copy exports a line as it is, beside its events. One that passes has been exported already.
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

// readInBand reports whether a first line is the in-band line, and applies its identity and parent.
func (s *Stream) readInBand(data []byte) bool {
	inBand, ok := config.ParseInBand(data)
	if !ok || s.reparsing || s.opening == nil {
		return ok
	}
	inBand, dropped := inBand.Allowed(s.opening.InBand)
	if dropped > 0 && s.opening.OnDropped != nil && !s.At.Replay {
		s.opening.OnDropped(dropped)
	}
	attrs := make([]otlp.Attribute, 0, len(inBand.Attributes))
	for key, value := range inBand.Attributes {
		if r := s.redactor; r != nil {
			key, value = r.Attribute(key, value)
		}
		attrs = append(attrs, otlp.Attribute{Key: key, Value: value})
	}
	into := &s.opening.Telemetry
	into.Identity = into.Identity.With(otlp.NewIdentity(attrs...))
	parent, err := otlp.ParseTraceParent(inBand.TraceParent)
	switch {
	case err != nil:
		if s.opening.OnInvalidParent != nil {
			s.opening.OnInvalidParent(err)
		}
	case into.Parent.Empty():
		into.Parent = parent
	}
	return true
}

// Provider is the detected provider; empty while undecided, and for a stream that passes.
func (s *Stream) Provider() string { return s.parser.Provider() }

// Stats are the parser's counts so far.
func (s *Stream) Stats() parser.Stats { return s.parser.Stats() }

// LineStatus is the status of the last line.
func (s *Stream) LineStatus() events.LineStatus { return s.parser.LineStatus() }

// Holding reports whether a text of deltas has not ended.
func (s *Stream) Holding() bool { return !s.Suspended() && s.joiner.Holding() }

// Pending reports whether the parser or the joiner would return something from a flush.
func (s *Stream) Pending() bool { return !s.Suspended() && (s.joiner.Holding() || s.parser.Pending()) }

// Incomplete reports whether the end line of a run is missing that the format always writes.
func (s *Stream) Incomplete() bool { return s.parser.Incomplete() }

// pass exports the lines of no known provider, or of none yet.
func (s *Stream) pass(raw [][]byte) {
	if len(raw) == 0 || s.reparsing {
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
			set.State, set.Changed = nil, nil // for the stream of the known provider
			s.early = s.opening.Registry.Open(set)
		}
		s.early.Raw(s.At, raw)
		return
	}
	s.open()
	s.fold.Raw(s.At, raw)
}

// take applies events.
func (s *Stream) take(evs []events.DisplayEvent) {
	switch {
	case len(evs) == 0 || s.reparsing:
	case s.intercept != nil:
		s.intercept(evs)
	default:
		s.Fold(s.At, evs)
	}
}

// Fold applies events at a line.
func (s *Stream) Fold(at telemetry.Line, evs []events.DisplayEvent) {
	if len(evs) == 0 {
		return
	}
	s.open()
	s.fold.Feed(at, evs)
	if s.onEvents != nil && !at.Replay {
		s.onEvents(evs)
	}
}

// open opens the telemetry stream, as soon as the provider is known.
func (s *Stream) open() {
	if s.fold != nil {
		return
	}
	provider := s.parser.Provider()
	if s.opening.OnOpen != nil {
		s.opening.OnOpen(provider)
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

// maxFingerprint bounds the hashed part of a stream's first line, in bytes.
const maxFingerprint = 64 << 10

// fingerprint is a hash of the first line of a stream.
func fingerprint(line []byte) []byte {
	sum := sha256.Sum256(line[:min(len(line), maxFingerprint)])
	return sum[:8]
}

// Take returns the output since the last call; some Outputs hold nothing but counts.
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
