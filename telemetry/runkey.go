package telemetry

import (
	"cmp"
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/twin"
)

// identities makes the keys of a stream's runs and items, and the signs by which two accounts of a run are matched.
type identities struct {
	core
	seen  exported.Seen
	signs twin.Signer
}

// runKey identifies a run by an ID of the format and by what the model said first.
type runKey struct {
	id        string // see [identities.runKey]
	content   string // of the first item of the model; empty if the run has none or if the IDs of messages are unique
	byMessage bool   // id is that of a model message
	marked    bool   // the format marks that item as history of another session
	account   uint64 // hash of the run, equal in each account of it; see [accounting.classifyRun]
	copy      uint64 // hash that the item shares with a copy; see [exported.Item]; 0 if copies cannot be proven
}

// keySuffix is the room for content and occurrence after the ID.
const keySuffix = 2 + 2*otlp.HashBytes + 10

// String returns the form that is part of IDs.
func (k *runKey) String() string {
	if k.content == "" {
		return k.id
	}
	return k.id + "~" + hex.EncodeToString([]byte(k.content))
}

// runKey returns the key of the run that begins with waiting. ok is false while a better key may follow.
func (s *identities) runKey(waiting pending.Events, force bool) (key runKey, ok bool) {
	over, others := false, false
	for i := range waiting {
		ev := &waiting[i].Event
		others = others || ev.ParentID != ""
		if key.id == "" && content.ModelSaid(ev) {
			key.id, key.byMessage, key.marked = strings.Clone(ev.MessageID), true, ev.Copied
		}
		if content.ModelWorks(ev) && !(s.settings.Agent.StreamIDs && ev.Kind == events.KindReasoning) { // otherwise twins may lack it
			// A format without message IDs has no better key to wait for.
			key.content = content.Hash(ev)
			if item, ok := s.copyKey(ev); ok && !others { // the work of a sub-agent before it is no copy
				key.copy = item.Stable()
			}
			break
		}
		if key.id != "" && s.settings.Agent.OwnMessageIDs {
			break
		}
		if over = content.Ends(ev) || i > 0 && content.StartsSession(ev) && waiting[:i].HasStart(); over {
			break
		}
	}
	if s.settings.Agent.OwnMessageIDs {
		key.content = ""
	} else if key.content == "" && !over && !force {
		return key, false
	}
	if key.id == "" {
		if !over && !force && key.content == "" {
			return key, false
		}
		key.id = s.fallbackKey(waiting)
	}
	otlp.Bound(&key.id, otlp.NameBytes-keySuffix)
	return key, true
}

// fallbackKey identifies a run whose model messages have no IDs: by the turn; else by the session with the first line's
// own ID or the run's number in the stream; else by the fingerprint of the stream and the offset of the run.
func (s *identities) fallbackKey(waiting pending.Events) string {
	session := ""
	for i := range waiting {
		ev := &waiting[i].Event
		if ev.TurnID != "" {
			return strings.Clone(ev.TurnID)
		}
		if session == "" {
			session = ev.SessionID
		}
	}
	if session == "" {
		return s.settings.Fingerprint + "@" + strconv.FormatInt(waiting[0].Origin.Offset, 10)
	}
	for i := range waiting {
		if id := waiting[i].Event.ItemID; id != "" {
			return session + "/" + id
		}
	}
	return session + "#" + strconv.Itoa(s.past.runs)
}

// idSession returns the session's part of IDs.
func (s *identities) idSession(session string) string {
	if session == "" {
		return s.settings.Fingerprint
	}
	return session
}

// copyKey returns the key of an item. ok is false if a copy cannot be proven: a server's answers are never history, and
// without a session there is no other one.
func (s *identities) copyKey(ev *events.DisplayEvent) (key exported.Item, ok bool) {
	if s.settings.Agent.Bodies || ev.SessionID == "" {
		return key, false
	}
	key = exported.Item{Provider: s.settings.Agent.Provider, ID: cmp.Or(ev.Tool.ID, ev.MessageID, ev.ItemID), Kind: ev.Kind}
	if clock.Plausible(ev.Time) {
		key.At = ev.Time.UnixNano()
	} else {
		key.Line = ev.ItemID
	}
	if key.What, key.Detail = content.Said(ev); ev.Kind != events.KindToolUse {
		key.What = ev.Text // the whole text: history is in transcripts, which contain whole texts
	}
	return key, key.ID != "" && (key.At != 0 || key.Line != "")
}

// leavesHistory reports whether ev is the first original work of a session whose run so far is copied history.
func (s *identities) leavesHistory(ev *events.DisplayEvent) bool {
	r := s.run
	if r == nil || !r.IsCopy() || r.Closed || r.SubAgent || ev.Copied || !content.ModelWorks(ev) || ev.Kind == events.KindMessage {
		return false
	}
	if r.Standing == account.Copy && (r.Account == nil || r.Account.Recalled()) {
		return false
	}
	key, ok := s.copyKey(ev)
	return !ok || !s.registry.ids.Said(&key)
}

// opens reports whether ev begins a new run.
func (s *identities) opens(ev *events.DisplayEvent) bool {
	return s.run.Opens(ev) || s.leavesHistory(ev)
}
