package spool

import "sync/atomic"

// Budget is how many bytes the spools of one input may hold together. It is safe for use by many goroutines; nil sets no
// bound.
type Budget struct {
	most int64
	used atomic.Int64
}

// NewBudget makes a Budget of so many bytes.
func NewBudget(most int64) *Budget { return &Budget{most: most} }

// Most is how many bytes it is.
func (b *Budget) Most() int64 { return b.most }

// Use takes n bytes that are there already, whether or not they fit.
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
