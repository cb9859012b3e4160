package agentstreamreceiver_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// oracle is the content of a capture, counted without any code of ours: its tokens in the provider's own arithmetic, its calls
// and how many of them failed. The file was created from the captures.
type oracle struct {
	fixture                              string
	input, output, cacheRead, cacheWrite int64
	calls, errors                        int64
}

func oracles(t *testing.T) (all []oracle) {
	t.Helper()
	f, err := os.Open(filepath.Join(samples, "oracle.csv"))
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		var n [6]int64
		for i := range n {
			n[i], err = strconv.ParseInt(row[i+1], 10, 64)
			require.NoError(t, err)
		}
		all = append(all, oracle{row[0], n[0], n[1], n[2], n[3], n[4], n[5]})
	}
	require.Greater(t, len(all), 200)
	return all
}

// native converts normalized tokens to the arithmetic of a provider: input without the cache, output without reasoning.
func native(provider string, n events.Tokens) events.Tokens {
	switch provider {
	case "claude":
		n.Input -= n.CacheRead + n.CacheWrite
	case "opencode":
		n.Input -= n.CacheRead + n.CacheWrite
		n.Output -= n.Reasoning
	case "gemini":
		n.Output -= n.Reasoning
	}
	n.Reasoning = 0
	return n
}

// mixed are fixtures whose bodies come from several makers through one gateway, each with its own arithmetic: Anthropic's
// input excludes the cache, Google's output excludes reasoning. Their native sum is that of the events.
var mixed = []string{"openai/gateway-chat.jsonl", "openai/gemini-stream-noindex.sse", "openai/others-chat.jsonl"}

// forked begin with the history of another session, which the oracle counts and we attribute to that session.
var forked = []string{"claude/resume-fork.session.jsonl"}

// absurd is a fixture in which one line reports more tokens than a model call can use.
var absurd = struct {
	fixture string
	input   int64
}{"openai/malformed.jsonl", 1<<53 + 1}

// placeholders are streams that end before the output of some call is known. The oracle counts the API's first counts, which
// are not exported.
var placeholders = []string{"claude/killed-in-text.jsonl", "claude/killed.jsonl", "claude/terminated.jsonl"}

// TestOracle: the spans and the counters add up to the tokens in the captures, and each call has one span, which failed if the
// call did.
func TestOracle(t *testing.T) {
	for _, want := range oracles(t) {
		t.Run(want.fixture, func(t *testing.T) {
			registry := telemetry.NewRegistry(goldenSettings())
			r := newReading(t, registry, filepath.Join(samples, want.fixture))
			r.read(1 << 30)
			var traces ptrace.Traces
			if r.stream == nil {
				traces = ptrace.NewTraces()
			} else {
				r.stream.Close(otlp.CloseReasonShutdown)
				traces = r.stream.Take().Traces
			}
			provider, _, _ := strings.Cut(want.fixture, "/")
			if slices.Contains(forked, want.fixture) {
				assert.Less(t, spanTokens(traces).Output, want.output)
				return
			}
			if want.fixture == absurd.fixture { // the session ignores what no call can use; the events contain it
				want.input -= absurd.input
			}
			tokens := events.Tokens{Input: want.input, Output: want.output, CacheRead: want.cacheRead, CacheWrite: want.cacheWrite}
			spans, counters := native(provider, spanTokens(traces)), native(provider, countedTokens(registry))
			if slices.Contains(mixed, want.fixture) {
				assert.Equal(t, spans, counters)
				spans = reportedNatively(t, filepath.Join(samples, want.fixture))
				counters = spans
			}
			if slices.Contains(placeholders, want.fixture) {
				assert.Less(t, spans.Output, tokens.Output)
				tokens.Output = spans.Output
			}
			assert.Equal(t, tokens, spans, "spans")
			assert.Equal(t, tokens, counters, "counters")
			calls, failed := int64(0), int64(0)
			for _, s := range spansIn(traces) {
				if s.Attributes().AsRaw()[otlp.AttrGenAIOperationName] != otlp.OperationExecuteTool {
					continue
				}
				calls++
				if reason, _ := s.Attributes().Get(otlp.AttrCloseReason); (reason.Str() == "result" || reason.Str() == "interrupted") && s.Status().Code() == ptrace.StatusCodeError {
					failed++
				}
			}
			assert.Equal(t, want.calls, calls, "calls")
			assert.Equal(t, want.errors, failed, "failed calls")
		})
	}
}

// spansIn returns the spans of an export.
func spansIn(traces ptrace.Traces) (list []ptrace.Span) {
	for _, rs := range traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				list = append(list, s)
			}
		}
	}
	return list
}

// spanTokens sums gen_ai.usage.* over all spans, as back ends do.
func spanTokens(traces ptrace.Traces) (sum events.Tokens) {
	for _, s := range spansIn(traces) {
		sum.Add(tokensOf(s.Attributes()))
	}
	return sum
}
