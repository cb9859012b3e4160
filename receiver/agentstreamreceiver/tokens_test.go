package agentstreamreceiver_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/telemetry"
)

// reportedTokens is the total that a file's events report, by the rule of events.UsageTotal. History copied from another
// session counts there.
func reportedTokens(t *testing.T, path string) events.Tokens {
	t.Helper()
	sum := reportedUsage(t, path)
	total := sum.Sum().Tokens
	total.CacheWrite5m, total.CacheWrite1h = 0, 0 // parts of the written tokens
	return total
}

// reportedNatively is the same total in the arithmetic of its provider.
func reportedNatively(t *testing.T, path string) events.Tokens {
	t.Helper()
	sum := reportedUsage(t, path)
	reported := sum.Sum().Provider
	reported.Reasoning = 0
	return reported
}

func reportedUsage(t *testing.T, path string) (sum events.UsageTotal) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	source, err := parser.New(parser.Auto)
	require.NoError(t, err)
	add := func(evs []events.DisplayEvent) {
		for i := range evs {
			if evs[i].Kind != events.KindUsage || evs[i].Copied || evs[i].Usage.Tokens.Input > 1<<40 { // the session ignores that
				continue
			}
			sum.Add(evs[i].Model, evs[i].Usage)
		}
	}
	for line := range bytes.Lines(data) {
		add(source.ParseEvents(bytes.TrimSuffix(line, []byte("\n"))))
	}
	add(source.Flush())
	return sum
}

func tokensOf(m pcommon.Map) events.Tokens {
	return events.Tokens{
		Input: intOf(m, otlp.AttrGenAIInputTokens), Output: intOf(m, otlp.AttrGenAIOutputTokens),
		CacheRead: intOf(m, otlp.AttrGenAICacheRead), CacheWrite: intOf(m, "gen_ai.usage.cache_creation.input_tokens"),
		Reasoning: intOf(m, otlp.AttrGenAIReasoningTokens),
	}
}

func intOf(m pcommon.Map, key string) int64 {
	v, _ := m.Get(key)
	return v.Int()
}

// TestTokensAgree: the spans of each fixture of each provider add up to what the file reports, once; so do the counters, and
// the totals of the runs.
func TestTokensAgree(t *testing.T) {
	for _, path := range fixtures(t) {
		t.Run(sessionName(path), func(t *testing.T) {
			want := reportedTokens(t, path)
			registry := telemetry.NewRegistry(goldenSettings())
			r := newReading(t, registry, path)
			r.read(1 << 30)
			require.NotNil(t, r.stream)
			r.stream.Close(otlp.CloseReasonShutdown)
			traces := r.stream.Take().Traces
			registry.Close().Traces.ResourceSpans().MoveAndAppendTo(traces.ResourceSpans()) // runs that wait for missing files
			assert.Equal(t, want, spanTokens(traces), "spans")
			assert.Equal(t, want, countedTokens(registry), "counters")
			assert.Equal(t, want, totalTokens(traces), "totals")
		})
	}
}

// totalTokens sums the totals of the agents that no other span of the trace includes.
func totalTokens(traces ptrace.Traces) (sum events.Tokens) {
	for _, s := range spansIn(traces) {
		m := s.Attributes()
		if _, isRun := m.Get(otlp.AttrRunKey); isRun {
			sum.Add(events.Tokens{
				Input: intOf(m, otlp.AttrUsageInput), Output: intOf(m, otlp.AttrUsageOutput),
				CacheRead: intOf(m, otlp.AttrUsageCacheRead), CacheWrite: intOf(m, otlp.AttrUsageCacheWrite),
				Reasoning: intOf(m, otlp.AttrUsageReasoning),
			})
		}
	}
	return sum
}

// countedTokens returns the sums of the token metrics.
func countedTokens(registry *telemetry.Registry) events.Tokens {
	var counted events.Tokens
	into := map[string]*int64{
		otlp.AttrUsageCacheRead:  &counted.CacheRead,
		otlp.AttrUsageCacheWrite: &counted.CacheWrite,
		otlp.AttrUsageReasoning:  &counted.Reasoning,
	}
	byType := map[string]*int64{"input": &counted.Input, "output": &counted.Output}
	for _, rm := range registry.Metrics().TakeLast(time.Now())[1].ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				if m.Name() == "gen_ai.client.token.usage" {
					for _, p := range m.Histogram().DataPoints().All() {
						of, _ := p.Attributes().Get(otlp.AttrGenAITokenType)
						*byType[of.Str()] += int64(p.Sum())
					}
				}
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
