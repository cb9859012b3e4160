package source

import "github.com/tailspan/tailspan/source/internal/openfile"

// packedQueue has the compressed files that wait for a worker. A compressed file is read whole in one turn, and a small one
// may hold a thousand times its size: such files have a part of the workers, so that others are read beside them.
type packedQueue struct {
	queue []*file
	busy  int // how many workers read one
	limit int
}

// packedShare is which part of the workers may read compressed files.
const packedShare = 4

func newPackedQueue(workers int) packedQueue { return packedQueue{limit: max(1, workers/packedShare)} }

func (q *packedQueue) add(f *file) { q.queue = append(q.queue, f) }

// next is the queue, nil while no worker may take a file from it.
func (q *packedQueue) next() *[]*file {
	if q.busy >= q.limit {
		return nil
	}
	return &q.queue
}

// started counts a job that a worker took, and done one that it finished.
func (q *packedQueue) started(j job) {
	if openfile.IsCompressed(j.path) {
		q.busy++
	}
}

func (q *packedQueue) done(j job) {
	if openfile.IsCompressed(j.path) {
		q.busy--
	}
}
