package agentstreamreceiver

import (
	"context"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/metadata"
)

// NewFactory returns the factory of the receiver.
func NewFactory() receiver.Factory {
	f := &instances{byConfig: map[*Config]*agentStream{}}
	return receiver.NewFactory(
		metadata.Type,
		createDefaultConfig,
		receiver.WithTraces(f.createTraces, metadata.TracesStability),
		receiver.WithLogs(f.createLogs, metadata.LogsStability),
		receiver.WithMetrics(f.createMetrics, metadata.MetricsStability),
	)
}

// instances shares one receiver between the pipelines of a configuration.
type instances struct {
	mu       sync.Mutex
	byConfig map[*Config]*agentStream
}

func (f *instances) createTraces(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
	r, err := f.instance(set, cfg)
	if err != nil {
		return nil, err
	}
	r.out.Traces = next
	return r, nil
}

func (f *instances) createLogs(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Logs) (receiver.Logs, error) {
	r, err := f.instance(set, cfg)
	if err != nil {
		return nil, err
	}
	r.out.Logs = next
	return r, nil
}

func (f *instances) createMetrics(_ context.Context, set receiver.Settings, cfg component.Config, next consumer.Metrics) (receiver.Metrics, error) {
	r, err := f.instance(set, cfg)
	if err != nil {
		return nil, err
	}
	r.out.Metrics = next
	return r, nil
}

// instance returns the receiver of a configuration, creating it if there is none.
func (f *instances) instance(set receiver.Settings, cfg component.Config) (*agentStream, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := cfg.(*Config)
	if r := f.byConfig[c]; r != nil {
		return r, nil
	}
	r, err := newAgentStream(set, c)
	if err != nil {
		return nil, err
	}
	// A receiver can't be reused after shutdown, but its configuration may be built again.
	r.onShutdown = func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.byConfig, c)
	}
	f.byConfig[c] = r
	return r, nil
}
