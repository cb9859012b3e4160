package exported

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
)

// Limits bound what is remembered.
type Limits struct {
	IDs   int // of spans and records
	Items int // of models, and of each kind of id in a stream
}

// Table has the ids of all streams.
type Table struct {
	limits Limits
	seed   maphash.Seed
	ids    *memory.Set
	items  *memory.Set
}

// NewTable makes a Table.
func NewTable(limits Limits) *Table {
	return &Table{limits: limits, seed: maphash.MakeSeed(), ids: memory.NewSet(limits.IDs), items: memory.NewSet(limits.Items)}
}

// Seed is that of the hashes of this process.
func (t *Table) Seed() maphash.Seed { return t.seed }

// FirstSpan enters a span, and reports whether it is exported for the first time.
func (t *Table) FirstSpan(span otlp.SpanRef) bool { return t.ids.First(spanMark(span)) }

// HasSpan reports whether a span was exported.
func (t *Table) HasSpan(span otlp.SpanRef) bool { return t.ids.Has(spanMark(span)) }

// FirstRecord enters a record by the parts of its uid, and reports whether it is exported for the first time.
func (t *Table) FirstRecord(parts []byte) bool { return t.ids.First(t.ids.Mark(parts)) }

// spanMark mixes the ids, which are hashes already. A span id alone would do, but for two traces of one pipeline each.
func spanMark(span otlp.SpanRef) uint64 {
	return binary.BigEndian.Uint64(span.Span[:]) ^ binary.BigEndian.Uint64(span.Trace[:8])*0x9e3779b97f4a7c15
}

// Say enters an item that a model said.
func (t *Table) Say(k *Item) { t.items.First(t.mark(k)) }

// Said reports whether a model said an item.
func (t *Table) Said(k *Item) bool { return t.items.Has(t.mark(k)) }

// mark is of this process alone, and cheap.
func (t *Table) mark(k *Item) uint64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	for _, part := range [...]string{k.Provider, k.ID, k.Line, k.What, k.Detail} {
		h.WriteString(part)
		h.WriteByte(0)
	}
	var rest [9]byte
	binary.LittleEndian.PutUint64(rest[:], uint64(k.At))
	rest[8] = byte(k.Kind)
	h.Write(rest[:])
	return h.Sum64()
}
