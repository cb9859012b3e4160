package meter

import (
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLagOfManyWorkers: the total recorded last is the latest. The test is in the package, because the SDK's gauge takes
// values too fast for two of them to change places.
func TestLagOfManyWorkers(t *testing.T) {
	var recorded atomic.Int64
	record := func(totals map[string]int64) {
		runtime.Gosched()
		for _, total := range totals {
			recorded.Store(total)
		}
	}
	var l lag
	for round := range 10000 {
		var workers sync.WaitGroup
		for i := range 4 {
			workers.Go(func() {
				id := strconv.Itoa(i)
				l.set(id, "claude", 1, record)
				l.set(id, "claude", 0, record)
			})
		}
		workers.Wait()
		require.Zero(t, recorded.Load(), "round %d", round)
	}
}
