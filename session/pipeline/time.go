package pipeline

import (
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/telemetry"
)

// Tick releases the whole lines of quiet texts and reports whether there were any.
func (p *Pipeline) Tick() bool {
	evs := p.events.Texts()
	p.take(evs)
	return len(evs) > 0
}

// Quiet releases what is pending only because more lines may arrive: an end that may yet be revoked, and lines of no
// detected provider. It reports whether there was anything.
func (p *Pipeline) Quiet() bool {
	evs := p.events.Quiet()
	some := len(evs)+len(p.events.Raw()) > 0
	p.pass()
	p.take(evs)
	return some
}

// Part releases the whole lines of all unfinished texts at once.
func (p *Pipeline) Part() { p.take(p.events.Part()) }

// EndTexts releases all unfinished texts.
func (p *Pipeline) EndTexts() { p.take(p.events.EndTexts()) }

// Idle reports to telemetry that everything available was read, which closes what an old file leaves open. What is pending in the
// parser is applied before, since no line may follow. Idle reports whether there was anything.
func (p *Pipeline) Idle() (flushed bool) {
	if p.telemetry == nil {
		return false
	}
	if flushed = p.Pending() && p.telemetry.IsOld(); flushed {
		p.Flush()
	}
	p.telemetry.Idle()
	return flushed
}

// IsSubAgent reports whether the stream is that of a sub-agent, as far as its lines and its folder say.
func (p *Pipeline) IsSubAgent() bool { return p.telemetry != nil && p.telemetry.IsSubAgent() }

// Moved returns when a sub-agent in another stream, which the open run waits for, was last at work; see [telemetry.Stream.Moved].
func (p *Pipeline) Moved() (at time.Time) {
	if p.telemetry != nil {
		at = p.telemetry.Moved()
	}
	return at
}

// Flush applies what is pending in the parser at the end of the stream.
func (p *Pipeline) Flush() {
	if p.Suspended() {
		return // nothing was pending then
	}
	evs := p.events.Flush()
	p.pass()
	p.take(evs)
}

// Exited applies the exit of the process that wrote the stream and closes the stream.
func (p *Pipeline) Exited(e outcome.Exit) {
	p.open()
	e.Incomplete = p.events.Incomplete()
	if r := p.settings.Redactor; r != nil {
		e.Stderr = r.String(e.Stderr)
	}
	p.telemetry.Exited(e)
	p.telemetry.Close(e.Reason())
}

// Close closes open spans for the reason.
func (p *Pipeline) Close(reason otlp.CloseReason) {
	if p.telemetry != nil {
		p.telemetry.Close(reason)
	}
}

// Detach stops the stream without closing its spans.
func (p *Pipeline) Detach() {
	if p.telemetry != nil {
		p.telemetry.Detach()
	}
}

// Waiting returns the number of the last applied events that are pending.
func (p *Pipeline) Waiting() int {
	if p.telemetry == nil {
		return 0
	}
	return p.telemetry.Waiting()
}

// State returns the telemetry state to store and whether something is open. ok is false while the provider is unknown.
func (p *Pipeline) State() (state telemetry.StreamState, open, ok bool) {
	if p.telemetry == nil {
		return state, false, false
	}
	state, open = p.telemetry.State()
	return state, open, true
}

// Suspend releases the parser, joiner and redaction unless something is pending in them. They use most of the memory of an idle
// stream, and a replay of its lines rebuilds them. Telemetry stays: its open spans must be closed even if the lines are lost,
// and other streams may be linked to it. Until [Pipeline.Resume], no method that needs the parser may be called.
func (p *Pipeline) Suspend() bool {
	if p.Suspended() || p.reparsing || p.events.Undecided() || p.Pending() {
		return false
	}
	p.events, p.begun, p.uncopied = nil, false, nil
	if p.telemetry != nil {
		p.telemetry.Trim()
	}
	return true
}

// Suspended reports whether there is no parser.
func (p *Pipeline) Suspended() bool { return p.events == nil }

// Resume creates the parser of a suspended stream again. Lines are then replayed only for the parser, until
// [Pipeline.EndReplay].
func (p *Pipeline) Resume() error {
	if !p.Suspended() {
		return nil
	}
	var err error
	if p.events, err = NewEvents(p.settings); err != nil {
		return err
	}
	p.reparsing = true
	return nil
}

// EndReplay ends the replay: following lines are new.
func (p *Pipeline) EndReplay() { p.reparsing = false }
