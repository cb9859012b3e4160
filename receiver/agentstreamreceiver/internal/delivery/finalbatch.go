package delivery

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
	"github.com/tailspan/tailspan/telemetry"
)

// FinalBatch is the output of all open sessions when a collector without storage stops. They have one deadline, which a call of the
// consumers for each of thousands of sessions would exceed.
type FinalBatch struct {
	delivery *Delivery

	mu   sync.Mutex // files and documents are closed at the same time
	out  telemetry.Output
	size int
	errs []error // of deliveries
}

// NewFinalBatch returns an empty batch.
func NewFinalBatch(d *Delivery) *FinalBatch { return &FinalBatch{delivery: d} }

// Add takes over the output of a stream, and delivers that of all streams once it is large enough for a batch. Flush returns the error.
func (b *FinalBatch) Add(ctx context.Context, out *telemetry.Output) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size == 0 {
		b.out = telemetry.Output{Data: otlp.Data{Traces: ptrace.NewTraces(), Logs: plog.NewLogs()}}
	}
	b.size += (&ptrace.ProtoMarshaler{}).TracesSize(out.Traces) + (&plog.ProtoMarshaler{}).LogsSize(out.Logs)
	out.Move(&b.out.Data)
	if b.size >= int(b.delivery.settings.Delivery.MaxBatchSize) {
		b.deliver(ctx)
	}
}

// Flush delivers the remaining output and returns the errors of all deliveries.
func (b *FinalBatch) Flush(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.deliver(ctx)
	return errors.Join(b.errs...)
}

func (b *FinalBatch) deliver(ctx context.Context) {
	if b.size == 0 {
		return
	}
	b.size = 0
	if err := b.delivery.Deliver(ctx, ctx, &b.out); err != nil {
		b.delivery.settings.Meter.Lost(meter.DropShutdown, []telemetry.Output{b.out})
		b.errs = append(b.errs, fmt.Errorf("deliver last spans: %w", err))
	}
}
