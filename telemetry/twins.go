package telemetry

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
)

// Twins are two accounts of one run under different IDs, which package account matches by signs. If the second account
// is a twin, it exports the calls and texts for which the first has no sign.

// signsOf returns the signs of what the model said or did on the main thread, or none. The sign of a text is its
// beginning, which is equal in accounts that split it differently. The sign of a call is its target and the kind of its
// tool, because IDs alone prove nothing and tools have two names. Without a target it is its tool.
func (s *Stream) signsOf(session string, ev *events.DisplayEvent) (signs []uint64) {
	if !s.settings.Agent.StreamIDs || session == "" || !modelWorks(ev) {
		return nil
	}
	add := func(parts ...string) {
		parts = append(parts, "sign", s.settings.Agent.Provider, session)
		signs = append(signs, s.seen.Mark(parts))
	}
	switch ev.Kind {
	case events.KindToolUse:
		tool, target := toolAlone(ev.Tool.Name), ev.Tool.Target
		if target == "" {
			add("tool", tool)
			break
		}
		if !strings.ContainsAny(target, " \n") {
			target = path.Base(target) // a file, whose path may be relative to the agent's folder
		}
		add("target", otlp.ToolKind(tool, "", false), target)
	case events.KindText, events.KindReasoning:
		if begin := beginningOf(ev.Text); begin != "" {
			add(ev.Kind.String(), begin)
		}
	}
	return signs
}

// toolAlone returns the name of a tool without its server, which only one of the accounts may prepend
// (mcp__server__tool).
func toolAlone(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		return name[i+2:]
	}
	return name
}

// beginningRunes is the length of a text's beginning.
const beginningRunes = 16

// beginningOf returns the beginning of a text's first line, without invisible characters and white space.
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

// visible reports whether a character counts in comparisons of texts: the accounts of an agent may differ in all others.
func visible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// openingSigns returns the signs of the run that begins with waiting, and whether its stream is a transcript. Signs of
// reasoning do not suffice, because the other account may have none.
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

// noteSigns adds the signs of an item to the first account of a run. again is true if the record was exported before.
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
	s.registry.accounts.Enter(r.account, signs, s.recorded)
}

// callSign counts a call of a run and returns its sign with its number among similar calls: those with the same sign
// alike and, if both accounts have the IDs of calls, the same ID.
func (s *Stream) callSign(r *run, ev *events.DisplayEvent, alike uint64) uint64 {
	call := strconv.FormatUint(alike, 16)
	if s.settings.Agent.CallIDs {
		call += ev.Tool.ID
	}
	return s.seen.Mark([]string{call, strconv.Itoa(s.seen.Nth(&r.twinCalls, call)), "nth"})
}

// hasSign reports whether the first account of a run has the item of ev, or may have it: an item without a sign proves
// nothing.
func (s *Stream) hasSign(r *run, ev *events.DisplayEvent) bool {
	signs := s.signsOf(r.sessionID, ev)
	return len(signs) == 0 || s.hasAnySign(r, signs...)
}

// hasAnySign reports whether the first account of a run has one of the signs.
func (s *Stream) hasAnySign(r *run, signs ...uint64) bool {
	return s.registry.accounts.Has(r.account, signs, !s.recorded)
}

// hasCall reports whether the first account of a run has as many calls like ev as the second has up to it.
func (s *Stream) hasCall(r *run, ev *events.DisplayEvent) bool {
	signs := s.signsOf(r.sessionID, ev)
	return len(signs) == 0 || s.hasAnySign(r, s.callSign(r, ev, signs[0]))
}

// isElsewhere reports whether the first account of a run has the call. isOut is true if its span was exported.
func (s *Stream) isElsewhere(r *run, ev *events.DisplayEvent, isOut bool) bool {
	return isOut || r.standing == account.Twin && s.hasCall(r, ev)
}
