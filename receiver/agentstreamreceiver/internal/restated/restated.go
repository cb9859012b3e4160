package restated

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/memory"
)

// Events are the exported events of a restated stream.
type Events struct {
	before map[uint64]mark // of a previous process
	nth    memory.Counter  // number of events per name in this process
	order  []mark          // the newest maxExported events that were applied, in order
	later  Portion         // new events, pending until the replay ends
}

// mark identifies an event that was applied.
type mark struct {
	name   uint64
	length uint32 // of its text
	text   uint32 // hash of its text
	out    bool   // a previous process exported it, so it is not pending
}

// maxExported bounds the marks and the counted names of a stream; the oldest are evicted first.
const maxExported = 1 << 16

// New returns Events with the marks that a previous process stored.
func New(kept []byte) *Events {
	g := &Events{before: map[uint64]mark{}}
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

// Encode returns the marks of exported events. The last waiting events are pending, unless a previous process exported them.
func (g *Events) Encode(waiting int) []byte {
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

// Portion is events and their marks.
type Portion struct {
	Events []events.DisplayEvent
	marks  []mark
}

func (p *Portion) add(e *events.DisplayEvent, m mark) {
	p.Events, p.marks = append(p.Events, *e), append(p.marks, m)
}

// Split divides events into those that a previous process exported and new ones. If a text has grown, its added part is new.
func (g *Events) Split(evs []events.DisplayEvent) (old, fresh Portion) {
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

// mark returns the mark of the next event of its name.
func (g *Events) mark(e *events.DisplayEvent) mark {
	name := name(e)
	nth, _ := g.nth.Next(name, maxExported)
	const odd = 0x9e3779b97f4a7c15 // spreads the number over all bits
	return mark{name: name ^ uint64(nth)*odd, length: uint32(len(e.Text)), text: textHash(e.Text)}
}

// added returns what a text contains beyond its exported part. Its ID is made as in the parsers: from the item and the number
// of bytes before it.
func (m mark) added(e *events.DisplayEvent) (events.DisplayEvent, bool) {
	n := int(m.length)
	if e.ItemID == "" || n == 0 || len(e.Text) <= n || textHash(e.Text[:n]) != m.text {
		return events.DisplayEvent{}, false
	}
	r := *e
	r.Text, r.ItemID = e.Text[n:], e.ItemID+"#"+strconv.Itoa(n)
	return r, true
}

// Applied records that a portion is applied now.
func (g *Events) Applied(p Portion) {
	g.order = append(g.order, p.marks...)
	if drop := len(g.order) - maxExported; drop > 0 {
		g.order = g.order[drop:]
	}
}

// Hold keeps new events until the replay ends. It copies borrowed memory.
func (g *Events) Hold(fresh Portion) {
	for i := range fresh.Events {
		t := &fresh.Events[i].Tool
		t.Input, t.Output = bytes.Clone(t.Input), bytes.Clone(t.Output)
	}
	g.later.Events, g.later.marks = append(g.later.Events, fresh.Events...), append(g.later.marks, fresh.marks...)
}

// Held returns what Hold kept, and releases it.
func (g *Events) Held() Portion {
	held := g.later
	g.later = Portion{}
	return held
}

// Empty reports whether the portion is empty. A portion without events may have marks of parts of texts.
func (p *Portion) Empty() bool { return len(p.marks) == 0 }
