package lines

import (
	"math/bits"
	"sync"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// maxPooled is the size of the largest buffer that is returned to the pool.
const maxPooled = 4 << 20

// Pool holds the read buffers of splitters. A splitter has one while it reads, and a larger one for a long line; each size is
// twice the one before. The number of buffers depends on the lines being read, not on the number of readers, and garbage
// collection frees unused ones. A Pool is safe for concurrent use.
type Pool struct {
	size, most int
	pools      []sync.Pool // by size
}

// NewPool returns a pool of buffers of size bytes, and of larger ones for lines of up to limit bytes without their newline.
func NewPool(size, limit int) *Pool {
	b := &Pool{size: max(size, minBuffer)}
	b.most = max(limit+1, b.size) + fingerprint.TailSize + b.size/2
	b.pools = make([]sync.Pool, 1+bits.Len(uint((b.most-1)/b.size)))
	return b
}

// length returns the k-th size.
func (b *Pool) length(k int) int { return min(b.size<<k, b.most) }

// get returns a buffer of the k-th size with arbitrary content.
func (b *Pool) get(k int) []byte {
	if buf, ok := b.pools[k].Get().(*[]byte); ok {
		return *buf
	}
	return make([]byte, b.length(k))
}

// put returns a buffer of the k-th size to the pool.
func (b *Pool) put(k int, buf []byte) {
	if buf != nil && len(buf) <= maxPooled {
		b.pools[k].Put(&buf)
	}
}
