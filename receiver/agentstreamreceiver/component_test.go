package agentstreamreceiver_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// creators create the component for each signal.
func creators(cfg component.Config) map[string]func(context.Context) (component.Component, error) {
	factory := agentstreamreceiver.NewFactory()
	set := receivertest.NewNopSettings(factory.Type())
	return map[string]func(context.Context) (component.Component, error){
		"traces": func(ctx context.Context) (component.Component, error) {
			return factory.CreateTraces(ctx, set, cfg, consumertest.NewNop())
		},
		"metrics": func(ctx context.Context) (component.Component, error) {
			return factory.CreateMetrics(ctx, set, cfg, consumertest.NewNop())
		},
		"logs": func(ctx context.Context) (component.Component, error) {
			return factory.CreateLogs(ctx, set, cfg, consumertest.NewNop())
		},
	}
}

// TestShutdown: a component may be shut down without a start, and twice.
func TestShutdown(t *testing.T) {
	cfg := agentstreamreceiver.NewFactory().CreateDefaultConfig().(*agentstreamreceiver.Config)
	cfg.Stream.Include = []string{t.TempDir() + "/*.jsonl"}
	for name, create := range creators(cfg) {
		t.Run(name+"/shutdown without start", func(t *testing.T) {
			c, err := create(t.Context())
			require.NoError(t, err)
			assert.NoError(t, c.Shutdown(t.Context()))
		})
		t.Run(name+"/twice", func(t *testing.T) {
			for range 2 {
				c, err := create(t.Context())
				require.NoError(t, err)
				require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
				require.NoError(t, c.Shutdown(t.Context()))
				assert.NoError(t, c.Shutdown(t.Context()), "a second time")
			}
		})
	}
}

// TestOneReceiverForBothSignals: a configuration in two pipelines is one instance, which starts and stops once.
func TestOneReceiverForBothSignals(t *testing.T) {
	cfg := agentstreamreceiver.NewFactory().CreateDefaultConfig().(*agentstreamreceiver.Config)
	cfg.Stream.Include = []string{t.TempDir() + "/*.jsonl"}
	create := creators(cfg)
	traces, err := create["traces"](t.Context())
	require.NoError(t, err)
	logs, err := create["logs"](t.Context())
	require.NoError(t, err)
	assert.Same(t, traces, logs)
	host := componenttest.NewNopHost()
	require.NoError(t, traces.Start(t.Context(), host))
	require.NoError(t, logs.Start(t.Context(), host))
	require.NoError(t, traces.Shutdown(t.Context()))
	require.NoError(t, logs.Shutdown(t.Context()))
}
