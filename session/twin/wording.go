package twin

import (
	"encoding/binary"
	"hash/maphash"
	"unicode/utf8"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/content"
	"github.com/tailspan/tailspan/session/pending"
)

// Wording is what a model call has said so far.
type Wording struct {
	joined [2]joined // texts and reasoning
	// Waiting lists the texts of a second account that have no exact match in the first.
	Waiting []pending.Sighting
	bytes   int // size of waiting
}

// Wait keeps a text unless the waiting ones exceed the limit with it, in bytes.
func (w *Wording) Wait(what pending.Sighting, limit int) bool {
	size := content.Size(what.Event)
	if w.bytes+size > limit {
		return false
	}
	kept := *what.Event
	kept.Tool.Input, kept.Tool.Output = nil, nil
	what.Event, what.Number = &kept, 0
	w.Waiting, w.bytes = append(w.Waiting, what), w.bytes+size
	return true
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

// Text appends a text to its model call. It returns the sign of the text and the sign of all texts of its kind so far; for the first text
// they are equal.
func (s *Signer) Text(w *Wording, session string, ev *events.DisplayEvent) (own, all uint64) {
	seed := s.Seen.Seed()
	j := w.of(ev.Kind)
	j.add(seed, ev.Text)
	all = s.joined(session, ev.Kind, j)
	if j.texts == 1 {
		return all, all
	}
	var alone joined
	alone.add(seed, ev.Text)
	return s.joined(session, ev.Kind, &alone), all
}

// Texts returns the sign of all texts of a kind that a model call said.
func (s *Signer) Texts(w *Wording, session string, kind events.Kind) uint64 {
	return s.joined(session, kind, w.of(kind))
}

// of returns what was said in texts of a kind.
func (w *Wording) of(kind events.Kind) *joined {
	if kind == events.KindReasoning {
		return &w.joined[1]
	}
	return &w.joined[0]
}

func (s *Signer) joined(session string, kind events.Kind, j *joined) uint64 {
	sum := binary.BigEndian.AppendUint64(nil, j.Sum64())
	return s.Seen.Mark([]string{string(sum), kind.String(), "words", s.Provider, session})
}
