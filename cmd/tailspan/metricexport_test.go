//go:build unix

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/export"
)

// usageStream is an agent that made one model call, and usageEnd is its end.
const usageStream = `
printf '%s\n' '{"type":"system","subtype":"init","session_id":"s1","model":"m"}'
printf '%s\n' '{"type":"assistant","session_id":"s1","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"One."}],"usage":{"input_tokens":3,"output_tokens":4}}}'
`

const usageEnd = `printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"session_id":"s1","result":"One.","usage":{"input_tokens":3,"output_tokens":4}}'
`

// TestRunSendsMetrics checks that cumulative metrics are sent while the agent runs and once more after its end.
func TestRunSendsMetrics(t *testing.T) {
	sink := newOTLPSink(t)
	goOn := filepath.Join(t.TempDir(), "go-on")
	b := begin(t, "--otlp", sink.URL, "--metrics-interval", "20ms", "--pipeline", "nightly", "--run-id", "7", "--step", "fix", "--",
		"sh", "-c", usageStream+"until [ -e \"$0\" ]; do sleep 0.01; done\n"+usageEnd, goOn)
	require.Eventually(t, func() bool {
		defer sink.lock()()
		return len(sink.metrics) > 1
	}, patience, 5*time.Millisecond, "while it runs")
	require.NoError(t, os.WriteFile(goOn, nil, 0o600))
	code, _, stderr := b.end(t)
	assert.Zero(t, code)
	assert.Empty(t, stderr)
	assert.Equal(t, map[string]int64{
		"gen_ai.client.token.usage input": 3, "gen_ai.client.token.usage output": 4, "tailspan.runs": 1,
	}, sink.sums())
	defer sink.lock()()
	last := sink.newestMetrics().ResourceMetrics().At(0)
	assert.Equal(t, "nightly", last.Resource().Attributes().AsRaw()["cicd.pipeline.name"])
	assert.NotContains(t, last.Resource().Attributes().AsRaw(), "cicd.pipeline.run.id")
	assert.NotEmpty(t, last.Resource().Attributes().AsRaw()["service.instance.id"])
	operations := map[string]bool{}
	for _, m := range last.ScopeMetrics().At(0).Metrics().All() {
		if m.Type() == pmetric.MetricTypeSum {
			assert.Equal(t, pmetric.AggregationTemporalityCumulative, m.Sum().AggregationTemporality())
			continue
		}
		for _, p := range m.Histogram().DataPoints().All() {
			operation, _ := p.Attributes().Get("gen_ai.operation.name")
			operations[operation.Str()] = true
		}
	}
	assert.True(t, operations["invoke_agent"], "of the run itself, which only its end exports: %v", operations)
	zero := sink.metrics[0].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0)
	require.Equal(t, "gen_ai.client.token.usage", zero.Name())
	assert.Zero(t, zero.Histogram().DataPoints().At(0).Count(), "each series begins at zero")
}

// TestRunSendsMetricsAlone has an endpoint only for metrics.
func TestRunSendsMetricsAlone(t *testing.T) {
	sink := newOTLPSink(t)
	plainEnvironment(t)
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", sink.URL+"/v1/metrics")
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "x-tenant=made%20up")
	b := beginPlain("--", "sh", "-c", usageStream+usageEnd)
	code, _, stderr := b.end(t)
	assert.Zero(t, code)
	assert.Empty(t, stderr)
	assert.EqualValues(t, 3, sink.sums()["gen_ai.client.token.usage input"])
	defer sink.lock()()
	for _, r := range sink.seen {
		assert.Equal(t, "/v1/metrics", r.URL.Path)
		assert.Equal(t, "made up", r.Header.Get("X-Tenant"))
	}
}

// TestRunMetricsThatAreRefused checks that an endpoint without metrics is reported once and has no other effect, and
// that an endpoint that fails temporarily still gets the last metrics.
func TestRunMetricsThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		answers  []int
		reported string
		want     int64
	}{
		"no metrics":      {[]int{404, 404, 404}, "the endpoint takes no metric points: they are not sent", 0},
		"down for a time": {[]int{503, 503}, "sending metrics fails", 3},
	} {
		t.Run(name, func(t *testing.T) {
			sink := newOTLPSink(t)
			sink.answers(func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/v1/metrics" || len(tc.answers) == 0 {
					return false
				}
				w.WriteHeader(tc.answers[0])
				tc.answers = tc.answers[1:]
				return true
			})
			b := begin(t, "--otlp", sink.URL, "--", "sh", "-c", usageStream+usageEnd)
			code, _, stderr := b.end(t)
			assert.Zero(t, code)
			again := strings.Count(stderr, "tailspan: sending metrics works again\n")
			assert.Equal(t, min(1, int(tc.want)), again)
			assert.Equal(t, 1+again, strings.Count(stderr, "tailspan: "), stderr)
			assert.Contains(t, stderr, tc.reported)
			assert.Equal(t, tc.want, sink.sums()["gen_ai.client.token.usage input"])
			sink.span(t, runSpan)
		})
	}
}

