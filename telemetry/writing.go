package telemetry

import (
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/runkey"
	"github.com/tailspan/tailspan/session/share"
	"github.com/tailspan/tailspan/session/work"
)

// writing writes the records of a stream, each once.
type writing struct {
	core
	process processEnd
}

// record writes the log record of an event, about a call or none, and reports whether it was exported.
func (s *writing) record(a *work.Agent, of *work.Call, what pending.Sighting) bool {
	switch s.share.Decide(a, of, what) {
	case share.Waits:
		return false
	case share.Dropped:
		s.emit.Dropped(a.Run)
		return false
	default:
		return s.writeRecord(a, of, what)
	}
}

// writeRecord writes the record after the accounts of the run decided to export it.
func (s *writing) writeRecord(a *work.Agent, of *work.Call, what pending.Sighting) bool {
	r, ev := a.Run, what.Event
	// A UID is made only for exported records. Most replayed lines and second accounts only need to know whether the
	// record was exported, which a cheaper hash of the same parts answers.
	parts := r.AppendUIDParts(make([]byte, 0, otlp.PartsRoom), s.program.Agent.Provider, of, what)
	number := what.Number
	if number == 0 {
		number = r.Resource.NextNumber()
	}
	isNew := s.registry.ids.FirstRecord(parts)
	if r.Standing == account.First && content.ModelWorks(ev) {
		s.share.NoteSigns(a, ev, !isNew)
		if key, ok := runkey.Item(&s.program, ev); ok {
			s.registry.ids.Say(&key)
		}
	}
	if !isNew || s.emit.Suppressed {
		if !isNew && r.Standing.IsSecond() {
			s.emit.Dropped(r)
		}
		return false
	}
	what.Number = number
	s.emit.Record(a, of, what, otlp.UIDOf(parts), s.moved)
	return true
}

// writeAgent writes the invoke_agent span of a run or a sub-agent.
func (s *writing) writeAgent(a *work.Agent, v outcome.Verdict) {
	a.Ledger.Closed = true
	said, size := a.Thread.End(v.Outcome, v.Cause)
	s.open.Hold(-size)
	s.emit.Agent(a, v, said, s.process.of(a.Run))
}
