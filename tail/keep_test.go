package tail_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// keeper keeps the last line of each stream, as a parser may.
type keeper struct {
	mu   sync.Mutex
	last [][]byte
}

func (k *keeper) Open(context.Context, tail.Stream) (tail.Consumer, error) { return k, nil }

func (k *keeper) Lines(_ context.Context, lines []tail.Line) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = append(k.last, lines[len(lines)-1].Data)
	return nil
}

func (k *keeper) Idle(context.Context) error                    { return nil }
func (k *keeper) Close(context.Context, tail.CloseReason) error { return nil }

func (k *keeper) kept() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.last)
}

// A stream whose consumer keeps a part of its last line takes little memory, although a batch may have a megabyte.
func TestKeptLinesAreSmall(t *testing.T) {
	const count = 50
	w := newWorld(t)
	before, k := heapInUse(), &keeper{}
	w.start(k, w.settings())
	for i := range count {
		w.Add(fmt.Sprintf("%d.jsonl", i), filestest.Record(i)+"\n")
		require.Eventually(t, func() bool { return k.kept() == i+1 }, time.Minute, time.Millisecond, "line %d", i)
		runtime.GC()
		runtime.GC() // the pool has no buffer now: the next read takes a new one
	}
	w.Add("0.jsonl", strings.Repeat("x", 2*tail.DefaultBatchBytes)+"\n")
	require.Eventually(t, func() bool { return k.kept() == count+1 }, time.Minute, time.Millisecond, "a line longer than a batch")
	w.end()
	assert.Len(t, k.last[count], 2*tail.DefaultBatchBytes)
	k.last = k.last[:count]
	clear(k.last[count:cap(k.last)])
	grown := int64(heapInUse()) - int64(before)
	t.Logf("%d KiB for a stream", grown/count>>10)
	assert.Less(t, grown/count, int64(64<<10))
	runtime.KeepAlive(k)
}