func TestTemporality(t *testing.T) {
	for value, want := range map[string]bool{"": false, "cumulative": false, "Delta": true, "lowmemory": true} {
		got, err := export.Delta(func(string) string { return value })
		require.NoError(t, err)
		assert.Equal(t, want, got, value)
	}
	_, err := export.Delta(func(string) string { return "both" })
	assert.EqualError(t, err, `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE must be cumulative, delta or lowmemory, got "both"`)

	sink := newOTLPSink(t)
	plainEnvironment(t)
	t.Setenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "delta")
	b := beginPlain("--otlp", sink.URL, "--", "sh", "-c", usageStream+usageEnd)
	code, _, stderr := b.end(t)
	assert.Zero(t, code, stderr)
	defer sink.lock()()
	require.NotEmpty(t, sink.metrics)
	for _, m := range sink.newestMetrics().ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().All() {
		if m.Type() == pmetric.MetricTypeSum {
			assert.Equal(t, pmetric.AggregationTemporalityDelta, m.Sum().AggregationTemporality())
		}
	}
}

// TestRunReadsTheFirstLine has a runner that writes an in-band line with an identity before the agent's stream.
func TestRunReadsTheFirstLine(t *testing.T) {
	const inBand = `printf '%s\n' '{"type":"tailspan","attributes":{"cicd.pipeline.name":"of the line","team":"ops"},"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}'` + "\n"
	sink := newOTLPSink(t)
	b := begin(t, "--otlp", sink.URL, "--", "sh", "-c", inBand+usageStream+usageEnd)
	code, stdout, stderr := b.end(t)
	assert.Zero(t, code)
	assert.Equal(t, "tailspan: first line of the command: ignored 1 attribute (--in-band identity)\n", stderr)
	assert.Equal(t, "One.\n", stdout, "the line is not shown")
	_, of := sink.span(t, runSpan)
	assert.NotContains(t, of, "team", "no part of the identity")
	assert.Equal(t, "of the line", of["cicd.pipeline.name"])
	defer sink.lock()()
	assert.Equal(t, "0af7651916cd43dd8448eb211c80319c", sink.spans[0].TraceID().String())
}

// TestSendReadsTheFirstLine has a recorded session after an in-band line with an identity.
func TestSendReadsTheFirstLine(t *testing.T) {
	session, err := os.ReadFile(fixtures + "parity.jsonl")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "session.jsonl")
	inBand := `{"type":"tailspan","attributes":{"cicd.pipeline.name":"of the line","team":"ops"}}` + "\n"
	require.NoError(t, os.WriteFile(path, append([]byte(inBand), session...), 0o600))
	for mode, want := range map[string][2]any{"all": {"of the line", "ops"}, "identity": {"of the line", nil}, "off": {nil, nil}} {
		sink := newOTLPSink(t)
		code, _, stderr := tailspan("", "send", "--in-band", mode, "--otlp", sink.URL, path)
		require.Zero(t, code, stderr)
		_, of := sink.span(t, runSpan)
		assert.Equal(t, want, [2]any{of["cicd.pipeline.name"], of["team"]}, mode)
	}
}

func TestRunInBand(t *testing.T) {
	const inBand = `printf '%s\n' '{"type":"tailspan","attributes":{"cicd.pipeline.name":"of the line","team":"ops"}}'` + "\n"
	for mode, want := range map[string][2]any{"all": {"of the line", "ops"}, "off": {nil, nil}} {
		sink := newOTLPSink(t)
		b := begin(t, "--in-band", mode, "--otlp", sink.URL, "--", "sh", "-c", inBand+usageStream+usageEnd)
		code, _, _ := b.end(t)
		assert.Zero(t, code)
		_, of := sink.span(t, runSpan)
		assert.Equal(t, want, [2]any{of["cicd.pipeline.name"], of["team"]}, mode)
	}
	code, _, stderr := tailspan("", "run", "--in-band", "on", "--", "true")
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, `--in-band must be one of off, identity, all, got "on"`)
}

// TestFirstLineIsNoEvent checks the same for the commands that only read.
func TestFirstLineIsNoEvent(t *testing.T) {
	code, out, _ := tailspan(`{"type":"tailspan","attributes":{"a":"b"}}`+"\nwords\n", "render", "-")
	assert.Equal(t, cli.ExitOK, code)
	assert.Equal(t, "words\n", out)
	_, out, _ = tailspan(`{"type":"tailspan","attributes":{"a":"b"}}`+"\nwords\n", "events", "-")
	assert.Contains(t, out, `"lines":1,`)
}
