package telemetry

import (
	"path"
	"slices"
	"strings"

	"github.com/tailspan/tailspan/events"
)

// The streams of some agents have ids that their transcripts have not (Codex, Gemini and Qwen name messages in one of
// them, or in each otherwise). Two accounts of one run are then recognised by what the agent said and did in one session:
// by signs. A stream on standard output and a transcript can be twins, two streams or two transcripts cannot.
//
// A twin that is a second account exports the calls and texts of which the first has no sign.

// signer finds runs by their signs. Its owner locks.
type signer struct {
	runs memory[sign, []*account]
}

// sign is a hash of an item of a session, and which kind of stream has it.
type sign struct {
	hash     uint64
	recorded bool
}

// maxTwins bounds the runs that are found by one sign.
const maxTwins = 8

func newSigner(limit int, forgotten *int) signer {
	return signer{newMemory[sign, []*account](limit, forgotten)}
}

// prefixRunes is how much of a text is its sign: Gemini's stream ends a text where a call begins, its transcript does not.
const prefixRunes = 24

// signsOf are the signs of what the model said or did on the main thread; none for anything else.
func (s *Stream) signsOf(session string, ev *events.DisplayEvent) (signs []uint64) {
	if !s.settings.Agent.StreamIDs || session == "" || !modelWorks(ev) {
		return nil
	}
	add := func(parts ...string) {
		parts = append(parts, "sign", s.settings.Agent.Provider, session)
		signs = append(signs, s.markOf(parts))
	}
	switch ev.Kind {
	case events.KindToolUse:
		// An id alone proves nothing where both say what the call is for: see content.go.
		target := ev.Tool.Target
		if target == "" && ev.Tool.ID != "" {
			add("call", ev.Tool.ID)
		}
		if target != "" {
			if !strings.ContainsAny(target, " \n") {
				target = path.Base(target) // a file, whose path may begin at the folder that the agent works in
			}
			add("target", target)
		}
	case events.KindText, events.KindReasoning:
		line, _, _ := strings.Cut(strings.TrimLeft(ev.Text, " \t\n"), "\n")
		if line = strings.TrimSpace(events.CutRunes(line, prefixRunes)); line != "" {
			add(ev.Kind.String(), line)
		}
	}
	return signs
}

// openingSigns are the signs of the run that waiting begins with, and whether its stream is a transcript.
func (s *Stream) openingSigns(session string, waiting []held) (signs []uint64, recorded bool) {
	recorded = s.recorded || slices.ContainsFunc(waiting, func(h held) bool { return h.event.Session != nil && h.event.Session.Recorded })
	for i := range waiting {
		if signs = s.signsOf(session, &waiting[i].event); len(signs) > 0 {
			break
		}
	}
	return signs, recorded
}

// twinOf is the run that the one which waiting begins with is another account of; nil if there is none.
func (s *Stream) twinOf(session string, waiting []held) *account {
	signs, recorded := s.openingSigns(session, waiting)
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	return s.registry.signs.twin(signs, !recorded)
}

// twinOrEnter is twinOf; if there is none, the signs of the run are entered at once: of two streams that open their runs at
// the same time, one is the other's twin.
func (s *Stream) twinOrEnter(own *account, session string, waiting []held) *account {
	signs, recorded := s.openingSigns(session, waiting)
	if len(signs) == 0 {
		return nil
	}
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	if twin := s.registry.signs.twin(signs, !recorded); twin != nil {
		return twin
	}
	s.registry.signs.enter(own, signs, recorded)
	return nil
}

// twin is the first run with a sign that has no twin yet.
func (t *signer) twin(signs []uint64, recorded bool) *account {
	for _, hash := range signs {
		list, _ := t.runs.get(sign{hash, recorded})
		for _, a := range list {
			if a.twin == "" {
				return a
			}
		}
	}
	return nil
}

// enter notes the signs of a first account.
func (t *signer) enter(own *account, signs []uint64, recorded bool) {
	for _, hash := range signs {
		key := sign{hash, recorded}
		list, _ := t.runs.get(key)
		if len(list) < maxTwins && !slices.Contains(list, own) {
			t.runs.set(key, append(list, own))
		}
	}
}

// pair makes the run that opens the twin of a first account.
func (r *Registry) pair(first *account, stream string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first.twin = stream
}

// noteSigns enters what the first account of a run has.
func (s *Stream) noteSigns(r *run, ev *events.DisplayEvent) {
	signs := s.signsOf(r.sessionID, ev)
	if len(signs) == 0 || r.account == nil {
		return
	}
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	s.registry.signs.enter(r.account, signs, s.recorded)
}

// hasSign reports whether the first account of a run has what ev is about, or may have it: an item without a sign (a call
// without a target) shows nothing.
func (s *Stream) hasSign(r *run, ev *events.DisplayEvent) bool {
	signs := s.signsOf(r.sessionID, ev)
	if len(signs) == 0 {
		return true
	}
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	return slices.ContainsFunc(signs, func(hash uint64) bool {
		list, _ := s.registry.signs.runs.get(sign{hash, !s.recorded})
		return slices.Contains(list, r.account)
	})
}

// isElsewhere reports whether the first account of a run has the item that a span would be of.
func (s *Stream) isElsewhere(r *run, ev *events.DisplayEvent, isOut bool) bool {
	return r.joined && (isOut || r.twin && s.hasSign(r, ev))
}
