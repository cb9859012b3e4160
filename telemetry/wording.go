package telemetry

import (
	"encoding/binary"
	"hash/maphash"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
)

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

// wordingOf returns the wording of the agent's model call if ev is part of that, else a new one.
func (a *agent) wordingOf(ev *events.DisplayEvent) *wording {
	if !a.chat.is(ev) {
		return &wording{}
	}
	if a.chat.wording == nil {
		a.chat.wording = &wording{}
	}
	return a.chat.wording
}

// words reports whether ev is something that the model said.
func words(ev *events.DisplayEvent) bool {
	return (ev.Kind == events.KindText || ev.Kind == events.KindReasoning) && ev.ParentID == ""
}

// signsOfWords appends a text to its model call. It returns the sign of the text and the sign of all texts so far; for
// the first text they are equal.
func (s *Stream) signsOfWords(a *agent, ev *events.DisplayEvent) (own, all uint64) {
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
func (s *Stream) signOfWords(r *run, kind events.Kind, j *joined) uint64 {
	sum := binary.BigEndian.AppendUint64(nil, j.Sum64())
	return s.seen.Mark([]string{string(sum), kind.String(), "words", s.settings.Agent.Provider, r.sessionID})
}

// decideWords adds a text of a twin to its model call and decides on the record.
func (s *Stream) decideWords(a *agent, what sighting) decision {
	own, _ := s.signsOfWords(a, what.ev)
	if s.hasAnySign(a.run, own) {
		return recordDropped
	}
	size := bytesOf(what.ev)
	if !a.chat.is(what.ev) || a.chat.wording.bytes+size > s.registry.settings.Limits.PendingBytes {
		return recordExported
	}
	w, kept := a.chat.wording, *what.ev
	kept.Tool.Input, kept.Tool.Output = nil, nil
	w.waiting, w.bytes = append(w.waiting, sighting{&kept, what.at, what.from, 0}), w.bytes+size
	return recordWaits
}

// settleWording writes the pending texts of a model call unless the first account contains all that the call said.
func (s *Stream) settleWording(a *agent) {
	w := a.chat.wording
	if w == nil {
		return
	}
	for _, what := range w.waiting {
		kind := what.ev.Kind
		if s.hasAnySign(a.run, s.signOfWords(a.run, kind, &w.joined[kindOfWords(kind)])) {
			s.dropped(a.run)
		} else {
			s.writeRecord(a, nil, what)
		}
	}
	a.chat.wording = nil
}
