package exported

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/tailspan/tailspan/internal/memory"
	"github.com/tailspan/tailspan/otlp"
)

type Limits struct {
	IDs   int // spans and records
	Items int // items of models, and IDs of each kind in a stream
}

// Table remembers the exported IDs of all streams.
type Table struct {
	limits Limits
	seed   maphash.Seed
	ids    *memory.Set
	items  *memory.Set
}

func NewTable(limits Limits) *Table {
	return &Table{limits: limits, seed: maphash.MakeSeed(), ids: memory.NewSet(limits.IDs), items: memory.NewSet(limits.Items)}
}

// FirstSpan records a span and reports whether it is exported for the first time.
func (t *Table) FirstSpan(span otlp.SpanRef) bool { return t.ids.First(spanMark(span)) }

// HasSpan reports whether a span was exported.
func (t *Table) HasSpan(span otlp.SpanRef) bool { return t.ids.Has(spanMark(span)) }

// FirstRecord records a log record by the parts of its UID and reports whether it is exported for the first time.
func (t *Table) FirstRecord(parts []byte) bool { return t.ids.First(t.ids.Mark(parts)) }

// spanMark mixes the IDs, which are hashes already. The span ID alone would do except for two traces of one pipeline.
func spanMark(span otlp.SpanRef) uint64 {
	return binary.BigEndian.Uint64(span.Span[:]) ^ binary.BigEndian.Uint64(span.Trace[:8])*0x9e3779b97f4a7c15
}

// Say records an item that a model said.
func (t *Table) Say(k *Item) { t.items.First(t.mark(k)) }

// Said reports whether a model said the item.
func (t *Table) Said(k *Item) bool { return t.items.Has(t.mark(k)) }

// mark is a cheap hash, valid in this process only.
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
