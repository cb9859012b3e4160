package agentstreamreceiver

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/spool"
)

// brokenInput gives some bytes, and then can't be read any more.
type brokenInput struct {
	data []byte
	err  error
}

func (b *brokenInput) Read(p []byte) (int, error) {
	n := copy(p, b.data)
	b.data = b.data[n:]
	if n > 0 {
		return n, nil
	}
	return 0, b.err
}

func (b *brokenInput) Lasting() bool { return false }
func (b *brokenInput) Stop()         {}
func (b *brokenInput) Close() error  { return nil }

// TestStdinThatBreaks holds that standard input which can't be read is a permanent error, and that what came before is
// handed on.
func TestStdinThatBreaks(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	cfg := configFor()
	cfg.Pipes = []config.Pipe{{Path: "-", Provider: "none"}}
	a, err := newAgentStream(receivertest.NewNopSettings(NewFactory().Type()), cfg)
	require.NoError(t, err)
	sink, m := &consumertest.LogsSink{}, newMachine()
	a.out.logs, a.onShutdown = sink, func() {}
	a.openInput = func(string) (spool.Input, error) {
		return &brokenInput{data: []byte("words\n"), err: &fs.PathError{Op: "read", Path: "-", Err: errors.New("input/output error")}}, nil
	}
	require.NoError(t, a.Start(t.Context(), m))
	require.Eventually(t, func() bool { return sink.LogRecordCount() == 1 && len(m.statuses()) == 1 }, wait, tick)
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusPermanentError}, m.statuses())
	assert.ErrorContains(t, m.events[0].Err(), `read pipe "-": read -: input/output error`)
	require.NoError(t, a.Shutdown(context.Background()))
}

// TestPermanentIsTheEnd: what the collector allows after a permanent error is nothing but the end.
func TestPermanentIsTheEnd(t *testing.T) {
	m := newMachine()
	h := &health{host: m}
	h.trouble(troubleLogs, errors.New("refuses"))
	h.permanent(errors.New("gone"))
	h.permanent(errors.New("gone too"))
	h.well(troubleLogs)
	h.trouble(troubleTraces, errors.New("refuses"))
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusRecoverableError, componentstatus.StatusPermanentError}, m.statuses())
	(&health{}).permanent(errors.New("nobody to tell"))
}

// TestTroubles are told together, and each gets well alone.
func TestTroubles(t *testing.T) {
	m := newMachine()
	h := &health{host: m}
	h.trouble(troublePipe("/a"), errors.New("full"))
	h.trouble(troublePipe("/a"), errors.New("full again"))
	h.trouble(troubleStorage, errors.New("no room"))
	h.well(troublePipe("/b"))
	h.well(troubleStorage)
	h.well(troublePipe("/a"))
	require.Len(t, m.events, 4)
	assert.EqualError(t, m.events[1].Err(), "full\nno room")
	assert.EqualError(t, m.events[2].Err(), "full")
	assert.Equal(t, componentstatus.StatusOK, m.events[3].Status())
}

// TestGivenUp: a spool that is left since we stop is no error, any other is one for good.
func TestGivenUp(t *testing.T) {
	m := newMachine()
	r := &agentStream{health: health{host: m}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r.deliveryFailed(ctx, errors.New("stopped"))
	assert.Empty(t, m.statuses())
	r.deliveryFailed(t.Context(), errors.New("read spool: input/output error"))
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusPermanentError}, m.statuses())
}

// TestWhatIsLostIsCounted: what consumers did not take until the end is counted with the reason, unless a storage has it
// read on.
func TestWhatIsLostIsCounted(t *testing.T) {
	for name, tc := range map[string]struct {
		storage bool
		want    int64
	}{"without storage": {false, 3}, "with storage": {true, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "s.log")
			appendTo(t, path, "one\ntwo\nthree\n")
			cfg := configFor(path)
			cfg.Stream.Provider = "none"
			if tc.storage {
				cfg.Storage = &diskID
			}
			refuse := &refusing{}
			r := startOn(t, newMachine(), cfg, refuse)
			require.Eventually(t, func() bool { return refuse.times.Load() > 0 }, wait, tick)
			r.stopAnyhow()
			assert.Equal(t, tc.want, r.metric("otelcol_receiver_agent_stream_dropped", "reason", "shutdown"))
			assert.Positive(t, r.metric("otelcol_receiver_agent_stream_retries", "signal", "logs"))
		})
	}
}

// refusing takes nothing.
type refusing struct {
	consumertest.LogsSink
	times atomic.Int64
}

func (f *refusing) ConsumeLogs(context.Context, plog.Logs) error {
	f.times.Add(1)
	return errors.New("not now")
}
