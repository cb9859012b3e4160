package source

import (
	"math/bits"
	"sync"
)

// maxLent is the largest buffer that is kept for the next who needs one.
const maxLent = 4 << 20

// buffers are what splitters read into, lent to one after the other: each has one while it is at work, and a larger one
// for a long line. The k-th size is twice that of the one before it. As many are in use as lines are at work, whatever the
// number of readers, and garbage collection takes those that nobody asked for since the last one. Safe for use by many
// goroutines.
type buffers struct {
	size, most int
	pools      []sync.Pool // by size
}

// newBuffers makes buffers of size bytes, and larger ones for lines of up to limit bytes without their newline.
func newBuffers(size, limit int) *buffers {
	b := &buffers{size: max(size, minBuffer)}
	b.most = max(limit+1, b.size) + markSize + b.size/2
	b.pools = make([]sync.Pool, 1+bits.Len(uint((b.most-1)/b.size)))
	return b
}

// length is the k-th size.
func (b *buffers) length(k int) int { return min(b.size<<k, b.most) }

// lend gives a buffer of the k-th size, with anything in it.
func (b *buffers) lend(k int) []byte {
	if buf, ok := b.pools[k].Get().(*[]byte); ok {
		return *buf
	}
	return make([]byte, b.length(k))
}

// giveBack takes a buffer of the k-th size, from which nobody reads any more.
func (b *buffers) giveBack(k int, buf []byte) {
	if buf != nil && len(buf) <= maxLent {
		b.pools[k].Put(&buf)
	}
}
