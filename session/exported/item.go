package exported

import (
	"encoding/binary"
	"strconv"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// Item is what an item of a model shares with its copy in another session: its ID, its content, and its time or,
// without one, the ID of its line.
type Item struct {
	Provider, ID, Line string
	At                 int64 // Unix nanoseconds
	Kind               events.Kind
	What, Detail       string
}

// Stable returns a hash of the item that is the same in every process.
func (k *Item) Stable() uint64 {
	return StableHash("copy", k.Provider, k.ID, k.Line, strconv.FormatInt(k.At, 10), k.Kind.String(), k.What, k.Detail)
}

// StableHash returns a hash that is the same in every process. Nobody can craft an item that matches one of another stream.
func StableHash(parts ...string) uint64 {
	sum := otlp.Hash(otlp.DomainThing, 0, parts...)
	return binary.BigEndian.Uint64(sum[:8])
}
