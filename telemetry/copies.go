package telemetry

import (
	"cmp"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/exported"
)

// copyKey returns the key of an item. ok is false if a copy cannot be proven: a server's answers are never history, and
// without a session there is no other one.
func (s *Stream) copyKey(ev *events.DisplayEvent) (key exported.Item, ok bool) {
	if s.settings.Agent.Bodies || ev.SessionID == "" {
		return key, false
	}
	key = exported.Item{Provider: s.settings.Agent.Provider, ID: cmp.Or(ev.Tool.ID, ev.MessageID, ev.ItemID), Kind: ev.Kind}
	if clock.Plausible(ev.Time) {
		key.At = ev.Time.UnixNano()
	} else {
		key.Line = ev.ItemID
	}
	if key.What, key.Detail = saidBy(ev); ev.Kind != events.KindToolUse {
		key.What = ev.Text // the whole text: history is in transcripts, which contain whole texts
	}
	return key, key.ID != "" && (key.At != 0 || key.Line != "")
}

// leavesHistory reports whether ev is the first original work of a session whose run so far is copied history.
func (s *Stream) leavesHistory(ev *events.DisplayEvent) bool {
	r := s.run
	if r == nil || !r.isCopy() || r.closed || r.subAgent || ev.Copied || !modelWorks(ev) || ev.Kind == events.KindMessage {
		return false
	}
	if r.standing == account.Copy && (r.account == nil || r.account.Recalled()) {
		return false
	}
	key, ok := s.copyKey(ev)
	return !ok || !s.registry.ids.Said(&key)
}
