package agentstreamreceiver

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/telemetry"
)

// given are the events that a restated stream (a document, rows) gave. Where such a stream is read again after a restart, no
// position says what of it was accepted: a row or a message may tell more than it did. So events are told by what they
// are about.
type given struct {
	before map[uint64]mark // of an earlier process
	nth    map[uint64]int  // how many events of a name came in this one
	order  []mark          // what the fold was given, in order
	later  portion         // new, and waits for the end of what is old
}

// mark is an event that was given.
type mark struct {
	name   uint64
	length uint32 // of its text
	text   uint32 // hash of that
	out    bool   // an earlier process handed it on, so it does not wait, whatever the fold says
}

// maxGiven bounds the marks of a stream; the oldest are forgotten first.
const maxGiven = 1 << 16

func newGiven(kept []byte) *given {
	g := &given{before: map[uint64]mark{}, nth: map[uint64]int{}}
	for len(kept) >= 12 {
		m := mark{name: binary.LittleEndian.Uint64(kept), text: binary.LittleEndian.Uint32(kept[8:]), out: true}
		length, n := binary.Uvarint(kept[12:])
		if n <= 0 {
			break
		}
		m.length = uint32(length)
		g.before[m.name] = m
		kept = kept[12+n:]
	}
	return g
}

// encode gives the marks of what went out: the last waiting events did not, unless an earlier process handed them on.
func (g *given) encode(waiting int) []byte {
	var b []byte
	put := func(m *mark) {
		b = binary.LittleEndian.AppendUint64(b, m.name)
		b = binary.LittleEndian.AppendUint32(b, m.text)
		b = binary.AppendUvarint(b, uint64(m.length))
	}
	for i := range g.order {
		if m := &g.order[i]; m.out || i < len(g.order)-waiting {
			put(m)
		}
	}
	return b
}

// name is what tells an event from others, but for the ones of the same name before it.
func name(e *events.DisplayEvent) uint64 {
	h := fnv.New64a()
	put := func(parts ...string) {
		for _, part := range parts {
			h.Write([]byte(part))
			h.Write([]byte{0})
		}
	}
	put(e.Kind.String(), e.SessionID, e.ItemID, e.Tool.ID)
	if e.ItemID == "" && e.Tool.ID == "" {
		put(e.MessageID, e.Text, e.Notice.Code)
	}
	return h.Sum64()
}

func textHash(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// portion are events, and the marks of what they are.
type portion struct {
	evs   []events.DisplayEvent
	marks []mark
}

func (p *portion) add(e *events.DisplayEvent, m mark) {
	p.evs, p.marks = append(p.evs, *e), append(p.marks, m)
}

// split divides events into those that an earlier process gave and those that are new. Of a text that has grown since, the
// rest is new.
func (g *given) split(evs []events.DisplayEvent) (old, fresh portion) {
	for i := range evs {
		m := g.mark(&evs[i])
		before, known := g.before[m.name]
		if !known {
			fresh.add(&evs[i], m)
			continue
		}
		old.add(&evs[i], before)
		for rest, grown := before.rest(&evs[i]); grown; rest, grown = before.rest(&rest) {
			m := g.mark(&rest)
			if before, known = g.before[m.name]; !known {
				fresh.add(&rest, m)
				break
			}
			old.marks = append(old.marks, before) // it is in the text that is there
		}
	}
	return old, fresh
}

// mark makes the mark of the next event of its name.
func (g *given) mark(e *events.DisplayEvent) mark {
	name := name(e)
	nth := g.nth[name]
	g.nth[name] = nth + 1
	const odd = 0x9e3779b97f4a7c15
	return mark{name: name ^ uint64(nth)*odd, length: uint32(len(e.Text)), text: textHash(e.Text)}
}

// rest is what a text says beyond what was given of it. It is named as the parsers name what was added to a text: by the
// item and the number of bytes before it.
func (m mark) rest(e *events.DisplayEvent) (events.DisplayEvent, bool) {
	n := int(m.length)
	if e.ItemID == "" || n == 0 || len(e.Text) <= n || textHash(e.Text[:n]) != m.text {
		return events.DisplayEvent{}, false
	}
	r := *e
	r.Text, r.ItemID = e.Text[n:], e.ItemID+"#"+strconv.Itoa(n)
	return r, true
}

// fed notes what the fold is given now.
func (g *given) fed(marks []mark) {
	g.order = append(g.order, marks...)
	if drop := len(g.order) - maxGiven; drop > 0 {
		g.order = append(g.order[:0:0], g.order[drop:]...)
	}
}

// keep holds back what is new until all that is old was folded. What events borrow is copied.
func (g *given) keep(fresh portion) {
	for i := range fresh.evs {
		t := &fresh.evs[i].Tool
		t.Input, t.Output = bytes.Clone(t.Input), bytes.Clone(t.Output)
	}
	g.later.evs, g.later.marks = append(g.later.evs, fresh.evs...), append(g.later.marks, fresh.marks...)
}

// takeRestated folds events of a restated stream: silently those that an earlier process gave.
func (s *stream) takeRestated(evs []events.DisplayEvent) {
	old, fresh := s.given.split(evs)
	line := s.fold.At
	if line.Replay = true; len(old.marks) > 0 {
		s.given.fed(old.marks)
		s.fold.Fold(line, old.evs)
	}
	if s.fold.At.Replay {
		s.given.keep(fresh)
		return
	}
	s.given.fed(fresh.marks)
	s.fold.Fold(s.fold.At, fresh.evs)
}

// takeLater folds what was new in lines that came again, now that all that is old was folded.
func (s *stream) takeLater() {
	if s.given == nil || len(s.given.later.evs) == 0 {
		return
	}
	fresh := s.given.later
	s.given.later = portion{}
	s.given.fed(fresh.marks)
	s.fold.Fold(s.fold.At, fresh.evs)
}

// keepGiven renews what is kept of a restated stream. The fold's own account of what waits goes by places in the stream, of
// which there are none. A family of sessions that was closed since it was quiet goes on with what comes then alone.
func (s *stream) keepGiven(state *streamState) {
	state.Given, state.Fold.Pending = s.given.encode(s.fold.Waiting()), nil
	if s.closed && s.idled && s.source.afresh {
		state.Fold = telemetry.StreamState{Last: 1}
	}
}
