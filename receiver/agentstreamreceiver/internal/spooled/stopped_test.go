package spooled_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/delivery"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/spooled"
	"github.com/tailspan/tailspan/tail"
)

// stored is a storage that obeys its context, with one position for all spools.
type stored struct {
	storage.Client
	value string
}

func (s *stored) Get(ctx context.Context, _ string) ([]byte, error) {
	return []byte(s.value), ctx.Err()
}

func (*stored) Delete(context.Context, string) error      { return nil }
func (*stored) Set(context.Context, string, []byte) error { return nil }

// TestPositionIsReadWhileStopping: a spool whose turn comes when the receiver stops is not read from its beginning.
func TestPositionIsReadWhileStopping(t *testing.T) {
	dir, text := t.TempDir(), "one\n"
	run := func(dir string, text string, store storage.Client, open func(context.Context, tail.Stream) (spooled.Stream, error)) {
		in, w, err := os.Pipe()
		require.NoError(t, err)
		_, err = w.WriteString(text)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		tel := componenttest.NewTelemetry()
		builder, err := metadata.NewTelemetryBuilder(tel.NewTelemetrySettings())
		require.NoError(t, err)
		health := &delivery.Health{}
		health.Start(componenttest.NewNopHost())
		m, err := meter.New(builder)
		require.NoError(t, err)
		observer := m.Observer(func(string) string { return "" })
		observer.Saved = func() {}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		opened := make(chan struct{}, 9)
		inputs := spooled.New(spooled.Settings{
			Receiver: component.MustNewID("agent_stream"), Pipes: []config.Pipe{{Path: config.StdinPath}},
			Spool: config.Spool{Directory: dir, MaxSize: 1 << 20}, Provider: "none", Follow: tail.Settings{Observer: observer},
			PollInterval: time.Millisecond, Stdin: in,
			Open: func(s tail.Stream, _ spooled.Origin) (spooled.Stream, error) {
				opened <- struct{}{}
				return open(ctx, s)
			},
			Logger: zap.NewNop(), Meter: m, Health: health,
		})
		require.NoError(t, inputs.Start(ctx, store))
		<-opened
		inputs.Stop(ctx, time.Millisecond, cancel)
		require.NoError(t, in.Close())
		m.Shutdown()
		require.NoError(t, tel.Shutdown(context.Background()))
	}
	run(dir, text, nil, func(context.Context, tail.Stream) (spooled.Stream, error) { return nil, errors.New("kept") })
	left, err := filepath.Glob(filepath.Join(dir, "*", "*.spool"))
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(left[0]), "tailspan-z.spool"), []byte(text), 0o600))

	var states []string
	var calls atomic.Int32
	run(dir, "", &stored{value: fmt.Sprintf(`{"version":1,"position":%d,"state":"kept"}`, len(text))}, func(ctx context.Context, s tail.Stream) (spooled.Stream, error) {
		states = append(states, string(s.State))
		if calls.Add(1) == 1 {
			<-ctx.Done() // a consumer that refuses until the receiver stops
		}
		return nil, errors.New("kept")
	})
	assert.Equal(t, []string{`"kept"`, `"kept"`}, states)
}
