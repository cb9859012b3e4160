package stacktest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/deploy/stack/dashboards"
)

// fill replaces Grafana's variables in a query.
func fill(query, trace string) string {
	return strings.NewReplacer("$pipeline", ".*", "$step", ".*", "$trace", trace, "$__range", "1h", "$__rate_interval", "1m").Replace(query)
}

// checkPanels executes every query of every panel.
func checkPanels(t *testing.T, c client, out *report) {
	trace := traceOf(t, c)
	for _, board := range dashboards.All() {
		for _, panel := range board.Panels() {
			for _, query := range panel.Queries {
				where := board.Title + ": " + panel.Title
				expr := fill(query.Expr, trace)
				n := 0
				switch query.Source {
				case dashboards.Metrics:
					ask := instant
					if query.Mode == dashboards.Range {
						ask = overTime
					}
					got, err := ask(t.Context(), c.metrics, expr)
					require.NoError(t, err, "%s: %s", where, expr)
					n = len(got)
					for _, s := range got {
						assert.False(t, s.value != s.value, "%s: %v is no number", where, s.labels)
					}
					if c.prometheus != "" {
						there, err := ask(t.Context(), c.prometheus, expr)
						require.NoError(t, err, "%s in Prometheus: %s", where, expr)
						if query.Quiet == "" {
							assert.NotEmpty(t, there, "%s in Prometheus: %s", where, expr)
						}
					}
				case dashboards.Logs:
					got, err := c.rows(t.Context(), expr)
					require.NoError(t, err, "%s: %s", where, expr)
					n = len(got)
					for _, row := range got {
						assert.NotContains(t, row["_msg"], "missing _msg", where)
					}
				case dashboards.Traces:
					got, err := c.trace(t.Context(), expr)
					require.NoError(t, err, where)
					n = len(got)
				}
				if query.Quiet == "" {
					assert.NotZero(t, n, "%s has no data: %s", where, expr)
				}
				out.panel(board, panel, query, n)
			}
		}
	}
}

// traceOf returns the trace of a run of the sample pipeline nightly, whose steps use tools and sub-agents.
func traceOf(t *testing.T, c client) string {
	t.Helper()
	rows, err := c.rows(t.Context(), `{"cicd.pipeline.name"="nightly"} "tailspan.run.outcome":* | fields trace_id | limit 1`)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.NotEmpty(t, rows[0]["trace_id"])
	return rows[0]["trace_id"]
}

// threshold matches the comparison at the end of a line of a rule.
var threshold = regexp.MustCompile(`(?m) (>|>=|==) [\d.e]+$`)

// checkRules executes every rule without its threshold and checks that vmalert evaluates it.
func checkRules(t *testing.T, c client, vmalert string, out *report) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, vmalert+"/api/v1/rules", nil)
	require.NoError(t, err)
	body, err := answer(request)
	require.NoError(t, err)
	var got struct {
		Data struct {
			Groups []struct {
				Rules []struct {
					Name      string           `json:"name"`
					Query     string           `json:"query"`
					Health    string           `json:"health"`
					LastError string           `json:"lastError"`
					Alerts    []map[string]any `json:"alerts"`
				} `json:"rules"`
			} `json:"groups"`
		} `json:"data"`
	}
	require.NoError(t, json.Unmarshal(body, &got))
	quiet := map[string]string{"TailspanDrops": "nothing is dropped", "TailspanSeesUnknownTypes": "the recordings of one type or none are unknown"}
	count := 0
	for _, group := range got.Data.Groups {
		for _, rule := range group.Rules {
			count++
			assert.Equal(t, "ok", rule.Health, "%s: %s", rule.Name, rule.LastError)
			expr := threshold.ReplaceAllString(rule.Query, "")
			all, err := instant(t.Context(), c.metrics, expr)
			require.NoError(t, err, rule.Name)
			if quiet[rule.Name] == "" {
				assert.NotEmpty(t, all, "%s: %s", rule.Name, expr)
			}
			if c.prometheus != "" {
				_, err := instant(t.Context(), c.prometheus, expr)
				assert.NoError(t, err, "%s in Prometheus", rule.Name)
			}
			out.rule(rule.Name, len(all), len(rule.Alerts))
		}
	}
	require.NotZero(t, count)
}

// checkQuestions executes the queries for the two user questions in docs/stack.md.
func checkQuestions(t *testing.T, c client, out *report) {
	failed := question(t, "_time:1d")
	rows, err := c.rows(t.Context(), failed)
	require.NoError(t, err)
	want := 0
	for _, path := range []string{"testdata/claude/parity.jsonl", "testdata/claude/failures.jsonl", "testdata/claude/subagent.jsonl", "testdata/codex/parallel.session.jsonl"} {
		want += failedShellCalls(t, path)
	}
	require.NotZero(t, want)
	assert.Len(t, rows, agentRounds*want, failed)
	for _, row := range rows {
		assert.NotEmpty(t, row["_msg"])
	}
	// Of parity, failures and subagent, as in their last lines. VictoriaMetrics shows new data after some seconds.
	spent := fmt.Sprintf("%.4f", agentRounds*(costOf(t, "parity")+costOf(t, "failures")+costOf(t, "subagent")))
	waitUntil(t, time.Minute, "the cost of all rounds is there", func(ctx context.Context) error {
		cost, err := instant(ctx, c.metrics, question(t, "tailspan_cost_total[7d]"))
		if err != nil {
			return err
		}
		by := map[string]string{}
		for _, s := range cost {
			by[s.labels["cicd_pipeline_name"]] = fmt.Sprintf("%.4f", s.value)
		}
		if by["nightly"] != spent {
			return fmt.Errorf("nightly cost %s instead of %s: %v", by["nightly"], spent, by)
		}
		return nil
	})
	out.questions(len(rows), spent)
}

// checkTraces checks what Jaeger draws: no span lacks its parent, and the dependency graph is right: tailspan, which owns the
// spans of pipelines and steps, calls agents, and an agent calls itself.
func checkTraces(t *testing.T, c client) {
	for _, pipeline := range samplePipelines {
		spans, err := c.find(t.Context(), map[string]string{"cicd.pipeline.name": pipeline})
		require.NoError(t, err)
		assert.NotEmpty(t, spans, pipeline)
		assert.Empty(t, orphans(spans), pipeline)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("%s/api/dependencies?endTs=%d&lookback=3600000", c.traces, time.Now().UnixMilli()), nil)
	require.NoError(t, err)
	body, err := answer(request)
	require.NoError(t, err)
	var got struct {
		Data []struct{ Parent, Child string } `json:"data"`
	}
	require.NoError(t, json.Unmarshal(body, &got))
	assert.NotEmpty(t, got.Data)
	for _, d := range got.Data {
		assert.True(t, d.Parent == "tailspan" || d.Parent == d.Child, "%s calls %s", d.Parent, d.Child)
	}
}
