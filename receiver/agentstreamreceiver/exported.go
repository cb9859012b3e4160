package agentstreamreceiver

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/telemetry"
)

// exportedEvents are the events of a restated stream (a document, rows) that were exported. When such a stream is read again
// after a restart, no offset divides it: a row or a message may contain more than before. So each event is identified by
// its content.
type exportedEvents struct {
	before map[uint64]mark // of a previous process
	nth    map[uint64]int  // number of events of a name in this process
	order  []mark          // what was applied, in order
	later  portion         // new, and pending until the replay ends
}

// mark identifies an event that was applied.
type mark struct {
	name   uint64
	length uint32 // of its text
	text   uint32 // hash of that
	out    bool   // a previous process exported it, so it is not pending
}

// maxExported bounds the marks of a stream; the oldest are evicted first.
const maxExported = 1 << 16

func newExportedEvents(kept []byte) *exportedEvents {
	g := &exportedEvents{before: map[uint64]mark{}, nth: map[uint64]int{}}
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

// encode returns the marks of exported events: the last waiting events are pending, unless a previous process exported them.
func (g *exportedEvents) encode(waiting int) []byte {
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

// name hashes what distinguishes an event from others; several events may have the same name.
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

// split divides events into those that a previous process exported and those that are new. The added part of a text that
// has grown is new.
func (g *exportedEvents) split(evs []events.DisplayEvent) (old, fresh portion) {
	for i := range evs {
		m := g.mark(&evs[i])
		before, known := g.before[m.name]
		if !known {
			fresh.add(&evs[i], m)
			continue
		}
		old.add(&evs[i], before)
		for more, grown := before.added(&evs[i]); grown; more, grown = before.added(&more) {
			m := g.mark(&more)
			if before, known = g.before[m.name]; !known {
				fresh.add(&more, m)
				break
			}
			old.marks = append(old.marks, before) // it is part of the text
		}
	}
	return old, fresh
}

// mark makes the mark of the next event of its name.
func (g *exportedEvents) mark(e *events.DisplayEvent) mark {
	name := name(e)
	nth := g.nth[name]
	g.nth[name] = nth + 1
	const odd = 0x9e3779b97f4a7c15
	return mark{name: name ^ uint64(nth)*odd, length: uint32(len(e.Text)), text: textHash(e.Text)}
}

// added returns what a text contains beyond what was exported of it. Its id is made as the parsers make it: from the item
// and the number of bytes before it.
func (m mark) added(e *events.DisplayEvent) (events.DisplayEvent, bool) {
	n := int(m.length)
	if e.ItemID == "" || n == 0 || len(e.Text) <= n || textHash(e.Text[:n]) != m.text {
		return events.DisplayEvent{}, false
	}
	r := *e
	r.Text, r.ItemID = e.Text[n:], e.ItemID+"#"+strconv.Itoa(n)
	return r, true
}

// applied records what is applied now.
func (g *exportedEvents) applied(marks []mark) {
	g.order = append(g.order, marks...)
	if drop := len(g.order) - maxExported; drop > 0 {
		g.order = append(g.order[:0:0], g.order[drop:]...)
	}
}

// hold keeps new events until the replay ends. Borrowed memory is copied.
func (g *exportedEvents) hold(fresh portion) {
	for i := range fresh.evs {
		t := &fresh.evs[i].Tool
		t.Input, t.Output = bytes.Clone(t.Input), bytes.Clone(t.Output)
	}
	g.later.evs, g.later.marks = append(g.later.evs, fresh.evs...), append(g.later.marks, fresh.marks...)
}

// applyRestated applies the events of a restated stream. Those that a previous process exported are replayed.
func (s *stream) applyRestated(evs []events.DisplayEvent) {
	old, fresh := s.exported.split(evs)
	line := s.pipeline.At
	if line.Replay = true; len(old.marks) > 0 {
		s.exported.applied(old.marks)
		s.pipeline.Apply(line, old.evs)
	}
	if s.pipeline.At.Replay {
		s.exported.hold(fresh)
		return
	}
	s.exported.applied(fresh.marks)
	s.pipeline.Apply(s.pipeline.At, fresh.evs)
}

// applyLater applies the events that were new in replayed lines.
func (s *stream) applyLater() {
	if s.exported == nil || len(s.exported.later.evs) == 0 {
		return
	}
	fresh := s.exported.later
	s.exported.later = portion{}
	s.exported.applied(fresh.marks)
	s.pipeline.Apply(s.pipeline.At, fresh.evs)
}

// storeExported updates the state of a restated stream, which has no offsets for pending events. Linked sessions that were
// closed when idle continue with new events only.
func (s *stream) storeExported(state *streamState) {
	state.Exported, state.Telemetry.Pending = s.exported.encode(s.pipeline.Waiting()), nil
	if s.phase == phaseIdle && s.source.afresh {
		state.Telemetry = telemetry.StreamState{Last: 1}
	}
}
