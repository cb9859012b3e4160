package tail_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// crowd counts the consumers that have lines at the same time. Each keeps its lines until full consumers have some.
type crowd struct {
	full int

	mu        sync.Mutex
	now, most int
	reached   chan struct{}
}

func (c *crowd) Open(context.Context, tail.Stream) (tail.Consumer, error) { return c, nil }

func (c *crowd) Lines(ctx context.Context, _ []tail.Line) error {
	c.mu.Lock()
	c.now++
	if c.most = max(c.most, c.now); c.now == c.full {
		select {
		case <-c.reached:
		default:
			close(c.reached)
		}
	}
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.now--
		c.mu.Unlock()
	}()
	select {
	case <-c.reached:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *crowd) Idle(context.Context) error                    { return nil }
func (c *crowd) Close(context.Context, tail.CloseReason) error { return nil }

// TestInFlight reads more files than whole batches may be in flight: one for each core, two to four, if each has a backlog, all of
// them if each has few lines.
func TestInFlight(t *testing.T) {
	const files, batch = 8, 4096
	for name, c := range map[string]struct{ size, full int }{
		"backlog":   {3 * batch, min(max(2, runtime.GOMAXPROCS(0)), 4)},
		"few lines": {100, files},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for i := range files {
				line := filestest.Record(i) + strings.Repeat(" ", 90) + "\n"
				w.Add(fmt.Sprintf("%d.jsonl", i), strings.Repeat(line, max(1, c.size/len(line))))
			}
			crowd := &crowd{full: c.full, reached: make(chan struct{})}
			f, err := tail.New(w.settings(func(s *tail.Settings) { s.BatchBytes, s.MaxConcurrentFiles = batch, files }), crowd)
			require.NoError(t, err)
			require.NoError(t, f.Start(t.Context()))
			<-crowd.reached
			require.NoError(t, f.Shutdown(t.Context()))
			assert.Equal(t, c.full, crowd.most)
		})
	}
}
