package trial

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRefusingConsumer has a sink that refuses every third batch, then disappears, then returns, while sessions are
// being written. What waits for it stays in the files: the collector's memory must not depend on how long that takes.
func TestRefusingConsumer(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	outage := 3 * time.Second
	if whole() {
		outage = 30 * time.Second
	}
	const files, lines = 20, 6000
	const waited = files * lines / 2 * sessionLine
	require.Greater(t, waited, 2*memoryMargin, "the use of memory would not show whether it waits")
	dir := t.TempDir()
	include := []string{filepath.Join(dir, "*.jsonl")}
	sink := newLedger(t)
	refused := 0
	sink.refuse = func(n int) error {
		if n%3 == 0 {
			refused++
			return errors.New("every third batch")
		}
		return nil
	}
	c := startCollector(t, collectorSetup{include: include, endpoint: sink.server.URL, store: filepath.Join(t.TempDir(), "store")})
	c.ready()

	write := func(from, to int) {
		var writers sync.WaitGroup
		for i := range files {
			writers.Go(func() {
				assert.NoError(t, appendSession(filepath.Join(dir, fmt.Sprintf("%02d.jsonl", i)), i, from, to))
			})
		}
		writers.Wait()
	}
	write(0, lines/2)
	sink.await(t, files*lines/2)
	sink.down()
	before, retries := c.usage(), c.count(retriesMetric)
	write(lines/2, lines)
	<-time.After(outage)
	after := c.usage()
	again := c.count(retriesMetric) - retries
	sink.up(t)
	sink.quiet(t, c)
	c.end(syscall.SIGTERM)

	got := sink.compare(oneLife(t, include, (*ledger).quiet))
	t.Logf("%d spans and records in %d batches, %d refused, lost %d, twice %d; gone for %v while %d MiB were written: %d more tries, memory from %d to %d MiB, at most %d and %d",
		len(sink.seen), len(sink.all), refused, len(got.lost), got.again(), outage, waited>>20, again, before.RSS>>20, after.RSS>>20, before.PeakRSS>>20, after.PeakRSS>>20)
	assert.Positive(t, refused)
	assert.Positive(t, again, "nothing was tried while the sink was gone")
	assert.Empty(t, some(got.lost), "lost")
	assert.Empty(t, some(got.foreign), "ids that one life without refusals does not give")
	assert.Empty(t, some(got.altered), "differs from one life")
	assert.Zero(t, got.again(), "seen twice")
	assert.Less(t, after.RSS-before.RSS, int64(memoryMargin), "memory while nothing was accepted")
}

const (
	retriesMetric = "otelcol_receiver_agent_stream_retries"
	// sessionLine is the approximate size of a line of appendSession, in bytes.
	sessionLine = 2300
	// memoryMargin is the normal variation of memory: what each reader holds, and garbage that has not been collected.
	memoryMargin = 48 << 20
)

// appendSession writes some lines of a session, each a text.
func appendSession(path string, session, from, to int) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	var b strings.Builder
	for line := from; line < to; line++ {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"msg_%[1]d_%[2]d","role":"assistant","model":"x","content":[{"type":"text","text":"%[2]d %[3]s"}],`+
			`"usage":{"input_tokens":1,"output_tokens":1}},"sessionId":"session-%[1]d","uuid":"uuid-%[1]d-%[2]d","timestamp":"2026-11-27T20:00:00.000Z"}`+"\n",
			session, line, strings.Repeat("text ", 400))
		if b.Len() < 1<<16 && line+1 < to {
			continue
		}
		if _, err := f.WriteString(b.String()); err != nil {
			return errors.Join(err, f.Close())
		}
		b.Reset()
	}
	return f.Close()
}
