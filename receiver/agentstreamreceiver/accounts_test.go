package agentstreamreceiver_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
)

// accounts are recorded streams on standard output, each with the transcripts of the same session.
func accounts(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, name := range []string{"background", "subagent", "subagent-2.1.30"} {
		all["claude/"+name] = append([]string{filepath.Join(samples, "claude", name+".jsonl")}, families(t)["claude/"+name]...)
	}
	all["gemini/subagent"] = append([]string{filepath.Join(samples, "gemini", "subagent.jsonl")}, families(t)["gemini/subagent"]...)
	all["qwen/background"] = append([]string{filepath.Join(samples, "spans", "qwen-stream-main", "stream.jsonl")}, families(t)["qwen/background"]...)
	for name, stream := range map[string]string{"codex": "parity", "opencode": "parity", "qwen": "parity.stream"} {
		folder := filepath.Join(samples, name)
		all[name+"/parity"] = []string{filepath.Join(folder, stream+".jsonl"), filepath.Join(folder, "parity.session.jsonl")}
	}
	// A stream of Codex has no tokens of a run that failed.
	all["codex/unauthorized"] = []string{filepath.Join(samples, "codex", "unauthorized.jsonl"), filepath.Join(samples, "codex", "unauthorized.session.jsonl")}
	return all
}

// TestAccountsCountOnce reads the stream and the transcripts of a session in any order. The result is one run, with the calls
// and texts of the transcripts, once, and the tokens of one of the accounts. (Totals of a stream can include side calls that
// no transcript has, and old transcripts have placeholders.)
func TestAccountsCountOnce(t *testing.T) {
	for name, paths := range accounts(t) {
		t.Run(name, func(t *testing.T) {
			want := sumUp(readTogether(t, goldenSettings(), paths[1:], nil))
			require.Positive(t, want.input)
			stream := sumUp(readTogether(t, goldenSettings(), paths[:1], nil))
			other := want
			if stream.input > 0 {
				other.input, other.output = stream.input, stream.output
			}
			either := []summed{want, other}
			reversed := slices.Clone(paths)
			slices.Reverse(reversed)
			assert.Contains(t, either, sumUp(readTogether(t, goldenSettings(), paths, nil)), "stream first")
			assert.Contains(t, either, sumUp(readTogether(t, goldenSettings(), reversed, nil)), "stream last")
			for seed := range uint64(30) {
				rng := rand.New(rand.NewPCG(seed, 17))
				e := readTogether(t, goldenSettings(), slices.Clone(paths), rng)
				require.Contains(t, either, sumUp(e), "seed %d", seed)
				require.Empty(t, otlpjson.Check(e.traces...), "seed %d", seed)
			}
		})
	}
}

// summed is what back ends sum over spans and records.
type summed struct {
	runs, calls, texts int
	input, output      int64
}

func sumUp(e *exports) (s summed) {
	for _, td := range e.traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					m := span.Attributes()
					tokens := tokensOf(m)
					s.input += tokens.Input
					s.output += tokens.Output
					if _, isRun := m.Get(otlp.AttrRunKey); isRun {
						s.runs++
					}
					if _, isCall := m.Get(otlp.AttrGenAIToolCallID); isCall {
						s.calls++
					}
				}
			}
		}
	}
	for _, ld := range e.logs {
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, lr := range sl.LogRecords().All() {
					if lr.EventName() == "tailspan.text" {
						s.texts++
					}
				}
			}
		}
	}
	return s
}
