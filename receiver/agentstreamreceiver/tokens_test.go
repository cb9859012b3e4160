package agentstreamreceiver

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/telemetry"
)

// toldTokens is the total that a file's events tell, by the rule of events.UsageTotal, and the sum of what its model
// calls tell. History that was copied from another session is told there.
func toldTokens(t *testing.T, path string) (total, calls events.Tokens) {
	t.Helper()
	sum, calls := toldUsage(t, path)
	return sum.Sum().Tokens, calls
}

// toldNatively is the same total in the arithmetic of those who told it.
func toldNatively(t *testing.T, path string) events.Tokens {
	t.Helper()
	sum, _ := toldUsage(t, path)
	told := sum.Sum().Provider
	told.Reasoning = 0
	return told
}

func toldUsage(t *testing.T, path string) (sum events.UsageTotal, calls events.Tokens) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	source, err := parser.New(parser.Auto)
	require.NoError(t, err)
	add := func(evs []events.DisplayEvent) {
		for i := range evs {
			if evs[i].Kind != events.KindUsage || evs[i].Copied || evs[i].Usage.Tokens.Input > 1<<40 { // the fold ignores that
				continue
			}
			sum.Add(evs[i].Model, evs[i].Usage)
			if evs[i].Usage.Scope == events.UsageScopeCall {
				calls.Add(evs[i].Usage.Tokens)
			}
		}
	}
	for line := range bytes.Lines(data) {
		add(source.ParseEvents(bytes.TrimSuffix(line, []byte("\n"))))
	}
	add(source.Flush())
	return sum, calls
}

func tokensOf(m pcommon.Map) events.Tokens {
	return events.Tokens{
		Input: intOf(m, telemetry.AttrGenAIInputTokens), Output: intOf(m, telemetry.AttrGenAIOutputTokens),
		CacheRead: intOf(m, telemetry.AttrUsageCacheRead), CacheWrite: intOf(m, telemetry.AttrUsageCacheWrite),
		Reasoning: intOf(m, telemetry.AttrUsageReasoning),
	}
}

func intOf(m pcommon.Map, key string) int64 {
	v, _ := m.Get(key)
	return v.Int()
}

// TestTokensAgree: the runs' spans and the counters both add up to what the file tells.
func TestTokensAgree(t *testing.T) {
	for _, path := range fixtures(t) {
		t.Run(sessionName(path), func(t *testing.T) {
			want, calls := toldTokens(t, path)
			registry := telemetry.NewRegistry(goldenSettings())
			r := newReading(t, registry, path)
			r.read(1 << 30)
			require.NotNil(t, r.fold)
			r.fold.Close(telemetry.CloseReasonShutdown)
			spans := runTokens(r.fold.Take().Traces, sessionName(path))
			assert.Equal(t, want, spans, "spans of runs")
			// A counter can't take back: where made-up cases tell more by call than in total, it keeps the more.
			want.Max(calls)
			assert.Equal(t, want, countedTokens(registry), "counters")
		})
	}
}

// countedTokens are the sums of the token counters.
func countedTokens(registry *telemetry.Registry) events.Tokens {
	var counted events.Tokens
	into := map[string]*int64{
		"gen_ai.client.inference.usage.input_tokens":             &counted.Input,
		"gen_ai.client.inference.usage.output_tokens":            &counted.Output,
		"gen_ai.client.inference.usage.cache_read.input_tokens":  &counted.CacheRead,
		"gen_ai.client.inference.usage.cache_write.input_tokens": &counted.CacheWrite,
		"gen_ai.client.inference.usage.reasoning.output_tokens":  &counted.Reasoning,
	}
	for _, rm := range registry.Metrics().Take(time.Now()).ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if sum := into[m.Name()]; sum != nil {
					for _, p := range m.Sum().DataPoints().All() {
						*sum += p.IntValue()
					}
				}
			}
		}
	}
	return counted
}
