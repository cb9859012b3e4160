package telemetry

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/memory"
)

// The streams of some agents have ids that their transcripts have not (Codex, Gemini and Qwen name messages in one of
// them, or in each otherwise). Two accounts of one run are then recognised by what the agent said and did in one session:
// by signs. A stream on standard output and a transcript can be twins, two streams or two transcripts cannot.
//
// A twin that is a second account exports the calls and texts of which the first has no sign.

// signer finds runs by their signs. Its owner locks.
type signer struct {
	runs memory.Map[sign, []*account]
}

// sign is a hash of an item of a session, and which kind of stream has it.
type sign struct {
	hash     uint64
	recorded bool
}

// maxTwins bounds the runs that are found by one sign.
const maxTwins = 8

func newSigner(limit int, forgotten *int) signer {
	return signer{memory.NewMap[sign, []*account](limit, forgotten)}
}

// signsOf are the signs of what the model said or did on the main thread; none for anything else. Of a text it is the
// beginning, which two accounts share that part it differently; of a call its target and the kind of its tool, since ids
// alone prove nothing and tools have two names, or without a target its tool.
func (s *Stream) signsOf(session string, ev *events.DisplayEvent) (signs []uint64) {
	if !s.settings.Agent.StreamIDs || session == "" || !modelWorks(ev) {
		return nil
	}
	add := func(parts ...string) {
		parts = append(parts, "sign", s.settings.Agent.Provider, session)
		signs = append(signs, s.seen.markOf(parts))
	}
	switch ev.Kind {
	case events.KindToolUse:
		tool, target := toolAlone(ev.Tool.Name), ev.Tool.Target
		if target == "" {
			add("tool", tool)
			break
		}
		if !strings.ContainsAny(target, " \n") {
			target = path.Base(target) // a file, whose path may begin at the folder that the agent works in
		}
		add("target", otlp.ToolKind(tool, "", false), target)
	case events.KindText, events.KindReasoning:
		if begin := beginningOf(ev.Text); begin != "" {
			add(ev.Kind.String(), begin)
		}
	}
	return signs
}

// toolAlone is the name of a tool without that of its server, which only one of the accounts may put in front of it
// (mcp__server__tool).
func toolAlone(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		return name[i+2:]
	}
	return name
}

// beginningRunes is how much of a text is its beginning.
const beginningRunes = 16

// beginningOf is how the first line of a text begins, without white space and what is invisible.
func beginningOf(text string) string {
	var b strings.Builder
	n := 0
	for _, r := range strings.TrimLeftFunc(text, func(r rune) bool { return !visible(r) }) {
		if r == '\n' || n == beginningRunes {
			break
		}
		if visible(r) {
			b.WriteRune(r)
			n++
		}
	}
	return b.String()
}

// visible reports whether a character counts where texts are compared: the accounts of an agent may differ in the others.
func visible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// openingSigns are the signs of the run that waiting begins with, and whether its stream is a transcript. Those of reasoning are
// not enough: the other account may have none of it.
func (s *Stream) openingSigns(session string, waiting []pendingEvent) (signs []uint64, recorded bool) {
	recorded = s.recorded || slices.ContainsFunc(waiting, func(h pendingEvent) bool { return h.event.Session != nil && h.event.Session.Recorded })
	for i := range waiting {
		ev := &waiting[i].event
		own := s.signsOf(session, ev)
		if signs = append(signs, own...); len(own) > 0 && ev.Kind != events.KindReasoning {
			break
		}
	}
	return signs, recorded
}

// twinOf is the run that the one which waiting begins with is another account of; nil if there is none.
func (s *Stream) twinOf(session string, waiting []pendingEvent) *account {
	signs, recorded := s.openingSigns(session, waiting)
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	return s.registry.signs.twin(signs, !recorded)
}

// twinOrEnter is twinOf; if there is none, the signs of the run are entered at once: of two streams that open their runs at
// the same time, one is the other's twin.
func (s *Stream) twinOrEnter(own *account, session string, waiting []pendingEvent) *account {
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
		list, _ := t.runs.Get(sign{hash, recorded})
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
		list, _ := t.runs.Get(key)
		if len(list) < maxTwins && !slices.Contains(list, own) {
			t.runs.Set(key, append(list, own))
		}
	}
}

// pair makes the run that opens the twin of a first account.
func (r *Registry) pair(first *account, stream string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first.twin = stream
}

// noteSigns enters what the first account of a run has. What comes again is not counted again.
func (s *Stream) noteSigns(a *agent, ev *events.DisplayEvent, again bool) {
	r := a.run
	signs := s.signsOf(r.sessionID, ev)
	if len(signs) == 0 || r.account == nil {
		return
	}
	switch {
	case words(ev):
		own, all := s.signsOfWords(a, ev)
		signs = append(signs, own, all)
	case !again:
		signs = append(signs, s.callSign(r, ev, signs[0]))
	}
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	s.registry.signs.enter(r.account, signs, s.recorded)
}

// callSign enters a call of a run, and is the sign of it that has which of the like it is: of those with the sign alike and,
// where both accounts have the ids of calls, the same id.
func (s *Stream) callSign(r *run, ev *events.DisplayEvent, alike uint64) uint64 {
	call := strconv.FormatUint(alike, 16)
	if s.settings.Agent.CallIDs {
		call += ev.Tool.ID
	}
	return s.seen.markOf([]string{call, strconv.Itoa(s.seen.nth(&r.likes, call)), "nth"})
}

// hasSign reports whether the first account of a run has what ev is about, or may have it: an item without a sign shows
// nothing.
func (s *Stream) hasSign(r *run, ev *events.DisplayEvent) bool {
	signs := s.signsOf(r.sessionID, ev)
	return len(signs) == 0 || s.hasAnySign(r, signs...)
}

// hasAnySign reports whether the first account of a run has one of the signs.
func (s *Stream) hasAnySign(r *run, signs ...uint64) bool {
	s.registry.mu.Lock()
	defer s.registry.mu.Unlock()
	return slices.ContainsFunc(signs, func(hash uint64) bool {
		list, _ := s.registry.signs.runs.Get(sign{hash, !s.recorded})
		return slices.Contains(list, r.account)
	})
}

// hasCall reports whether the first account of a run has as many calls like ev as the second has up to it.
func (s *Stream) hasCall(r *run, ev *events.DisplayEvent) bool {
	signs := s.signsOf(r.sessionID, ev)
	return len(signs) == 0 || s.hasAnySign(r, s.callSign(r, ev, signs[0]))
}

// isElsewhere reports whether the first account of a run has the call that a span would be of.
func (s *Stream) isElsewhere(r *run, ev *events.DisplayEvent, isOut bool) bool {
	return r.isJoined() && (r.standing == standingTwin && s.hasCall(r, ev) || isOut)
}
