package agentstreamreceiver_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
	"github.com/tailspan/tailspan/tail"
)

// gate is a consumer that refuses while it is shut.
type gate struct {
	consumertest.LogsSink
	shut    atomic.Bool
	refused atomic.Int64
}

func (g *gate) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if g.shut.Load() {
		g.refused.Add(1)
		return errors.New("disk is full")
	}
	return g.LogsSink.ConsumeLogs(ctx, ld)
}

// receiverInto returns a receiver with cfg that is not started yet.
func receiverInto(t *testing.T, cfg *agentstreamreceiver.Config, traces *consumertest.TracesSink, logs *gate) *agentstreamreceiver.Inside {
	t.Helper()
	require.NoError(t, cfg.Validate())
	r, err := agentstreamreceiver.NewInside(receivertest.NewNopSettings(agentstreamreceiver.NewFactory().Type()), cfg, traces, logs)
	require.NoError(t, err)
	return r
}

// inTime fails the test if f does not return.
func inTime(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(wait):
		require.Fail(t, "no end within "+wait.String())
	}
}

// gemini is a line of a format that contains texts in pieces.
func gemini(fields string) string { return `{"timestamp":"2026-11-27T20:00:00.000Z",` + fields + "}\n" }

// TestShutdownWhileAQuietTextIsRefused: the text of an agent that has gone quiet is exported by a timer and not by a line, so
// the reader does not know when a consumer refuses it endlessly.
func TestShutdownWhileAQuietTextIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendTo(t, path, gemini(`"type":"init","session_id":"s","model":"m"`)+gemini(`"type":"message","role":"user","content":"count"`))
	var logs gate
	r := receiverInto(t, configFor(path), &consumertest.TracesSink{}, &logs)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	require.Eventually(t, func() bool { return r.Due() > 0 }, wait, tick, "the lines so far are read")
	logs.shut.Store(true)
	appendTo(t, path, gemini(`"type":"message","role":"assistant","content":"One.\nTwo.","delta":true`))
	require.Eventually(t, func() bool { return logs.refused.Load() > 0 }, wait, tick)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	inTime(t, func() { assert.ErrorIs(t, r.Shutdown(ctx), context.DeadlineExceeded) })
}

// TestShutdownAwaitsAnAnswer: a shutdown does not cancel the call of a consumer that a timer began. The back end may have received
// the batch, and closing the stream would send it again (make torture KILLS=100 SEED=20261130).
func TestShutdownAwaitsAnAnswer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendTo(t, path, gemini(`"type":"init","session_id":"s","model":"m"`)+gemini(`"type":"message","role":"user","content":"count"`))
	var slow atomic.Bool
	called, seen := make(chan struct{}), map[string]int{}
	logs, err := consumer.NewLogs(func(ctx context.Context, ld plog.Logs) error {
		for _, lr := range ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
			uid, _ := lr.Attributes().Get("log.record.uid")
			seen[uid.Str()]++
		}
		if slow.CompareAndSwap(true, false) {
			close(called)
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(100 * time.Millisecond): // the answer of the back end
			}
		}
		return nil
	})
	require.NoError(t, err)
	cfg := configFor(path)
	require.NoError(t, cfg.Validate())
	r, err := agentstreamreceiver.NewInside(receivertest.NewNopSettings(agentstreamreceiver.NewFactory().Type()), cfg, &consumertest.TracesSink{}, logs)
	require.NoError(t, err)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	require.Eventually(t, func() bool { return r.Due() > 0 }, wait, tick, "the lines so far are read")
	slow.Store(true)
	appendTo(t, path, gemini(`"type":"message","role":"assistant","content":"One.\nTwo.","delta":true`))
	inTime(t, func() { <-called })
	inTime(t, func() { assert.NoError(t, r.Shutdown(t.Context())) })
	for uid, n := range seen {
		assert.Equal(t, 1, n, uid)
	}
}

