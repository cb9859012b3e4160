package tail_test

import (
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// manyFiles is case 073: files in folders are read whole, and then all grow.
func manyFiles(t *testing.T, change func(*tail.Settings)) {
	const folders, perFolder = 50, 20
	w := newWorld(t)
	for i := range folders {
		w.Mkdir(strconv.Itoa(i))
		for j := range perFolder {
			w.Add(fmt.Sprintf("%d/%d.jsonl", i, j), filestest.Record(0)+"\n") // all begin alike
		}
	}
	w.begin(change)
	count := folders * perFolder
	w.Sink.Until(t, "the lines that are there", func() bool { return len(w.Sink.All()) >= count })
	for i := range folders {
		for j := range perFolder {
			w.Add(fmt.Sprintf("%d/%d.jsonl", i, j), filestest.Record(1)+"\n")
		}
	}
	w.Sink.Until(t, "the lines that come", func() bool { return len(w.Sink.All()) >= 2*count })
	streams := w.streams()
	assert.Len(t, streams, count)
	for _, s := range streams {
		assert.Equal(t, []string{filestest.Record(0), filestest.Record(1)}, s.Text)
	}
}

// An idle file takes about a kilobyte, not counting its consumer: no buffer, no open file.
func TestSuspendedFileIsSmall(t *testing.T) {
	const count = 2000
	var known atomic.Int64
	w := newWorld(t)
	for i := range count {
		w.Add(fmt.Sprintf("%032d.jsonl", i), filestest.Record(i)+"\n")
	}
	f, err := tail.New(w.settings(pollOnly, startAtEnd, func(s *tail.Settings) {
		s.BatchBytes = 4096
		s.Observer.Files = func(files, _ int) { known.Store(int64(files)) }
	}), w.Sink)
	assert.NoError(t, err)
	before := heapInUse()
	assert.NoError(t, f.Start(t.Context()))
	w.files = f
	w.Add(fmt.Sprintf("%032d.jsonl", 0), "line\n")
	w.Sink.WantLines(t, "line") // it is queued behind all others
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
