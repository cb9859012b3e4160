package agentrenderexporter

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
	"github.com/tailspan/tailspan/otlp"
)

// numbered returns a batch of texts "stream number", as records with those numbers.
func numbered(stream string, numbers ...int64) plog.Logs {
	var all []plog.Logs
	for _, n := range numbers {
		one := plog.NewLogs()
		records(text(stream, fmt.Sprint(stream, " ", n))).CopyTo(one)
		sl := one.ResourceLogs().At(0).ScopeLogs().At(0)
		sl.Scope().Attributes().PutStr(otlp.AttrStreamID, stream)
		sl.LogRecords().At(0).Attributes().PutInt(otlp.AttrSequence, n)
		sl.LogRecords().At(0).Attributes().PutStr(otlp.AttrLogRecordUID, fmt.Sprint(stream, n))
		all = append(all, one)
	}
	return joined(all...)
}

// without returns a batch whose last record is not shown.
func without(logs plog.Logs) plog.Logs {
	logs.ResourceLogs().At(logs.ResourceLogs().Len() - 1).ScopeLogs().At(0).LogRecords().At(0).SetEventName("tailspan.made_later")
	return logs
}

func TestRecordsAreWrittenInTheirOrder(t *testing.T) {
	tests := []struct {
		name    string
		batches []plog.Logs
		now     string // what is written when the last batch was accepted
		then    string // a window later
	}{
		{"in order", []plog.Logs{numbered("a", 1), numbered("a", 2, 3)}, "a 1|a 2|a 3", "a 1|a 2|a 3"},
		{"exchanged", []plog.Logs{numbered("a", 3, 4), numbered("a", 1, 2)}, "a 1|a 2|a 3|a 4", "a 1|a 2|a 3|a 4"},
		{"in one batch", []plog.Logs{numbered("a", 2, 1, 4, 3)}, "a 1|a 2|a 3|a 4", "a 1|a 2|a 3|a 4"},
		{"one is missing", []plog.Logs{numbered("a", 1), numbered("a", 3)}, "a 1", "a 1|a 3"},
		{"the log begins in the middle", []plog.Logs{numbered("a", 7), numbered("a", 8)}, "", "a 7|a 8"},
		{"other streams do not wait", []plog.Logs{numbered("a", 2), numbered("b", 1)}, "b 1", "b 1|a 2"},
		{"what is not shown has a number", []plog.Logs{without(numbered("a", 1)), numbered("a", 2)}, "a 2", "a 2"},
		{"what is not shown is waited for", []plog.Logs{numbered("a", 2), without(numbered("a", 1))}, "a 2", "a 2"},
		{"sent again", []plog.Logs{numbered("a", 1, 3), numbered("a", 1, 3), numbered("a", 2)}, "a 1|a 2|a 3", "a 1|a 2|a 3"},
		{"records without a number", []plog.Logs{records(text("a", "a x")), numbered("a", 1)}, "a x|a 1", "a x|a 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &flakyOutput{allow: -1}
				exp := started(t, out, nil)
				for _, batch := range tt.batches {
					require.NoError(t, exp.ConsumeLogs(t.Context(), batch))
				}
				lines := func() string { return strings.TrimSuffix(strings.ReplaceAll(out.String(), "\n", "|"), "|") }
				assert.Equal(t, tt.now, lines())
				time.Sleep(defaultReorderWindow)
				synctest.Wait()
				assert.Equal(t, tt.then, lines())
				require.NoError(t, exp.Shutdown(t.Context()))
			})
		})
	}
}

