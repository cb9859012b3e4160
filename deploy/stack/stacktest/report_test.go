package stacktest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/deploy/stack/dashboards"
)

// report holds the results of the test as a document.
type report struct{ panels, rules, pipelines, totals strings.Builder }

var blanks = regexp.MustCompile(`\s+`)

func cell(text string) string {
	return strings.ReplaceAll(blanks.ReplaceAllString(text, " "), "|", `\|`)
}

func (r *report) panel(board dashboards.Board, panel dashboards.Panel, query dashboards.Query, n int) {
	got := fmt.Sprint(n)
	if n == 0 {
		got = "0: " + query.Quiet
	}
	fmt.Fprintf(&r.panels, "| %s | %s | `%s` | %s |\n", strings.TrimPrefix(board.Title, "tailspan: "), panel.Title, cell(query.Expr), got)
}

func (r *report) rule(name string, rows, alerts int) {
	fmt.Fprintf(&r.rules, "| `%s` | %d | %d |\n", name, rows, alerts)
}

func (r *report) questions(failed int, cost string) {
	fmt.Fprintf(&r.totals, "- Failed shell calls of pipeline nightly today: %d records, as many as the recordings have.\n- Cost of pipeline nightly this week: %s USD, what the last lines of the recordings say.\n", failed, cost)
}

// sums adds the comparison of one recording.
func (r *report) sums(name string, want, metrics, traces map[string]float64) {
	fmt.Fprintf(&r.pipelines, "| %s ", name)
	for _, what := range []string{"input", "output", "cache_read", "cost"} {
		if n, ok := want[what]; ok {
			fmt.Fprintf(&r.pipelines, "| %s = %s = %s ", number(n), number(metrics[what]), number(traces[what]))
		} else {
			r.pipelines.WriteString("| ")
		}
	}
	var outcomes []string
	for _, word := range []string{"ok", "error", "interrupted", "killed", "incomplete"} {
		if n := want[word]; n > 0 {
			outcomes = append(outcomes, fmt.Sprintf("%s %.0f = %.0f = %.0f", word, n, metrics[word], traces[word]))
		}
	}
	fmt.Fprintf(&r.pipelines, "| %s |\n", strings.Join(outcomes, "; "))
}

func number(n float64) string {
	if n == float64(int64(n)) {
		return fmt.Sprintf("%.0f", n)
	}
	return fmt.Sprintf("%.4f", n)
}

func (r *report) write(t *testing.T) {
	t.Helper()
	text := `# Every query of the stack, executed

` + "`make stack-test`" + ` wrote this page. It plays all recordings of testdata/spans and testdata, each as a separate pipeline, and three rounds
of the sample agents to the running servers. It executes every query below in VictoriaMetrics, Prometheus, VictoriaLogs and Jaeger, and
compares the sums with the truth: the expectations beside the recordings of testdata/spans, and for the others, whose names have a dot,
the summary of ` + "`tailspan events`" + `.

## Questions

` + r.totals.String() + `
## Panels

Answers are numbers of series, records or spans.

| dashboard | panel | query | answer |
|---|---|---|---|
` + r.panels.String() + `
## Alert rules

Series of the rule without its threshold, and active alerts.

| rule | series | alerts |
|---|---|---|
` + r.rules.String() + `
## Sums

The truth, if known, equals the sums in VictoriaMetrics, Prometheus and Jaeger. The cost of a recording whose spans have another sum is
not on the spans of its top runs: ` + "`costElsewhere`" + ` in the test says why.

| recording | input tokens | output tokens | of the input, from a cache | USD | runs |
|---|---|---|---|---|---|
` + r.pipelines.String()
	require.NoError(t, os.WriteFile(filepath.Join(root, "docs", "stack-queries.md"), []byte(text), 0o644))
}

// question finds the query in docs/stack.md that contains a word.
func question(t *testing.T, word string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "stack.md"))
	require.NoError(t, err)
	for _, block := range strings.Split(string(text), "```")[1:] {
		if strings.Contains(block, word) {
			return strings.TrimSpace(block)
		}
	}
	require.Fail(t, "docs/stack.md has no such query", word)
	return ""
}
