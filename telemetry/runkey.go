package telemetry

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// runKey names a run: by an id of the format, and by what the model said first under it.
type runKey struct {
	id        string // see [Stream.runKey]
	content   string // of the first item of the model; empty where the run has none, or ids of messages need no evidence
	byMessage bool   // id is that of a model message
	marked    bool   // the format marks that item as history of another session
	account   uint64 // the run in each account of it; see [Stream.stand]
	copy      uint64 // what a copy of that item has in common with it; see [exported.Item]; 0 if nothing proves one
}

// keySuffix is the room for content and occurrence behind the id.
const keySuffix = 2 + 2*otlp.HashBytes + 10

// String is what takes part in ids.
func (k *runKey) String() string {
	if k.content == "" {
		return k.id
	}
	return k.id + "~" + hex.EncodeToString([]byte(k.content))
}

// runKey finds the key of the run that waiting begins with; ok is false while it may still come.
func (s *Stream) runKey(waiting []pendingEvent, force bool) (key runKey, ok bool) {
	over := false
	for i := range waiting {
		ev := &waiting[i].event
		if key.id == "" && modelSaid(ev) {
			key.id, key.byMessage, key.marked = strings.Clone(ev.MessageID), true, ev.Copied
		}
		if modelWorks(ev) && !(s.settings.Agent.StreamIDs && ev.Kind == events.KindReasoning) { // else twins may lack it
			// A format that names no messages has nothing better to come.
			key.content = contentOf(ev)
			if item, ok := s.copyKey(ev); ok {
				key.copy = item.Stable()
			}
			break
		}
		if key.id != "" && s.settings.Agent.OwnMessageIDs {
			break
		}
		if over = ends(ev) || i > 0 && startsSession(ev) && startsTwice(waiting[:i]); over {
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

// startsTwice reports whether waiting has a start line already, so that another one begins a new run.
func startsTwice(waiting []pendingEvent) bool {
	return slices.ContainsFunc(waiting, func(h pendingEvent) bool { return startsSession(&h.event) })
}

// fallbackKey names a run whose model messages have no ids: by the turn; else by the session and the first line's own id,
// or the run's number in the stream; else by what the stream begins with, and where the run does.
func (s *Stream) fallbackKey(waiting []pendingEvent) string {
	session := ""
	for i := range waiting {
		ev := &waiting[i].event
		if ev.TurnID != "" {
			return strings.Clone(ev.TurnID)
		}
		if session == "" {
			session = ev.SessionID
		}
	}
	if session == "" {
		return s.settings.Fingerprint + "@" + strconv.FormatInt(waiting[0].origin.offset, 10)
	}
	for i := range waiting {
		if id := waiting[i].event.ItemID; id != "" {
			return session + "/" + id
		}
	}
	return session + "#" + strconv.Itoa(s.past.runs)
}
