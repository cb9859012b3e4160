package exported

import (
	"hash/maphash"

	"github.com/tailspan/tailspan/internal/memory"
)

// Seen counts the IDs of the runs, agents, calls and model messages of one stream that got a span.
type Seen struct {
	Runs, Agents, Calls, Messages, Chats memory.Counter

	table   *Table
	evicted int
}

// NewSeen returns a Seen with the seed and the limit of a Table.
func NewSeen(t *Table) Seen { return Seen{table: t} }

// Nth records an ID in one of the counters and returns how often it occurred before.
func (s *Seen) Nth(of *memory.Counter, id ...string) int {
	n, forgot := of.Next(s.Mark(id), s.table.limits.Items)
	if forgot {
		s.evicted++
	}
	return n
}

// Before returns what Nth would return, without recording anything.
func (s *Seen) Before(of *memory.Counter, id ...string) int { return of.Before(s.Mark(id)) }

// Mark hashes the parts of an ID.
func (s *Seen) Mark(parts []string) uint64 {
	var h maphash.Hash
	h.SetSeed(s.table.seed)
	for _, part := range parts {
		h.WriteString(part)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// Seed returns the seed of this process's hashes.
func (s *Seen) Seed() maphash.Seed { return s.table.seed }

// TakeEvicted returns the number of evicted IDs since the last call.
func (s *Seen) TakeEvicted() (n int) {
	n, s.evicted = s.evicted, 0
	return n
}
