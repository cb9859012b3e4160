//go:build unix

package agentstreamreceiver_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// setStdin replaces standard input for a test.
func setStdin(t *testing.T, in *os.File) {
	t.Helper()
	before := os.Stdin
	os.Stdin = in
	t.Cleanup(func() { os.Stdin = before })
}

// TestStdin reads standard input to its end, in the folder for temporary files.
func TestStdin(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	cfg := configFor()
	cfg.Pipes = []config.Pipe{{Path: "-"}}
	require.NoError(t, cfg.Validate())
	in, w, err := os.Pipe()
	require.NoError(t, err)
	defer in.Close()
	sink := &consumertest.LogsSink{}
	factory := agentstreamreceiver.NewFactory()
	setStdin(t, in)
	a, err := factory.CreateLogs(t.Context(), receivertest.NewNopSettings(factory.Type()), cfg, sink)
	require.NoError(t, err)
	require.NoError(t, a.Start(t.Context(), componenttest.NewNopHost()))
	say(t, w, textLine("s", 0), textLine("s", 1))
	r := rig{logs: sink}
	require.Eventually(t, func() bool { return len(r.texts()) == 2 }, wait, tick)
	require.NoError(t, w.Close())
	require.Eventually(t, func() bool {
		left, err := os.ReadDir(os.TempDir())
		return err == nil && len(left) == 0
	}, wait, tick, "the spool is gone with its writer")
	require.NoError(t, a.Shutdown(context.Background()))
}

// TestStdinThatBreaks checks that unreadable standard input is a permanent error: here it is a folder.
func TestStdinThatBreaks(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	in, err := os.Open(t.TempDir())
	require.NoError(t, err)
	defer in.Close()
	setStdin(t, in)
	cfg := configFor()
	cfg.Pipes = []config.Pipe{{Path: "-", Provider: "none"}}
	m := newMachine()
	r := startOn(t, m, cfg, nil)
	require.Eventually(t, func() bool { return len(m.statuses()) == 1 }, wait, tick)
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusPermanentError}, m.statuses())
	assert.ErrorContains(t, m.events[0].Err(), `read pipe "-": read `)
	r.stop()
}
