package tail_test

import (
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/tail"
)

// manyFiles is the case 073: files in folders, read whole, and then all grow.
func manyFiles(t *testing.T, change func(*tail.Settings)) {
	const folders, perFolder = 50, 20
	w := newWorld(t)
	for i := range folders {
		w.mkdir(strconv.Itoa(i))
		for j := range perFolder {
			w.add(fmt.Sprintf("%d/%d.jsonl", i, j), record(0)+"\n") // all have the same beginning
		}
	}
	w.begin(change)
	count := folders * perFolder
	w.sink.until(t, "the lines that are there", func() bool { return len(w.sink.all()) >= count })
	for i := range folders {
		for j := range perFolder {
			w.add(fmt.Sprintf("%d/%d.jsonl", i, j), record(1)+"\n")
		}
	}
	w.sink.until(t, "the lines that come", func() bool { return len(w.sink.all()) >= 2*count })
	streams := w.streams()
	assert.Len(t, streams, count)
	for _, s := range streams {
		assert.Equal(t, []string{record(0), record(1)}, s.text)
	}
}

// What is kept of a file that is at rest is about a kilobyte, its consumer not counted: no buffer, no open file.
func TestFileIsSmallAtRest(t *testing.T) {
	const count = 2000
	var known atomic.Int64
	w := newWorld(t)
	for i := range count {
		w.add(fmt.Sprintf("%032d.jsonl", i), record(i)+"\n")
	}
	f, err := tail.New(w.settings(pollOnly, startAtEnd, func(s *tail.Settings) {
		s.BatchBytes = 4096
		s.Observer.Files = func(files, _ int) { known.Store(int64(files)) }
	}), w.sink)
	assert.NoError(t, err)
	before := heapInUse()
	assert.NoError(t, f.Start(t.Context()))
	w.files = f
	w.add(fmt.Sprintf("%032d.jsonl", 0), "line\n")
	w.sink.wantLines(t, "line") // it stands in the queue behind all others
	perFile := (int64(heapInUse()) - int64(before)) / count
	w.end()
	t.Logf("%d bytes for a file", perFile)
	assert.EqualValues(t, count, known.Load())
	assert.Less(t, perFile, int64(2048))
	runtime.KeepAlive(f)
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
