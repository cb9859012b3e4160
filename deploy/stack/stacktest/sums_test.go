package stacktest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sums are the sums of one back end, by pipeline and then by quantity.
type sums map[string]map[string]float64

func (s sums) add(pipeline, what string, value float64) {
	if s[pipeline] == nil {
		s[pipeline] = map[string]float64{}
	}
	s[pipeline][what] += value
}

// Sums of metrics: the increase of a counter, and for Prometheus, whose increase() extrapolates, its value.
var metricSums = []struct{ label, victoria, prometheus string }{
	{"gen_ai_token_type", "sum by (cicd_pipeline_name, gen_ai_token_type) (increase(gen_ai_client_token_usage_sum[1h]))", "sum by (cicd_pipeline_name, gen_ai_token_type) (last_over_time(gen_ai_client_token_usage_sum[1h]))"},
	{"cache_read", "sum by (cicd_pipeline_name) (increase(tailspan_usage_cache_read_input_tokens_total[1h]))", "sum by (cicd_pipeline_name) (last_over_time(tailspan_usage_cache_read_input_tokens_total[1h]))"},
	{"cost", "sum by (cicd_pipeline_name) (increase(tailspan_cost_total[1h]))", "sum by (cicd_pipeline_name) (last_over_time(tailspan_cost_total[1h]))"},
	{"tailspan_run_outcome", "sum by (cicd_pipeline_name, tailspan_run_outcome) (increase(tailspan_runs_total[1h]))", "sum by (cicd_pipeline_name, tailspan_run_outcome) (last_over_time(tailspan_runs_total[1h]))"},
}

func metricsOf(ctx context.Context, server string, victoria bool) (sums, error) {
	all := sums{}
	for _, m := range metricSums {
		query := m.prometheus
		if victoria {
			query = m.victoria
		}
		got, err := instant(ctx, server, query)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		for _, s := range got {
			what := s.labels[m.label]
			if what == "" {
				what = m.label
			}
			if s.value != 0 {
				// The order in which fractions are added varies.
				all.add(s.labels["cicd_pipeline_name"], what, math.Round(s.value*1e6)/1e6)
			}
		}
	}
	return all, nil
}

// tokenTags maps span attributes to the sum that they add to.
var tokenTags = map[string]string{
	"gen_ai.usage.input_tokens": "input", "gen_ai.usage.output_tokens": "output",
	"gen_ai.usage.cache_read.input_tokens": "cache_read",
}

// tracesOf sums up the spans of a pipeline's run.
func tracesOf(spans []span, pipeline string) sums {
	all, byID := sums{}, map[string]span{}
	for _, s := range spans {
		byID[s.ID] = s
	}
	for _, s := range byID {
		for tag, what := range tokenTags {
			if n, ok := s.Tags[tag].(float64); ok {
				all.add(pipeline, what, n)
			}
		}
		if word, ok := s.Tags["tailspan.run.outcome"].(string); ok && isRun(s, byID) {
			all.add(pipeline, word, 1)
			if usd, ok := s.Tags["tailspan.cost.usd"].(float64); ok {
				all.add(pipeline, "cost", usd)
			}
		}
	}
	return all
}

// isRun reports whether an agent's span is in no other agent's span.
func isRun(s span, byID map[string]span) bool {
	for {
		if len(s.Parents) == 0 {
			return true
		}
		parent, ok := byID[s.Parents[0]]
		if !ok {
			return true
		}
		if parent.Tags["gen_ai.operation.name"] == "invoke_agent" {
			return false
		}
		s = parent
	}
}

// checkSums compares the sums of the back ends with the expected ones beside the recordings.
func checkSums(t *testing.T, c client, all []recording, out *report) {
	var victoria, before, prometheus sums
	alike := 0
	waitUntil(t, 2*time.Minute, "the last metrics are there", func(ctx context.Context) (err error) {
		before = victoria
		if victoria, err = metricsOf(ctx, c.metrics, true); err != nil {
			return err
		}
		// VictoriaMetrics shows new data after some seconds.
		if alike++; len(victoria) == 0 || !reflect.DeepEqual(before, victoria) {
			alike = 0
		}
		if alike < 10 {
			return fmt.Errorf("the sums have been the same %d times", alike)
		}
		if c.prometheus == "" {
			return nil
		}
		if prometheus, err = metricsOf(ctx, c.prometheus, false); err != nil {
			return err
		}
		for pipeline, want := range victoria {
			for what, n := range want {
				if !same(what, n, prometheus[pipeline][what]) {
					return fmt.Errorf("%s of %s: %v in VictoriaMetrics, %v in Prometheus", what, pipeline, n, prometheus[pipeline][what])
				}
			}
		}
		return nil
	})
	compared := 0
	for _, r := range all {
		want := map[string]float64{}
		for _, kind := range []string{"input", "output", "cache_read"} {
			if n, ok := r.truth.tokens(kind); ok {
				want[kind] = n
			}
		}
		if usd, ok := r.truth.cost(); ok {
			want["cost"] = usd
		}
		outcomes, known := r.truth.outcomes()
		for word, n := range outcomes {
			want[word] = float64(n)
		}
		spans, err := c.find(t.Context(), map[string]string{"cicd.pipeline.name": r.name})
		require.NoError(t, err)
		traces := tracesOf(spans, r.name)
		for _, what := range slices.Sorted(mapsKeys(want)) {
			compared++
			assert.True(t, same(what, want[what], victoria[r.name][what]), "%s: %s: truth %v, metrics %v", r.name, what, want[what], victoria[r.name][what])
			if what == "cost" && costElsewhere[r.name] != "" {
				continue
			}
			assert.True(t, same(what, want[what], traces[r.name][what]), "%s: %s: truth %v, traces %v", r.name, what, want[what], traces[r.name][what])
		}
		if known {
			for _, word := range []string{"ok", "error", "interrupted", "killed", "incomplete"} {
				assert.Equal(t, float64(outcomes[word]), victoria[r.name][word], "%s: runs %s", r.name, word)
			}
		}
		out.sums(r.name, want, victoria[r.name], traces[r.name])
	}
	assert.Greater(t, compared, 600)
}

// same compares tokens exactly, and costs to a hundredth of a cent.
func same(what string, want, got float64) bool {
	if what == "cost" {
		return math.Abs(want-got) < 0.0001
	}
	return want == got
}

func mapsKeys(m map[string]float64) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// costOf returns the cost in the last line of a recording of Claude Code's stream.
func costOf(t *testing.T, name string) float64 {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "testdata", "claude", name+".jsonl"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var last struct {
		Cost float64 `json:"total_cost_usd"`
	}
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	require.NotZero(t, last.Cost)
	return last.Cost
}

// failedShellCalls counts the failed shell calls in a recording, as `tailspan events` lists them.
func failedShellCalls(t *testing.T, path string) (n int) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), os.Getenv("TAILSPAN_COMMAND"), "events", filepath.Join(root, path)).Output()
	require.NoError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var event struct {
			Kind  string `json:"kind"`
			Name  string `json:"name"`
			Error bool   `json:"error"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &event))
		if event.Kind == "tool_result" && event.Error && slices.Contains([]string{"Bash", "shell", "exec_command", "write_stdin", "local_shell"}, event.Name) {
			n++
		}
	}
	return n
}
