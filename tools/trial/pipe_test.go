//go:build unix

package trial

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pipeHolds is how much may be between a writer and the disk: the content of a pipe, and what is being copied.
const pipeHolds = 2 * 64 << 10

// TestPipeOverKills kills the collector while a program writes to a FIFO. The next collector exports what had reached
// the spool, and the program can continue when it is running.
func TestPipeOverKills(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	rng := rand.New(rand.NewPCG(newSeed(t), 6))
	work := t.TempDir()
	fifo := filepath.Join(work, "agent.fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	texts := newTexts(t)
	setup := collectorSetup{
		include: []string{filepath.Join(work, "*.jsonl")}, endpoint: texts.server.URL, store: filepath.Join(work, "store"),
		more: fmt.Sprintf("receivers: {agent_stream: {pipes: [{path: %q, provider: claude}], spool: {directory: %q}}}", fifo, filepath.Join(work, "spools")),
	}
	const kills = 5
	written, lostAtMost := 0, 0
	for life := range kills + 1 {
		c := startCollector(t, setup)
		c.ready()
		w, err := os.OpenFile(fifo, os.O_WRONLY, 0) // waits for the collector
		require.NoError(t, err)
		until := written + 1000 + rng.IntN(2000)
		for err == nil && written < until+1000 {
			if written == until && life < kills {
				c.end(syscall.SIGKILL)
			}
			if _, err = io.WriteString(w, scaleLine(life, written, lineText(written))); err == nil {
				written++
			}
		}
		require.NoError(t, w.Close())
		if life < kills {
			require.ErrorIs(t, err, syscall.EPIPE, "the program's write fails")
			lostAtMost += pipeHolds
			continue
		}
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			left, err := filepath.Glob(filepath.Join(work, "spools", "*", "*.spool"))
			return err == nil && len(left) == 0 && texts.has(written-1)
		}, time.Minute, 20*time.Millisecond, "all spools to be accepted and removed")
		c.end(syscall.SIGTERM)
	}
	texts.mu.Lock()
	defer texts.mu.Unlock()
	lost, lines, twice := 0, 0, 0
	for n := range written {
		switch seen := texts.seen[lineText(n)]; {
		case seen == 0:
			lost += len(scaleLine(kills, n, lineText(n)))
			lines++
		case seen > 1:
			twice++
		}
		delete(texts.seen, lineText(n))
	}
	t.Logf("%d kills, %d lines written; %d of them lost on the way to the disk, %d bytes of at most %d; %d twice", kills, written, lines, lost, lostAtMost, twice)
	assert.LessOrEqual(t, lost, lostAtMost)
	assert.Less(t, twice, written/2)
	assert.Empty(t, texts.seen, "half lines")
}
