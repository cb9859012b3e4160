package telemetry

import (
	"encoding/binary"
	"hash/maphash"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/pending"
)

// Twins are two accounts of one run under different IDs, which package account matches by signs. If the second account
// is a twin, it exports the calls and texts for which the first has no sign.

// signsOf returns the signs of what the model said or did on the main thread, or none. The sign of a text is its
// beginning, which is equal in accounts that split it differently. The sign of a call is its target and the kind of its
// tool, because IDs alone prove nothing and tools have two names. Without a target it is its tool.
func (s *identities) signsOf(session string, ev *events.DisplayEvent) (signs []uint64) {
	if !s.settings.Agent.StreamIDs || session == "" || !content.ModelWorks(ev) {
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
func (s *identities) openingSigns(session string, waiting pending.Events) (signs []uint64, recorded bool) {
	recorded = s.recorded || waiting.Recorded()
	for i := range waiting {
		ev := &waiting[i].Event
		own := s.signsOf(session, ev)
		if signs = append(signs, own...); len(own) > 0 && ev.Kind != events.KindReasoning {
			break
		}
	}
	return signs, recorded
}

// noteSigns adds the signs of an item to the first account of a run. again is true if the record was exported before.
func (s *identities) noteSigns(a *agent, ev *events.DisplayEvent, again bool) {
	r := a.run
	signs := s.signsOf(r.sessionID, ev)
	if len(signs) == 0 || r.account == nil || r.isChild() { // accounts of a sub-agent are matched by its ID
		return
	}
	switch {
	case content.IsText(ev):
		own, all := s.signsOfWords(a, ev)
		signs = append(signs, own, all)
	case !again:
		signs = append(signs, s.callSign(r, ev, signs[0]))
	}
	s.registry.accounts.Enter(r.account, signs, s.recorded)
}

// callSign counts a call of a run and returns its sign with its number among similar calls: those with the same sign
// alike and, if both accounts have the IDs of calls, the same ID.
func (s *identities) callSign(r *run, ev *events.DisplayEvent, alike uint64) uint64 {
	call := strconv.FormatUint(alike, 16)
	if s.settings.Agent.CallIDs {
		call += ev.Tool.ID
	}
	return s.seen.Mark([]string{call, strconv.Itoa(s.seen.Nth(&r.twinCalls, call)), "nth"})
}

// hasSign reports whether the first account of a run has the item of ev, or may have it: an item without a sign proves
// nothing.
func (s *identities) hasSign(r *run, ev *events.DisplayEvent) bool {
	signs := s.signsOf(r.sessionID, ev)
	return len(signs) == 0 || s.hasAnySign(r, signs...)
}

// hasAnySign reports whether the first account of a run has one of the signs.
func (s *identities) hasAnySign(r *run, signs ...uint64) bool {
	return s.registry.accounts.Has(r.account, signs, !s.recorded)
}

// hasCall reports whether the first account of a run has as many calls like ev as the second has up to it.
func (s *identities) hasCall(r *run, ev *events.DisplayEvent) bool {
	signs := s.signsOf(r.sessionID, ev)
	return len(signs) == 0 || s.hasAnySign(r, s.callSign(r, ev, signs[0]))
}

// isElsewhere reports whether the first account of a run has the call. isOut is true if its span was exported.
func (s *identities) isElsewhere(r *run, ev *events.DisplayEvent, isOut bool) bool {
	return isOut || r.standing == account.Twin && s.hasCall(r, ev)
}

// Two accounts of a model call contain the same words but may split them differently: Gemini CLI's stream ends a text
// where a call begins, while its transcript contains the whole text of a message or what was added to it. A second
// account that is a twin therefore drops a text if the first account has the same text, or the same words in all texts
// of a model call taken together. Until the model call is over, a text without an exact match is pending. The
// comparison ignores invisible characters and white space, at which the texts may be split.

// wording is what a model call has said so far.
type wording struct {
	joined [2]joined // texts and reasoning
	// waiting lists the texts of a second account that have no exact match in the first.
	waiting []sighting
	bytes   int // size of waiting
}

// joined is the hash of concatenated texts.
type joined struct {
	maphash.Hash
	texts int
}

// add appends a text.
func (j *joined) add(seed maphash.Seed, text string) {
	if j.texts == 0 {
		j.SetSeed(seed)
	}
	j.texts++
	from := 0
	for i, r := range text {
		if !visible(r) {
			j.WriteString(text[from:i])
			from = i + utf8.RuneLen(r)
		}
	}
	j.WriteString(text[from:])
}

// signsOfWords appends a text to its model call. It returns the sign of the text and the sign of all texts so far; for
// the first text they are equal.
func (s *identities) signsOfWords(a *agent, ev *events.DisplayEvent) (own, all uint64) {
	w, seed := a.wordingOf(ev), s.registry.ids.Seed()
	j := &w.joined[kindOfWords(ev.Kind)]
	j.add(seed, ev.Text)
	all = s.signOfWords(a.run, ev.Kind, j)
	if j.texts == 1 {
		return all, all
	}
	var alone joined
	alone.add(seed, ev.Text)
	return s.signOfWords(a.run, ev.Kind, &alone), all
}

func kindOfWords(kind events.Kind) int {
	if kind == events.KindReasoning {
		return 1
	}
	return 0
}

// signOfWords returns the sign of texts of a kind in a session.
func (s *identities) signOfWords(r *run, kind events.Kind, j *joined) uint64 {
	sum := binary.BigEndian.AppendUint64(nil, j.Sum64())
	return s.seen.Mark([]string{string(sum), kind.String(), "words", s.settings.Agent.Provider, r.sessionID})
}

// decideWords adds a text of a twin to its model call and decides on the record.
func (s *identities) decideWords(a *agent, what sighting) decision {
	own, _ := s.signsOfWords(a, what.ev)
	if s.hasAnySign(a.run, own) {
		return recordDropped
	}
	size := content.Size(what.ev)
	if !a.chat.is(what.ev) || a.chat.wording.bytes+size > s.registry.settings.Limits.PendingBytes {
		return recordExported
	}
	w, kept := a.chat.wording, *what.ev
	kept.Tool.Input, kept.Tool.Output = nil, nil
	w.waiting, w.bytes = append(w.waiting, sighting{&kept, what.at, what.from, 0}), w.bytes+size
	return recordWaits
}
