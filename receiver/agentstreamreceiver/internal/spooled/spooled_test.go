package spooled_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/delivery"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/spooled"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/tail"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collected is a Stream that keeps its lines.
type collected struct {
	mu    sync.Mutex
	lines []string
	ended []otlp.CloseReason
}

func (c *collected) Lines(_ context.Context, lines []tail.Line) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range lines {
		c.lines = append(c.lines, string(lines[i].Data))
	}
	return nil
}

func (c *collected) End(_ context.Context, reason otlp.CloseReason) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = append(c.ended, reason)
	return nil
}

func (c *collected) done() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.ended) > 0
}

func (c *collected) Idle(context.Context) error                    { return nil }
func (c *collected) Close(context.Context, tail.CloseReason) error { return nil }
func (c *collected) Exited(context.Context, *outcome.Exit) error   { return nil }
func (c *collected) State() ([]byte, bool)                         { return nil, false }
func (c *collected) Provider() string                              { return "none" }
func (c *collected) Abandon()                                      {}

// host keeps the reported statuses.
type host struct {
	component.Host
	mu       sync.Mutex
	statuses []componentstatus.Status
}

func (h *host) Report(e *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.statuses = append(h.statuses, e.Status())
}

func (h *host) all() []componentstatus.Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.statuses)
}

// readStdin reads text from standard input until done or a status is reported. It returns remaining spools and the statuses.
func readStdin(t *testing.T, text string, done func() bool, open func() (spooled.Stream, error)) (left []string, statuses []componentstatus.Status) {
	t.Helper()
	in, w, err := os.Pipe()
	require.NoError(t, err)
	_, err = w.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	tel := componenttest.NewTelemetry()
	builder, err := metadata.NewTelemetryBuilder(tel.NewTelemetrySettings())
	require.NoError(t, err)
	h := &host{Host: componenttest.NewNopHost()}
	health := &delivery.Health{}
	health.Start(h)
	m, err := meter.New(builder)
	require.NoError(t, err)
	observer := m.Observer(func(string) string { return "" })
	observer.Saved = func() {}
	dir := t.TempDir()
	inputs := spooled.New(spooled.Settings{
		Receiver: component.MustNewID("agent_stream"), Pipes: []config.Pipe{{Path: config.StdinPath}},
		Spool: config.Spool{Directory: dir, MaxSize: 1 << 20}, Provider: "none", Follow: tail.Settings{Observer: observer},
		PollInterval: time.Millisecond, Stdin: in,
		Open:   func(tail.Stream, spooled.Origin) (spooled.Stream, error) { return open() },
		Logger: zap.NewNop(), Meter: m, Health: health,
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	require.NoError(t, inputs.Start(ctx, nil))
	require.Eventually(t, func() bool { return done() || len(h.all()) > 0 }, 10*time.Second, time.Millisecond)
	inputs.Stop(ctx, time.Minute, cancel)
	left, err = filepath.Glob(filepath.Join(dir, "*", "*.spool"))
	require.NoError(t, err)
	require.NoError(t, in.Close())
	m.Shutdown()
	require.NoError(t, tel.Shutdown(context.Background()))
	return left, h.all()
}

// TestSpoolIsRemoved: all lines are delivered, the stream ends with its writer, and the spool is removed.
func TestSpoolIsRemoved(t *testing.T) {
	c := &collected{}
	left, statuses := readStdin(t, "one\ntwo\n", c.done, func() (spooled.Stream, error) { return c, nil })
	assert.Empty(t, left)
	assert.Empty(t, statuses)
	assert.Equal(t, []string{"one", "two"}, c.lines)
	assert.Equal(t, []otlp.CloseReason{otlp.CloseReasonNoResult}, c.ended)
}

// TestSpoolIsKept: a spool that can't be read is kept, which is a permanent error, because only a restart helps.
func TestSpoolIsKept(t *testing.T) {
	left, statuses := readStdin(t, "one\n", func() bool { return false }, func() (spooled.Stream, error) { return nil, errors.New("no stream") })
	assert.Len(t, left, 1)
	assert.Equal(t, []componentstatus.Status{componentstatus.StatusPermanentError}, statuses)
}
