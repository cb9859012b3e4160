package share

import (
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/twin"
	"github.com/tailspan/tailspan/session/work"
)

// secondExports reports whether events of this kind may be exported from a second account: what the agent said and did.
func secondExports(kind events.Kind) bool {
	switch kind {
	case events.KindText, events.KindReasoning, events.KindMessage, events.KindToolUse, events.KindToolResult, events.KindUsage:
		return true
	default:
		return false
	}
}

// Decision is the handling of a record.
type Decision uint8

const (
	Dropped Decision = iota
	Exported
	Waits // until the other texts of its model call are known
)

func exportedIf(yes bool) Decision {
	if yes {
		return Exported
	}
	return Dropped
}

// Decide decides on the record of an event, as far as accounts matter: a second account exports only what the
// first does not have.
func (s *Share[S]) Decide(a *work.Agent, of *work.Call, what pending.Sighting) Decision {
	r, ev := a.Run, what.Event
	switch {
	case !a.Exports():
		return Dropped
	case !r.IsJoined():
		return Exported
	case !secondExports(ev.Kind):
		return Dropped
	case ev.Kind == events.KindUsage: // with the model call that reported it; otherwise it is a total
		return exportedIf(a.Chat.IsNamed(ev) && !a.Chat.Elsewhere)
	case r.Standing == account.Joined:
		return Exported
	case of != nil:
		return exportedIf(!of.Elsewhere)
	case content.IsText(ev):
		return s.decideWords(a, what)
	default:
		return exportedIf(!s.HasSign(r, ev))
	}
}

// NoteSigns adds the signs of an item to the first account of a run. again is true if the record was exported before.
func (s *Share[S]) NoteSigns(a *work.Agent, ev *events.DisplayEvent, again bool) {
	r := a.Run
	signs := s.signs.Signs(r.SessionID, ev)
	if len(signs) == 0 || r.Account == nil || r.IsChild() { // accounts of a sub-agent are matched by its ID
		return
	}
	switch {
	case content.IsText(ev):
		own, all := s.signs.Text(a.WordingOf(ev), r.SessionID, ev)
		signs = append(signs, own, all)
	case !again:
		signs = append(signs, s.signs.Call(&r.TwinCalls, ev, signs[0]))
	}
	s.set.Accounts.Enter(r.Account, signs, s.set.Program.Recorded)
}

// HasSign reports whether the first account of a run has the item of ev, or may have it: an item without a sign proves
// nothing.
func (s *Share[S]) HasSign(r *work.Run, ev *events.DisplayEvent) bool {
	signs := s.signs.Signs(r.SessionID, ev)
	return len(signs) == 0 || s.hasAnySign(r, signs...)
}

// hasAnySign reports whether the first account of a run has one of the signs.
func (s *Share[S]) hasAnySign(r *work.Run, signs ...uint64) bool {
	return s.set.Accounts.Has(r.Account, signs, !s.set.Program.Recorded)
}

// hasCall reports whether the first account of a run has as many calls like ev as the second has up to it.
func (s *Share[S]) hasCall(r *work.Run, ev *events.DisplayEvent) bool {
	signs := s.signs.Signs(r.SessionID, ev)
	return len(signs) == 0 || s.hasAnySign(r, s.signs.Call(&r.TwinCalls, ev, signs[0]))
}

// HasTexts reports whether the first account of a run has all texts of a kind that a model call said, taken together.
func (s *Share[S]) HasTexts(r *work.Run, w *twin.Wording, kind events.Kind) bool {
	return s.hasAnySign(r, s.signs.Texts(w, r.SessionID, kind))
}

// IsElsewhere reports whether the first account of a run has the call. isOut is true if its span was exported.
func (s *Share[S]) IsElsewhere(r *work.Run, ev *events.DisplayEvent, isOut bool) bool {
	return isOut || r.Standing == account.Twin && s.hasCall(r, ev)
}

// decideWords adds a text of a twin to its model call and decides on the record.
func (s *Share[S]) decideWords(a *work.Agent, what pending.Sighting) Decision {
	own, _ := s.signs.Text(a.WordingOf(what.Event), a.Run.SessionID, what.Event)
	if s.hasAnySign(a.Run, own) {
		return Dropped
	}
	if a.Chat.Is(what.Event) && a.Chat.Wording.Wait(what, s.set.WaitingBytes) {
		return Waits
	}
	return Exported
}
