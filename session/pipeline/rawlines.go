package pipeline

import (
	"bytes"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/telemetry"
)

// pass exports the lines of no known provider, or of none so far.
func (p *Pipeline) pass() {
	raw := p.events.Raw()
	if len(raw) == 0 || p.reparsing {
		return
	}
	if p.discards != nil && p.discards(len(raw)) {
		if p.uncopied = nil; !p.events.Undecided() {
			p.events.text.lines = nil // all further lines are dropped: a search of them costs much
		}
		return
	}
	if p.events.Undecided() {
		p.uncopied = nil
		if p.early == nil {
			set := p.opening.telemetryOf("")
			set.State, set.Changed = nil, nil // reserved for the stream of the known provider
			p.early = p.opening.Registry.Open(set)
		}
		p.early.Raw(p.At, raw)
		return
	}
	p.open()
	p.telemetry.Raw(p.At, raw)
}

// uncopied is a line whose copy is pending until the provider is known. A line that passes needs no copy.
type uncopied struct {
	at   telemetry.Line
	data []byte
}

// copy exports a line unchanged, in addition to its events. A line that passes was exported already.
func (p *Pipeline) copy(data []byte) {
	switch {
	case p.events.Undecided():
		p.uncopied = append(p.uncopied, uncopied{p.At, bytes.Clone(data)})
	case p.events.LineStatus() == events.LinePassed:
		p.uncopied = nil
	default:
		p.open()
		for _, u := range p.uncopied {
			p.telemetry.RawCopy(u.at, u.data)
		}
		p.uncopied = nil
		p.telemetry.RawCopy(p.At, data)
	}
}
