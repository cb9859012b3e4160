package pipelinefuzz

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// perRound is the number of sessions in a round.
const perRound = 80

// FuzzPipeline plays rounds to a receiver. For any input:
//
//   - every complete line is acknowledged, and the receiver stops in time;
//   - the traces are whole: see otlpjson.Check;
//   - no record is exported twice, except after a restart with the same uid and content; each has a uid and a body, and no attribute
//     has a NUL, invalid UTF-8, or a number below zero;
//   - no batch has more than max_batch_size, no resource more than 128 attributes, no attribute more than 64 KiB;
//   - counters are finite and never fall;
//   - a recording among mutations of itself and of others has all its texts and calls exported.
func FuzzPipeline(f *testing.F) {
	for seed := range uint64(2) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { playRound(t, seed, perRound) })
}

// TestPipelineForAWhile plays rounds for TAILSPAN_FUZZ_FOR.
func TestPipelineForAWhile(t *testing.T) {
	text := os.Getenv("TAILSPAN_FUZZ_FOR")
	if text == "" {
		t.Skip("TAILSPAN_FUZZ_FOR is not set: make fuzz-pipeline runs this test")
	}
	length, err := time.ParseDuration(text)
	require.NoError(t, err)
	seed := rand.Uint64()
	if text := os.Getenv("TAILSPAN_SEED"); text != "" {
		seed, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	start, rounds := time.Now(), uint64(0)
	for ; time.Since(start) < length && !t.Failed(); rounds++ {
		round := seed + rounds
		t.Run(strconv.FormatUint(round, 10), func(t *testing.T) { playRound(t, round, perRound) })
	}
	sessions := rounds * perRound
	t.Logf("seed %d: %d sessions in %d rounds, %.0f a minute", seed, sessions, rounds, float64(sessions)/time.Since(start).Minutes())
}

func playRound(t *testing.T, seed uint64, size int) {
	t.Helper()
	r := newRound(t, seed, size)
	out := r.play(t)
	found := out.check(&r)
	all := out.content()
	for _, f := range r.files {
		switch {
		case !f.control:
			continue
		case r.restart: // what waits for other streams, or has no end, belongs to the next process
			continue
		case r.old && len(f.pieces) > 1: // an old file is over at its end, so what follows of a text is another text
			continue
		}
		own := alone(t, f.session)
		for name, items := range own {
			item := items[0]
			if len(all[name]) > 0 || item.agent != "" && !f.holdsAgents() && (r.others(f, item.agent) || r.accounts(item.session) > 1) || f.twins() && r.accounts(item.session) > 1 && all.has(item, own) {
				continue
			}
			found.add("%s (%s): not exported: %.120q", f.path, f.name, name)
		}
	}
	for _, finding := range found {
		t.Errorf("seed %d: %s", seed, finding)
	}
}

// twins reports whether the IDs of a stream and a transcript of the format differ. Then what both contain is exported only for
// one of them.
func (f file) twins() bool {
	return slices.ContainsFunc([]string{"codex", "gemini", "qwen"}, func(format string) bool { return strings.Contains(f.name, format) })
}

// holdsAgents reports whether the file is a transcript that includes the work of its sub-agents. Two such files complement
// each other.
func (f file) holdsAgents() bool {
	return strings.Contains(f.name, "opencode") && strings.Contains(f.name, ".session.")
}

// others reports whether another file of the round is about the same sub-agent. A sub-agent's work is exported as in its own
// stream, or as in the first one about it; from a second account of a run it is not exported if the first is a transcript.
// Only for a run's own agent everything in every account is exported.
func (r round) others(f file, agent string) bool {
	return slices.ContainsFunc(r.files, func(other file) bool {
		return other.path != f.path && bytes.Contains(other.bytes(), []byte(agent))
	})
}

// accounts returns how many files of the round are about a session. A session without an ID is identified by its first line,
// which any file of the round may share.
func (r *round) accounts(session string) (n int) {
	for _, f := range r.files {
		if bytes.Contains(f.bytes(), []byte(session)) {
			n++
		}
	}
	return n
}

// recorded reports whether everything in the round about a session is unchanged recordings. An ID that is in no file is a
// long one that a mutation shortened.
func (r *round) recorded(session string) bool {
	recorded := false
	for _, f := range r.files {
		if session == "" || !bytes.Contains(f.bytes(), []byte(session)) {
			continue
		}
		if !f.control {
			return false
		}
		recorded = true
	}
	return recorded
}

// claims reports whether a mutation of a session has a line with the totals of a run.
func (r *round) claims(session string) bool {
	return slices.ContainsFunc(r.files, func(f file) bool {
		return !f.control && bytes.Contains(f.bytes(), []byte(session)) && bytes.Contains(f.bytes(), []byte(`"type":"result"`))
	})
}

// aloneContent caches the content of recordings that are read alone.
var aloneContent sync.Map

// alone returns the content of a session that is the only one in its folder.
func alone(t *testing.T, s session) content {
	t.Helper()
	data := string(s.bytes())
	if c, ok := aloneContent.Load(data); ok {
		return c.(content)
	}
	settings := map[string]any{"start_at": "beginning", "poll_interval": "50ms", "force_flush_period": "50ms"}
	c := round{settings: settings, lineLimit: 16 << 20, files: []file{{path: "other/0.jsonl", session: s, pieces: [][]byte{s.bytes()}}}}.play(t).content()
	aloneContent.Store(data, c)
	return c
}
