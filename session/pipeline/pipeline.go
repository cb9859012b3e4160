package pipeline

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/telemetry"
)

// Settings describe one stream.
type Settings struct {
	// Events are the settings of parser, joiner and redaction.
	Events EventSettings
	// Program is the service name of a stream of no known provider.
	Program string
	// Path is the path of the stream's file, whose folder may link it to others; empty if there is none.
	Path string
	// Registry is shared by all streams.
	Registry *telemetry.Registry
	// Telemetry are the settings of the telemetry stream. Agent is set once the provider is known, and the in-band line
	// may complete Identity and Parent.
	Telemetry telemetry.StreamSettings
	// Ambient is an identity that the in-band line overrides.
	Ambient otlp.Identity
	// InBand selects what the in-band line may set; see [config.InBand].
	InBand string
	// Copies also exports every line unchanged, as a separate record.
	Copies bool
	// OnOpen, if set, is called with the provider when it is known.
	OnOpen func(provider string)
	// OnEvents, if set, is called with the applied events except replayed ones; they are valid until it returns.
	OnEvents func([]events.DisplayEvent)
	// Intercept, if set, receives the events instead of telemetry and applies those that it selects; see [Pipeline.Apply].
	Intercept func([]events.DisplayEvent)
	// Discards, if set, is called with the number of lines of no known provider and reports whether the stream drops such lines.
	Discards func(lines int) bool
	// OnInvalidParent, if set, is called with the error of an invalid traceparent in the in-band line.
	OnInvalidParent func(error)
	// OnDropped, if set, is called with the number of dropped attributes of the in-band line.
	OnDropped func(n int)
}

// Pipeline turns one stream of lines into spans and records. See the package documentation.
type Pipeline struct {
	settings  EventSettings
	copies    bool
	onEvents  func([]events.DisplayEvent)
	intercept func([]events.DisplayEvent)
	discards  func(lines int) bool
	opening   *opening // nil once the provider is known

	events    *Events           // nil while suspended
	telemetry *telemetry.Stream // nil until the provider is known
	early     *telemetry.Stream // of lines that passed before the provider was known
	uncopied  []uncopied
	begun     bool
	utf16     bool // no line is read: redaction could not see its secrets
	reparsing bool // replayed lines are only for the parser; see [Pipeline.Suspend]
	pending   []telemetry.Output

	// At is the current line.
	At telemetry.Line
	// Noted is what is known of the current line besides its bytes.
	Noted parser.Noted
}

// New returns a Pipeline.
func New(s Settings) (*Pipeline, error) {
	s.Events.Join = true // a text is one record
	p := &Pipeline{
		settings: s.Events, copies: s.Copies, onEvents: s.OnEvents, intercept: s.Intercept, discards: s.Discards,
		opening: &opening{Settings: s},
	}
	var err error
	if p.events, err = NewEvents(p.settings); err != nil {
		return nil, err
	}
	return p, nil
}

// Line parses one line or document and applies its events. It drops the lines of a stream in UTF-16.
func (p *Pipeline) Line(data []byte) {
	if !p.begun {
		p.begun = true
		if p.utf16 = lines.IsUTF16(data); p.readInBand(data) {
			return
		}
	}
	if p.utf16 {
		return
	}
	p.events.Note(p.Noted)
	if o := p.opening; o != nil && o.first == nil && len(bytes.TrimSpace(data)) > 0 {
		o.first = fingerprint(data)
	}
	if p.reparsing {
		p.events.Reparse(data)
		return
	}
	evs := p.events.ParseEvents(data)
	p.pass()
	if p.take(evs); len(evs) == 0 && p.telemetry != nil {
		p.telemetry.Feed(p.At, nil)
	}
	if p.copies {
		p.copy(data)
	}
}

// Events returns the first half of the pipeline, for its counts and states; nil while suspended.
func (p *Pipeline) Events() *Events { return p.events }

// Holding reports whether a text of deltas has not ended.
func (p *Pipeline) Holding() bool { return !p.Suspended() && p.events.Holding() }

// Pending reports whether a flush of the parser or the joiner would return something.
func (p *Pipeline) Pending() bool { return !p.Suspended() && p.events.Pending() }

func (p *Pipeline) take(evs []events.DisplayEvent) {
	switch {
	case len(evs) == 0 || p.reparsing:
	case p.intercept != nil:
		p.intercept(evs)
	default:
		p.Apply(p.At, evs)
	}
}

// Apply applies events at a line.
func (p *Pipeline) Apply(at telemetry.Line, evs []events.DisplayEvent) {
	if len(evs) == 0 {
		return
	}
	p.open()
	p.telemetry.Feed(at, evs)
	if p.onEvents != nil && !at.Replay {
		p.onEvents(evs)
	}
}

// Take returns the output since the last call. Some Outputs hold only counts.
func (p *Pipeline) Take() []telemetry.Output {
	var all []telemetry.Output
	for _, t := range []*telemetry.Stream{p.early, p.telemetry} {
		if t == nil {
			continue
		}
		if out := t.Take(); !out.Empty() || out.Counts != (emit.Counts{}) {
			all = append(all, out)
		}
	}
	if p.telemetry != nil {
		p.early = nil
	}
	return all
}

// Deliver calls send with each output in order until one fails. That one and the following ones stay pending for the
// next call. observe, if not nil, is called once with each output.
func (p *Pipeline) Deliver(send func(*telemetry.Output) error, observe func(*telemetry.Output)) error {
	for _, out := range p.Take() {
		if observe != nil {
			observe(&out)
		}
		p.pending = append(p.pending, out)
	}
	for len(p.pending) > 0 {
		if err := send(&p.pending[0]); err != nil {
			return err
		}
		p.pending[0].Accepted()
		p.pending[0] = telemetry.Output{} // releases its memory
		p.pending = p.pending[1:]
	}
	p.pending = nil
	return nil
}

// Undelivered returns the output that Deliver could not send yet.
func (p *Pipeline) Undelivered() []telemetry.Output { return p.pending }
