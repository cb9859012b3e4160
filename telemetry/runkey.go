package telemetry

import (
	"slices"
	"strconv"
)

// runKey finds the key of the run that waiting begins with; ok is false while it may still be told.
func (s *Stream) runKey(waiting []held, force bool) (key string, ok bool) {
	over := false
	for i := range waiting {
		ev := &waiting[i].event
		if modelSaid(ev) {
			return ev.MessageID, true
		}
		if modelWorks(ev) {
			return s.fallbackKey(waiting), true // the format names no messages, so nothing better will come
		}
		if over = ends(ev) || i > 0 && startsSession(ev) && startsTwice(waiting[:i]); over {
			break
		}
	}
	if !over && !force {
		return "", false
	}
	return s.fallbackKey(waiting), true
}

func (s *Stream) runKeyForced(waiting []held) string {
	key, _ := s.runKey(waiting, true)
	return key
}

// startsTwice reports whether a start line stands in waiting, so that another begins a new run.
func startsTwice(waiting []held) bool {
	return slices.ContainsFunc(waiting, func(h held) bool { return startsSession(&h.event) })
}

// fallbackKey names a run in which no model said anything.
func (s *Stream) fallbackKey(waiting []held) string {
	session := ""
	for i := range waiting {
		ev := &waiting[i].event
		if ev.TurnID != "" {
			return ev.TurnID
		}
		if session == "" {
			session = ev.SessionID
		}
	}
	for i := range waiting {
		if id := waiting[i].event.ItemID; id != "" && session != "" {
			return session + "/" + id
		}
	}
	return s.settings.ID + "@" + strconv.FormatInt(waiting[0].origin.offset, 10)
}

// keyIsMessage reports whether the run's key is the id of a model message.
func (s *Stream) keyIsMessage(waiting []held, key string) bool {
	for i := range waiting {
		if modelSaid(&waiting[i].event) {
			return waiting[i].event.MessageID == key
		}
	}
	return false
}

// isCopy reports whether the run that waiting begins with is history of another session, as the format marks it.
func isCopy(waiting []held) bool {
	for i := range waiting {
		if modelSaid(&waiting[i].event) {
			return waiting[i].event.Copied
		}
	}
	return false
}