// TestOrderOfWholeRuns: a run whose records arrive in any order looks as if they were in order.
func TestOrderOfWholeRuns(t *testing.T) {
	verbose := func(c *Config) { c.Mode, c.Style, c.Results = "verbose", "transcript", true }
	want := &flakyOutput{allow: -1}
	require.NoError(t, started(t, want, verbose).ConsumeLogs(t.Context(), recordsOf(run())))
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		var batches []plog.Logs
		whole := recordsOf(run())
		for _, rl := range whole.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, lr := range sl.LogRecords().All() {
					one := plog.NewLogs()
					to := one.ResourceLogs().AppendEmpty()
					rl.Resource().CopyTo(to.Resource())
					scope := to.ScopeLogs().AppendEmpty()
					sl.Scope().CopyTo(scope.Scope())
					lr.CopyTo(scope.LogRecords().AppendEmpty())
					batches = append(batches, one)
				}
			}
		}
		random.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
		out := &flakyOutput{allow: -1}
		exp := started(t, out, func(c *Config) { verbose(c); c.ReorderWindow = time.Minute })
		for _, batch := range batches {
			require.NoError(t, exp.ConsumeLogs(t.Context(), batch))
		}
		require.Equal(t, want.String(), out.String(), "seed %d", seed)
		require.NoError(t, exp.Shutdown(t.Context()))
	}
}

// TestWaitingRecordsAreBounded in bytes, and are written at shutdown.
func TestWaitingRecordsAreBounded(t *testing.T) {
	out := &flakyOutput{allow: -1}
	exp := started(t, out, func(c *Config) { c.ReorderWindow, c.ReorderSize = time.Hour, 10*(entryOverhead+100) })
	for n := int64(100); n > 1; n -= 2 {
		require.NoError(t, exp.ConsumeLogs(t.Context(), numbered("a", n)))
	}
	assert.GreaterOrEqual(t, strings.Count(out.String(), "\n"), 38)
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.Equal(t, 50, strings.Count(out.String(), "\n"))
}

func TestNoWindowWritesAsItComes(t *testing.T) {
	out := &flakyOutput{allow: -1}
	exp := started(t, out, func(c *Config) { c.ReorderWindow = 0 })
	require.NoError(t, exp.ConsumeLogs(t.Context(), numbered("a", 3, 1, 2)))
	assert.Equal(t, "a 3\na 1\na 2\n", out.String())
}

// TestRecordsThatWaitAreNotLostByAFailure: what a timer could not write is written with the next batch.
func TestRecordsThatWaitAreNotLostByAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &flakyOutput{allow: 0}
		exp := started(t, out, nil)
		require.NoError(t, exp.ConsumeLogs(t.Context(), numbered("a", 2)))
		time.Sleep(defaultReorderWindow)
		synctest.Wait()
		require.ErrorIs(t, exp.ConsumeLogs(t.Context(), numbered("a", 3)), errFull)
		out.permit(-1)
		require.NoError(t, exp.ConsumeLogs(t.Context(), numbered("a", 3)))
		assert.Equal(t, "a 2\na 3\n", out.String())
		require.NoError(t, exp.Shutdown(t.Context()))
	})
}

// statusHost records the status that a component reports.
type statusHost struct{ reported []componentstatus.Status }

func (*statusHost) GetExtensions() map[component.ID]component.Component { return nil }

func (h *statusHost) Report(e *componentstatus.Event) { h.reported = append(h.reported, e.Status()) }

// TestStatus: a failed write is a recoverable error until one succeeds, each reported once.
func TestStatus(t *testing.T) {
	out := &flakyOutput{allow: -1}
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.RetryConfig.Enabled = false
	set := exportertest.NewNopSettings(metadata.Type)
	e, err := newExporter(cfg, set.TelemetrySettings, opensOnly(out))
	require.NoError(t, err)
	exp, err := wrap(t.Context(), set, cfg, e)
	require.NoError(t, err)
	host := &statusHost{}
	require.NoError(t, exp.Start(t.Context(), host))
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(text("s", "one"))))
	assert.Empty(t, host.reported)
	out.permit(0)
	for range 2 {
		require.Error(t, exp.ConsumeLogs(t.Context(), records(text("s", "two"))))
	}
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError}, host.reported)
	out.permit(-1)
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(text("s", "three"))))
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusOK}, host.reported)
	require.NoError(t, exp.Shutdown(t.Context()))
}
