package delivery

import (
	"context"
	"fmt"
	"sync"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
	"github.com/tailspan/tailspan/telemetry"
)

// Collected is the output of several streams that is delivered together: that of all open sessions when a collector without
// storage stops. They have one deadline, which a call of the consumers for each of thousands of sessions would exceed.
type Collected struct {
	Delivery *Delivery

	mu   sync.Mutex // files and documents are closed at the same time
	out  telemetry.Output
	size int
}

// Add takes over the output of a stream, and delivers that of all streams once it is large enough for a batch.
func (c *Collected) Add(ctx context.Context, out *telemetry.Output) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size == 0 {
		c.out = telemetry.Output{Data: otlp.Data{Traces: ptrace.NewTraces(), Logs: plog.NewLogs()}}
	}
	c.size += (&ptrace.ProtoMarshaler{}).TracesSize(out.Traces) + (&plog.ProtoMarshaler{}).LogsSize(out.Logs)
	out.Move(&c.out.Data)
	if c.size < int(c.Delivery.settings.Delivery.MaxBatchSize) {
		return nil
	}
	return c.deliver(ctx)
}

// Deliver delivers what is left.
func (c *Collected) Deliver(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.deliver(ctx)
}

func (c *Collected) deliver(ctx context.Context) error {
	if c.size == 0 {
		return nil
	}
	c.size = 0
	if err := c.Delivery.Deliver(ctx, ctx, &c.out); err != nil {
		c.Delivery.settings.Meter.Lost(meter.DropShutdown, []telemetry.Output{c.out})
		return fmt.Errorf("deliver last spans: %w", err)
	}
	return nil
}
