package telemetry

import (
	"hash/maphash"

	"github.com/tailspan/tailspan/session/memory"
)

// seenIDs are the ids of runs, agents, calls and model messages that had a span of their own.
type seenIDs struct {
	runs, agents, calls, messages, chats memory.Counter

	seed    maphash.Seed // the registry's
	limit   int          // of each list
	evicted int          // ids, since the last Take
}

// nth enters an id of this stream, and returns how often it came before.
func (s *seenIDs) nth(of *memory.Counter, id ...string) int {
	n, forgot := of.Next(s.markOf(id), s.limit)
	if forgot {
		s.evicted++
	}
	return n
}

// cameBefore is what nth would return, and enters nothing.
func (s *seenIDs) cameBefore(of *memory.Counter, id ...string) int { return of.Before(s.markOf(id)) }

// markOf hashes the parts of an id.
func (s *seenIDs) markOf(parts []string) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	for _, part := range parts {
		h.WriteString(part)
		h.WriteByte(0)
	}
	return h.Sum64()
}
