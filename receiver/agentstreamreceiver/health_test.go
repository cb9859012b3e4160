package agentstreamreceiver_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/internal/storagetest"
)

// TestWhatIsLostIsCounted: what consumers did not accept until the end is counted with the reason, unless a storage lets the
// next process read it.
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
				cfg.Storage = &storagetest.ID
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

// refusing accepts nothing.
type refusing struct {
	consumertest.LogsSink
	times atomic.Int64
}

func (f *refusing) ConsumeLogs(context.Context, plog.Logs) error {
	f.times.Add(1)
	return errors.New("not now")
}
