package reader

import "github.com/tailspan/tailspan/internal/files/lines"

// smallRead is the most that is read into a small buffer. Most reads are a few lines at the end of a file. In a buffer for a whole
// batch each of them would take a megabyte, for longer than the read if a consumer keeps a part of the last line.
const smallRead = 16 << 10

// Buffers are the read buffers that readers share: small ones, and those for whole batches.
type Buffers struct{ small, whole *lines.Pool }

// NewBuffers returns buffers for batches of batch bytes and lines of up to limit bytes.
func NewBuffers(batch, limit int) Buffers {
	return Buffers{small: lines.NewPool(min(2*smallRead, batch), limit), whole: lines.NewPool(batch, limit)}
}

func (b *Buffers) splitters(limit int) splitters {
	return splitters{small: lines.NewSplitter(b.small, limit), whole: lines.NewSplitter(b.whole, limit)}
}

// splitters are those of one reader.
type splitters struct{ small, whole *lines.Splitter }

// of returns the splitter for a read of n bytes. More may follow: a buffer grows for a longer line.
func (s *splitters) of(n int64) *lines.Splitter {
	if n > smallRead {
		return s.whole
	}
	return s.small
}
