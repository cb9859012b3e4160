package opencode

import (
	"hash/maphash"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Limits of what a parser remembers, in entries. The oldest is forgotten first; then a repeat of it is taken for new.
const (
	maxParts     = 1 << 16 // parts, to leave out repeats and to pair a call's states
	maxOpenCalls = 1 << 12 // calls without a result
	maxMessages  = 1 << 14 // messages, for role, model and turn of their parts
	maxSessions  = 1 << 12 // sessions, and tasks whose session is not known
)

// The domains of hashes, so that a message never meets a session.
const (
	domainPart byte = iota
	domainCall
	domainMessage
	domainSession
	domainTask
)

// domainStep is how far the domains lie apart.
const domainStep = 0x9e3779b97f4a7c15

// hash makes a key of one or two byte strings. Keys of different domains don't meet, nor do ("ab","c") and ("a","bc").
// 64 bits make a chance meeting among the entries of a memory less likely than one in 10^9.
func (p *Parser) hash(domain byte, a, b []byte) uint64 {
	h := maphash.Bytes(p.seed, a) + uint64(domain)*domainStep
	if b == nil {
		return h
	}
	return (h^h>>32)*0xd6e8feb86659fd93 ^ maphash.Bytes(p.seed, b)
}

// idHash makes a key of an id, however it is spelled.
func (p *Parser) idHash(domain byte, id scan.Value) uint64 {
	return scan.Hash(p.seed, id.Body()) + uint64(domain)*domainStep
}

// partKey is the key of a part; false if it has no id, so that it can be no repeat.
func (p *Parser) partKey(pt *part) (uint64, bool) {
	if len(pt.id.Body()) > 0 {
		return p.idHash(domainPart, pt.id), true
	}
	return 0, false
}

// first reports whether this is the first sight of a part that is told once, and remembers it.
func (p *Parser) first(pt *part) bool {
	key, ok := p.partKey(pt)
	if !ok {
		return true
	}
	if _, seen := p.parts.Get(key); seen {
		return false
	}
	p.parts.Set(key, call{})
	return true
}
