package telemetry

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// runKey identifies a run by an ID of the format and by what the model said first.
type runKey struct {
	id        string // see [Stream.runKey]
	content   string // of the first item of the model; empty if the run has none or if the IDs of messages are unique
	byMessage bool   // id is that of a model message
	marked    bool   // the format marks that item as history of another session
	account   uint64 // hash of the run, equal in each account of it; see [Stream.classifyRun]
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
func (s *Stream) runKey(waiting []pendingEvent, force bool) (key runKey, ok bool) {
	over := false
	for i := range waiting {
		ev := &waiting[i].event
		if key.id == "" && modelSaid(ev) {
			key.id, key.byMessage, key.marked = strings.Clone(ev.MessageID), true, ev.Copied
		}
		if modelWorks(ev) && !(s.settings.Agent.StreamIDs && ev.Kind == events.KindReasoning) { // otherwise twins may lack it
			// A format without message IDs has no better key to wait for.
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

// startsTwice reports whether waiting already has a start line, so that another one begins a new run.
func startsTwice(waiting []pendingEvent) bool {
	return slices.ContainsFunc(waiting, func(h pendingEvent) bool { return startsSession(&h.event) })
}

// fallbackKey identifies a run whose model messages have no IDs: by the turn; else by the session with the first line's
// own ID or the run's number in the stream; else by the fingerprint of the stream and the offset of the run.
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
