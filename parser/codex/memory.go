package codex

import (
	"hash/maphash"

	"github.com/tailspan/tailspan/parser/internal/scan"
)

// Limits of what a parser remembers, in entries. The oldest is forgotten first; then a repeat of it is taken for new.
const (
	maxCalls     = 1 << 14 // tool calls, to pair them with results
	maxMessages  = 1 << 12 // messages that were shown, to tell them from those that were not
	maxResponses = 1 << 12 // model responses, to count their tokens once
	maxPrompts   = 1 << 10 // prompts that stand under one of their two record types
	maxAgents    = 1 << 10 // sub-agents, to tell their end to the call that started them
)

// The domains of hashes, so that a call id never meets a text.
const (
	domainCall byte = iota
	domainBody
	domainMessage
	domainResponse
	domainPrompt
	domainAgent
)

// domainStep is how far the domains lie apart.
const domainStep = 0x9e3779b97f4a7c15

// hash makes a key of a byte string; those of different domains don't meet. 64 bits make a chance meeting among the
// entries of a memory less likely than one in 10^9.
func (p *Parser) hash(domain byte, b []byte) uint64 {
	return maphash.Bytes(p.seed, b) + uint64(domain)*domainStep
}

// idHash makes a key of an id, however it is spelled.
func (p *Parser) idHash(domain byte, id scan.Value) uint64 {
	return scan.Hash(p.seed, id.Body()) + uint64(domain)*domainStep
}

// hashString makes the key that hash makes of the same bytes.
func (p *Parser) hashString(domain byte, s string) uint64 {
	return maphash.String(p.seed, s) + uint64(domain)*domainStep
}

// hashPair makes a key of two strings; ("ab","c") and ("a","bc") don't meet.
func (p *Parser) hashPair(domain byte, s string, b []byte) uint64 {
	h := p.hashString(domain, s)
	return (h^h>>32)*0xd6e8feb86659fd93 ^ maphash.Bytes(p.seed, b)
}
