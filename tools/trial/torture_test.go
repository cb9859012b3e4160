package trial

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const tortureFiles = 50

// sessionIDs matches the IDs of sessions, messages and calls in any format.
var sessionIDs = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(ses|msg|resp|chatcmpl)[_-][0-9A-Za-z_-]+`)

// tortureSessions returns the contents of the files: captures, each session once, and generated ones for the rest.
func tortureSessions(t *testing.T) [][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*", "*.jsonl"))
	require.NoError(t, err)
	list := longSessions(t)
	// Use some of each provider, but no two files of a session: the first account depends on the order of reading.
	taken, providers := map[string]bool{}, map[string]int{}
	for _, data := range list {
		for _, id := range sessionIDs.FindAllString(string(data), -1) {
			taken[id] = true
		}
	}
	for _, path := range paths {
		providers[filepath.Base(filepath.Dir(path))] = 0
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	for _, path := range paths {
		if len(list) == tortureFiles {
			break
		}
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		ids := sessionIDs.FindAllString(string(data), -1)
		if slices.ContainsFunc(ids, func(id string) bool { return taken[id] }) {
			continue
		}
		for _, id := range ids {
			taken[id] = true
		}
		list = append(list, data)
		providers[filepath.Base(filepath.Dir(path))]++
	}
	for provider, n := range providers {
		require.Positive(t, n, "no session of %s", provider)
	}
	t.Logf("sessions %v, of some megabytes %d, made %d", providers, len(longSessionsOf), tortureFiles-len(list))
	for len(list) < tortureFiles {
		var b strings.Builder
		for i := range 200 {
			fmt.Fprintf(&b, `{"type":"assistant","message":{"id":"m%d-%d","role":"assistant","model":"x","content":[{"type":"text","text":"%d"}]},"session_id":"s%d","uuid":"u%d-%d","timestamp":"2026-11-27T20:00:00.000Z"}`+"\n",
				len(list), i, i, len(list), len(list), i)
		}
		list = append(list, []byte(b.String()))
	}
	return list
}

var longSessionsOf = []string{"claude", "codex", "gemini", "opencode"}

// longSessions returns recorded sessions of some megabytes, so that every life has something to read.
func longSessions(t *testing.T) (list [][]byte) {
	t.Helper()
	for _, provider := range longSessionsOf {
		f, err := os.Open(filepath.Join("..", "bench", "testdata", provider+".stream.jsonl.zst"))
		require.NoError(t, err)
		defer f.Close()
		z, err := zstd.NewReader(f)
		require.NoError(t, err)
		defer z.Close()
		data, err := io.ReadAll(z)
		require.NoError(t, err)
		list = append(list, data)
	}
	return list
}

// rows is how a dump of OpenCode's database begins. Its messages come before their parts, and it is written at once.
var rows = []byte(`{"table"`)

// appendRandomly writes the sessions piece by piece.
func appendRandomly(ctx context.Context, t *testing.T, dir string, sessions [][]byte, rng *rand.Rand, pause time.Duration) {
	written := make([]int, len(sessions))
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for left := len(sessions); left > 0; {
		i := rng.IntN(len(sessions))
		if written[i] == len(sessions[i]) {
			continue
		}
		n := min(1+rng.IntN(4000), len(sessions[i])-written[i])
		if bytes.HasPrefix(sessions[i], rows) {
			n = len(sessions[i])
		}
		f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf("%02d.jsonl", i)), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if !assert.NoError(t, err) {
			return
		}
		_, err = f.Write(sessions[i][written[i] : written[i]+n])
		assert.NoError(t, err)
		assert.NoError(t, f.Close())
		if written[i] += n; written[i] == len(sessions[i]) {
			left--
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// TestTorture is the kill test: a writer appends sessions of all providers to many files, in random pieces, while the
// collector is killed or stopped at random times and restarted.
func TestTorture(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	seed, kills := newSeed(t), 10
	if s := os.Getenv("TAILSPAN_KILLS"); s != "" {
		var err error
		kills, err = strconv.Atoi(s)
		require.NoError(t, err)
	}
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) { torture(t, signal, kills, seed) })
	}
}

func torture(t *testing.T, signal syscall.Signal, kills int, seed uint64) {
	sessions := tortureSessions(t)
	dir, work := t.TempDir(), t.TempDir()
	include := []string{filepath.Join(dir, "*.jsonl")}
	rng := rand.New(rand.NewPCG(seed, 1))
	sink := newLedger(t)
	sink.pause = func() time.Duration { return time.Duration(rand.N(30)) * time.Millisecond } // simulates a network
	setup := collectorSetup{include: include, endpoint: sink.server.URL, store: filepath.Join(work, "store")}
	size := 0
	for _, s := range sessions {
		size += len(s)
	}
	// The writing lasts about as long as all lives of the collector together.
	pause := max(time.Duration(kills)*1500*time.Millisecond/time.Duration(1+size/2000), time.Millisecond)
	var writer sync.WaitGroup
	writerRng := rand.New(rand.NewPCG(seed, 2))
	writer.Go(func() { appendRandomly(t.Context(), t, dir, sessions, writerRng, pause) })
	for range kills {
		c := startCollector(t, setup)
		if rng.IntN(5) > 0 { // one in five ends during its start
			c.ready()
		}
		life := time.Duration(rng.IntN(1200)) * time.Millisecond
		if rng.IntN(4) == 0 {
			life += 2 * saveDelay // so that something must not be repeated
		}
		<-time.After(life) // the time is random, not a wait for something
		sink.ending()
		c.end(signal)
		sink.begun()
	}
	writer.Wait()
	abandon(t, dir)
	c := startCollector(t, setup)
	sink.complete(t, c)
	c.end(syscall.SIGTERM)

	got := sink.compare(oneLife(t, include, (*ledger).complete))
	t.Logf("%d times %v: %d spans and records in %d batches over %d lives, lost %d, of an unknown id %d, seen twice %d: in a batch without answer %d, "+
		"in the last one of its file %d, in one whose position waited to be written %d; %d batches were done with", kills, signal, len(sink.seen), len(sink.all), sink.livesWithBatches(),
		len(got.lost), len(got.foreign), got.again(), len(got.twice[flightUnanswered]), len(got.twice[flightUnwritten]), len(got.twice[flightLate]), sink.over())
	assert.Greater(t, sink.livesWithBatches(), kills/3, "nothing was at work when it ended")
	assert.Positive(t, sink.over(), "all that came may come again")
	assert.Empty(t, some(got.lost), "lost")
	assert.Empty(t, some(got.foreign), "ids that one life does not give")
	assert.Empty(t, some(got.altered), "differs from one life, %d", len(got.altered))
	assert.Empty(t, some(got.sameLife), "seen twice in one life")
	assert.Empty(t, some(got.twice[flightOver]), "seen twice although their batch was not in flight")
	if signal == syscall.SIGTERM {
		assert.Zero(t, got.again(), "seen twice over clean stops")
	}
}

// abandon makes the files so old that no line may follow. The next life closes what they leave open, so that none has to wait for
// what only time decides, such as the end of a run that shows none.
func abandon(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	long := time.Now().Add(-24 * time.Hour)
	for _, f := range files {
		require.NoError(t, os.Chtimes(filepath.Join(dir, f.Name()), long, long))
	}
}

// oneLife returns what one life of a collector exports for the same files with the same paths until done.
func oneLife(t *testing.T, include []string, done func(*ledger, *testing.T, *collectorRun)) *ledger {
	t.Helper()
	whole := newLedger(t)
	c := startCollector(t, collectorSetup{include: include, endpoint: whole.server.URL, store: filepath.Join(t.TempDir(), "reference")})
	done(whole, t, c)
	c.end(syscall.SIGTERM)
	return whole
}
