package spool

import "sync/atomic"

// Budget is how many bytes the spools of one input may hold together. It is safe for concurrent use; nil means no limit.
type Budget struct {
	most int64
	used atomic.Int64
}

// NewBudget returns a Budget of the given number of bytes.
func NewBudget(most int64) *Budget { return &Budget{most: most} }

// Most returns the size of the budget in bytes.
func (b *Budget) Most() int64 { return b.most }

// Use takes n bytes that are already stored, whether or not they fit.
func (b *Budget) Use(n int64) { b.used.Add(n) }

// Return returns n bytes to the budget.
func (b *Budget) Return(n int64) { b.used.Add(-n) }

// take takes up to n bytes.
func (b *Budget) take(n int64) int64 {
	for {
		used := b.used.Load()
		n = max(0, min(n, b.most-used))
		if b.used.CompareAndSwap(used, used+n) {
			return n
		}
	}
}
