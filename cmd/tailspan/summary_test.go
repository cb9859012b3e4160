package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report/reporttest"
	"github.com/tailspan/tailspan/session/pipeline"
)

// differentSums lists the recordings whose log has other sums than their spans, and why.
var differentSums = map[string]string{
	"claude/case-known-tool-odd-input.jsonl": "a call without a name, whose result the log takes for that of an earlier call",
	"claude/interactive.session.jsonl":       "the cost that a session notes is of none of its runs",
	"codex/parity-0.125.session.jsonl":       "plan updates without ids, which have no result in the spans",
	"codex/parity-0.29.jsonl":                "the same",
	"codex/parity-0.34.jsonl":                "the same",
	"openai/malformed.jsonl":                 "a call that is there twice",
}

// figures are the numbers of a summary.
type figures struct{ Calls, Failed, Input, Cached, Output int64 }

// ofLog sums up the summaries of a log: each answer of a server has one. An estimated cost is marked.
func ofLog(t *testing.T, log string) (f figures, usd float64, estimated bool) {
	t.Helper()
	add := func(to *int64, text string) {
		n, err := strconv.ParseInt("0"+strings.ReplaceAll(text, ",", ""), 10, 64)
		require.NoError(t, err)
		*to += n
	}
	for _, m := range regexp.MustCompile(`(?m)^tools +(\d+) calls?(?:, (\d+) failed)?`).FindAllStringSubmatch(log, -1) {
		add(&f.Calls, m[1])
		add(&f.Failed, m[2])
	}
	for _, m := range regexp.MustCompile(`(?m)^tokens +([\d,]+) in(?: \(([\d,]+) cached\))?, ([\d,]+) out$`).FindAllStringSubmatch(log, -1) {
		add(&f.Input, m[1])
		add(&f.Cached, m[2])
		add(&f.Output, m[3])
	}
	for _, m := range regexp.MustCompile(`(?m)^cost +(~?)\$([\d.]+)$`).FindAllStringSubmatch(log, -1) {
		one, err := strconv.ParseFloat(m[2], 64)
		require.NoError(t, err)
		usd, estimated = usd+one, estimated || m[1] != ""
	}
	return f, usd, estimated
}

// TestLogSumsUpLikeReport checks each recording separately: the summary of its log has the calls, failures, tokens and cost of
// its spans, and marks the same estimates.
func TestLogSumsUpLikeReport(t *testing.T) {
	list := filepath.Join(t.TempDir(), "prices.yaml")
	require.NoError(t, os.WriteFile(list, []byte("- {model: '*', input: 1.37, cached: 0.137, output: 7.91}\n"), 0o600))
	prices, err := pipeline.ReadPrices(list)
	require.NoError(t, err)
	compared, estimates, failures := 0, 0, int64(0)
	for _, provider := range providersWithFixtures(t) {
		for _, path := range fixturesOf(t, provider, "*") {
			name := filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
			if strings.Contains(name, ".requests.") || strings.Contains(name, ".storage.") || differentSums[name] != "" {
				continue
			}
			dir := t.TempDir() // without files of sub-agents
			reporttest.Copy(t, path, dir)
			alone := filepath.Join(dir, filepath.Base(path))
			code, log, stderr := tailspan("", "render", "--provider", provider, "--mode", "verbose", "--prices", list, alone)
			require.Equal(t, cli.ExitOK, code, stderr)
			set := reporttest.Settings(t, prices)
			set.Stream.Provider = provider
			runs, err := report.Read(t.Context(), set, []string{alone}, report.DefaultLimits())
			require.NoError(t, err)
			var want figures
			wantUSD, wantEstimate := 0.0, false
			for _, r := range runs {
				used := &r.Usage.Total
				want.Calls, want.Failed = want.Calls+int64(r.Calls), want.Failed+int64(r.CallsFailed+r.CallsDenied)
				want.Input, want.Cached, want.Output = want.Input+used.Tokens.Input, want.Cached+used.Tokens.CacheRead, want.Output+used.Tokens.Output
				wantUSD, wantEstimate = wantUSD+used.CostUSD, wantEstimate || used.CostEstimated
			}
			got, usd, estimated := ofLog(t, log)
			assert.Equal(t, want, got, name)
			assert.InDelta(t, wantUSD, usd, 0.0001*float64(1+len(runs)), name)
			assert.Equal(t, wantEstimate, estimated, name)
			if compared++; estimated {
				estimates++
			}
			failures += got.Failed
		}
	}
	assert.Greater(t, compared, 250)
	assert.Greater(t, estimates, 100)
	assert.Greater(t, failures, int64(100))
}
