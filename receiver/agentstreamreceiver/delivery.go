package agentstreamreceiver

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/telemetry"
)

// dataFormat is the format that the collector's own metrics name.
const dataFormat = "agent_stream"

// delivery hands spans and records to the consumers of the pipelines, each with its own retry loop.
type delivery struct {
	traces  consumer.Traces  // nil without a traces pipeline
	logs    consumer.Logs    // nil without a logs pipeline
	metrics consumer.Metrics // nil without a metrics pipeline

	retry  config.Retry
	logger *zap.Logger
	meter  *meter
	health *health
	report *receiverhelper.ObsReport
	behind func()                         // looks how far the files have grown; may be nil
	mark   func(ptrace.Traces, plog.Logs) // in tests only
}

func newDelivery(set receiver.Settings, retry config.Retry, m *meter) (delivery, error) {
	report, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{
		ReceiverID: set.ID, Transport: "file", LongLivedCtx: true, ReceiverCreateSettings: set,
	})
	if err != nil {
		return delivery{}, fmt.Errorf("create report: %w", err)
	}
	return delivery{retry: retry, logger: set.Logger, meter: m, report: report}, nil
}

// deliver returns nil when every consumer has accepted out, or refused its part for good. It fails only when ctx ends, and
// leaves in out what was not accepted.
func (d *delivery) deliver(ctx context.Context, out *telemetry.Output) error {
	if d.mark != nil {
		d.mark(out.Traces, out.Logs)
	}
	if n := out.Traces.SpanCount(); n > 0 && d.traces != nil {
		err := d.insist(ctx, signalTraces, n, func(ctx context.Context) error {
			op := d.report.StartTracesOp(ctx)
			err := d.traces.ConsumeTraces(op, out.Traces)
			d.report.EndTracesOp(op, dataFormat, n, err)
			return err
		})
		if err != nil {
			return err
		}
		out.Traces = ptrace.NewTraces()
	}
	if n := out.Logs.LogRecordCount(); n > 0 && d.logs != nil {
		return d.insist(ctx, signalLogs, n, func(ctx context.Context) error {
			op := d.report.StartLogsOp(ctx)
			err := d.logs.ConsumeLogs(op, out.Logs)
			d.report.EndLogsOp(op, dataFormat, n, err)
			return err
		})
	}
	return nil
}

// offer hands metrics on, once: they are cumulative, so what is refused comes again with the next.
func (d *delivery) offer(ctx context.Context, md pmetric.Metrics) {
	n := md.DataPointCount()
	if n == 0 || d.metrics == nil {
		return
	}
	op := d.report.StartMetricsOp(ctx)
	err := d.metrics.ConsumeMetrics(op, md)
	d.report.EndMetricsOp(op, dataFormat, n, err)
	if err != nil {
		d.meter.retried(signalMetrics)
		d.logger.Warn("consumer refused metrics, they come again with the next", zap.Int("points", n), zap.Error(err))
	}
}

// troubleOf is what is wrong when the consumer of a signal refuses.
func troubleOf(s signal) trouble {
	if s == signalTraces {
		return troubleTraces
	}
	return troubleLogs
}

// isPermanent reports whether trying again is of no use. Where several pipelines take a signal, the collector hands to all of
// them and joins their errors: as long as one of them may yet take it, all are asked again.
func isPermanent(err error) bool {
	all, ok := err.(interface{ Unwrap() []error }) // the joining is the outermost
	if !ok {
		return consumererror.IsPermanent(err)
	}
	for _, one := range all.Unwrap() {
		if !isPermanent(one) {
			return false
		}
	}
	return true
}

// insist calls consume until it accepts. A permanent refusal is counted and told, and ends the trying.
func (d *delivery) insist(ctx context.Context, s signal, elements int, consume func(context.Context) error) error {
	wait := d.retry.InitialInterval
	for attempt := 0; ; attempt++ {
		err := consume(ctx)
		over := err == nil || isPermanent(err)
		if over && attempt > 0 {
			d.meter.recordLag(d.meter.lag.forget())
		}
		if err == nil {
			d.health.well(troubleOf(s))
			return nil
		}
		d.health.trouble(troubleOf(s), fmt.Errorf("consumer of %s refuses: %w", s, err))
		if over {
			d.meter.dropped(s, dropRefused, elements)
			d.logger.Error("consumer refused for good, what it refused is lost",
				zap.Stringer("signal", s), zap.Int("elements", elements), zap.Error(err))
			return nil
		}
		d.meter.retried(s)
		if attempt == 0 {
			d.logger.Warn("consumer refused, reading waits until it accepts",
				zap.Stringer("signal", s), zap.Int("elements", elements), zap.Error(err))
		}
		if d.behind != nil {
			d.behind()
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("deliver %s: %w", s, ctx.Err())
		case <-timer.C:
		}
		wait = min(2*wait, d.retry.MaxInterval)
	}
}