// TestShutdownWhileALineIsRefused: timers wait for the stream meanwhile, and the shutdown must not wait for them.
func TestShutdownWhileALineIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendTo(t, path, assistant("1", "One."))
	var logs gate
	logs.shut.Store(true)
	r := receiverInto(t, configFor(path), &consumertest.TracesSink{}, &logs)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	require.Eventually(t, func() bool { return logs.refused.Load() > 0 }, wait, tick)
	require.Equal(t, 1, r.Due())
	r.TickUntilHalted(t.Context(), func(err error) {
		if err != nil { // nil if the stream was closed first
			assert.ErrorIs(t, err, context.Canceled)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	inTime(t, func() { assert.ErrorIs(t, r.Shutdown(ctx), context.DeadlineExceeded) })
}

// TestOneRefusalAtShutdownDoublesNothing: accepted spans are not exported again because the records with them were refused.
func TestOneRefusalAtShutdownDoublesNothing(t *testing.T) {
	var traces consumertest.TracesSink
	var logs gate
	logs.shut.Store(true)
	r := receiverInto(t, configFor(filepath.Join("..", "..", "testdata", "claude", "parallel.jsonl")), &traces, &logs)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	require.Eventually(t, func() bool { return logs.refused.Load() > 0 }, wait, tick)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	inTime(t, func() { assert.ErrorIs(t, r.Shutdown(ctx), context.DeadlineExceeded) })
	rig := &rig{t: t, traces: &traces}
	require.NotEmpty(t, rig.spans())
	seen := map[string]bool{}
	for _, s := range rig.spans() {
		assert.False(t, seen[s.SpanID().String()], "span %q twice", s.Name())
		seen[s.SpanID().String()] = true
	}
}

// TestManyFilesShareTheLastDelivery: at shutdown, the time for pending output is that of all files together, not of each.
func TestManyFilesShareTheLastDelivery(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d"} {
		session := strings.ReplaceAll(assistant(name, name), `"s"`, `"`+name+`"`)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(session), 0o600))
	}
	var logs gate
	var traces consumertest.TracesSink
	r := receiverInto(t, configFor(filepath.Join(dir, "*")), &traces, &logs)
	asked := 0
	r.OnFinal(func() time.Time { asked++; return time.Now().Add(-time.Second) })
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	require.Eventually(t, func() bool { return logs.LogRecordCount() == 4 }, wait, tick)
	logs.shut.Store(true)
	inTime(t, func() {
		assert.ErrorContains(t, r.Shutdown(t.Context()), "deliver logs", "the records of the runs' ends")
	})
	assert.Equal(t, 5, asked, "for each file, and for the delivery that they share")
	assert.Len(t, (&rig{t: t, traces: &traces}).spans(), 8, "a consumer that accepts at once gets what is left even then")
}

// TestOpenSessionsShareBatches: without a storage a stop closes all open sessions, whose spans need few calls of a consumer.
func TestOpenSessionsShareBatches(t *testing.T) {
	const sessions = 300
	dir := t.TempDir()
	for i := range sessions {
		name := strconv.Itoa(i)
		session := strings.ReplaceAll(assistant(name, "One."), `"s"`, `"s`+name+`"`)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(session), 0o600))
	}
	for _, size := range []int{1 << 20, 20 << 10} {
		var logs gate
		var traces consumertest.TracesSink
		cfg := configFor(filepath.Join(dir, "*"))
		cfg.Delivery.MaxBatchSize = config.Size(size)
		r := receiverInto(t, cfg, &traces, &logs)
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		require.Eventually(t, func() bool { return logs.LogRecordCount() == sessions }, wait, tick)
		before := len(traces.AllTraces())
		require.NoError(t, r.Shutdown(t.Context()))
		rig, bytes := &rig{t: t, traces: &traces}, 0
		last := traces.AllTraces()[before:]
		for _, batch := range last {
			n := (&ptrace.ProtoMarshaler{}).TracesSize(batch)
			assert.LessOrEqual(t, n, size)
			bytes += n
		}
		assert.Len(t, rig.outcomes(), sessions)
		assert.LessOrEqual(t, len(last), 1+4*bytes/size, "spans and records fill batches together, which may be split once")
	}
}

// TestPassedLineIsExportedOnce: a line of no known provider is exported when it is read, and not again when its stream is quiet.
func TestPassedLineIsExportedOnce(t *testing.T) {
	var logs gate
	cfg := configFor("build.log")
	cfg.Stream.Provider, cfg.Stream.ForceFlushPeriod = "none", time.Nanosecond
	r := receiverInto(t, cfg, &consumertest.TracesSink{}, &logs)
	s, err := r.Open(t.Context(), tail.Stream{ID: "1", Path: "build.log"})
	require.NoError(t, err)
	require.NoError(t, s.Lines(t.Context(), []tail.Line{{Data: []byte("make: nothing to do")}}))
	require.NoError(t, agentstreamreceiver.StreamOf(s).Tick(t.Context()))
	require.NoError(t, s.Close(t.Context(), tail.CloseReasonEnd))
	assert.Equal(t, 1, logs.LogRecordCount())
}
