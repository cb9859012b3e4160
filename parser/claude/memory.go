package claude

import (
	"hash/maphash"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Limits of what a parser remembers, in entries. The oldest is forgotten first; then a repeat of it is taken for new.
const (
	maxSeen           = 1 << 16 // lines and texts, to leave out repeats
	maxCalls          = 1 << 14 // tool calls, to pair them with results
	maxMessages       = 1 << 12 // model messages, to count their tokens once
	maxTasks          = 1 << 10 // background tasks, and Task prompts of 1.x
	maxSidechainLines = 1 << 14 // lines of 1.x sub-agents, to find their call
)

// The domains of hashes, so that a uuid never meets a text.
const (
	domainLine byte = iota
	domainText
	domainCall
	domainBody
	domainMessage
	domainTask
	domainPrompt
)

// domainStep is how far the domains lie apart.
const domainStep = 0x9e3779b97f4a7c15

// memory is a map that holds no more than limit entries and forgets the oldest.
type memory[V any] struct {
	limit int
	vals  map[uint64]V
	order []uint64
	next  int // where order wraps, once it is full
}

func (m *memory[V]) get(key uint64) (V, bool) {
	v, ok := m.vals[key]
	return v, ok
}

func (m *memory[V]) set(key uint64, v V) {
	if m.vals == nil {
		m.vals = map[uint64]V{}
	}
	if _, ok := m.vals[key]; !ok {
		if len(m.order) < m.limit {
			m.order = append(m.order, key)
		} else {
			delete(m.vals, m.order[m.next])
			m.order[m.next] = key
			m.next = (m.next + 1) % m.limit
		}
	}
	m.vals[key] = v
}

// hash makes a key of one or two byte strings. Keys of different domains don't meet, nor do ("ab","c") and ("a","bc").
// 64 bits make a chance meeting among the entries of a memory less likely than one in 10^9.
func (p *Parser) hash(domain byte, a, b []byte) uint64 {
	h := maphash.Bytes(p.seed, a) + uint64(domain)*domainStep
	if b == nil {
		return h
	}
	return (h^h>>32)*0xd6e8feb86659fd93 ^ maphash.Bytes(p.seed, b)
}

// idHash makes a key of an id or another text, however it is spelled. It is the key that hash makes of the text itself.
func (p *Parser) idHash(domain byte, id scan.Value) uint64 {
	return scan.Hash(p.seed, id.Body()) + uint64(domain)*domainStep
}

// first reports whether this is the first sight of a thing, and remembers it.
func (p *Parser) first(domain byte, id scan.Value) bool {
	key := p.idHash(domain, id)
	if _, ok := p.seen.get(key); ok {
		return false
	}
	p.seen.set(key, struct{}{})
	return true
}
