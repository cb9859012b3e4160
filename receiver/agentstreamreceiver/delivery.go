package agentstreamreceiver

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/internal/batch"
	"github.com/tailspan/tailspan/internal/retry"
	"github.com/tailspan/tailspan/telemetry"
)

// dataFormat is the format that the collector's own metrics name.
const dataFormat = "agent_stream"

// delivery exports spans and records to the consumers of the pipelines, each with its own retry loop.
type delivery struct {
	traces  consumer.Traces  // nil without a traces pipeline
	logs    consumer.Logs    // nil without a logs pipeline
	metrics consumer.Metrics // nil without a metrics pipeline

	settings config.Delivery
	retry    configretry.BackOffConfig
	logger   *zap.Logger
	meter    *meter
	health   *health
	report   *receiverhelper.ObsReport
	senders  [signalEnd]batch.Sender
	behind   func()                         // measures how far the files have grown; may be nil
	mark     func(ptrace.Traces, plog.Logs) // in tests only
}

func newDelivery(set receiver.Settings, cfg *Config, m *meter) (delivery, error) {
	report, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{
		ReceiverID: set.ID, Transport: "file", LongLivedCtx: true, ReceiverCreateSettings: set,
	})
	if err != nil {
		return delivery{}, fmt.Errorf("create report: %w", err)
	}
	d := delivery{settings: cfg.Delivery, retry: cfg.Retry, logger: set.Logger, meter: m, report: report}
	for s := range signalEnd {
		d.senders[s] = newSender(s, int(cfg.Delivery.MaxBatchSize), set.Logger, m)
	}
	return d, nil
}

// deliver returns nil when every consumer has acknowledged out or rejected its part permanently. It fails only when ctx
// ends, and leaves in out what was not acknowledged.
func (d *delivery) deliver(ctx context.Context, out *telemetry.Output) error {
	if d.mark != nil {
		d.mark(out.Traces, out.Logs)
	}
	var err error
	if out.Traces.SpanCount() > 0 && d.traces != nil {
		out.Traces, err = d.senders[signalTraces].Traces(out.Traces, func(p batch.Part[ptrace.Traces]) error {
			return d.retryUntilAcknowledged(ctx, offerOf(signalTraces, p), func(ctx context.Context) error {
				op := d.report.StartTracesOp(ctx)
				err := d.traces.ConsumeTraces(op, p.Batch)
				d.report.EndTracesOp(op, dataFormat, p.Elements, err)
				return err
			})
		})
	}
	if err == nil && out.Logs.LogRecordCount() > 0 && d.logs != nil {
		out.Logs, err = d.senders[signalLogs].Logs(out.Logs, func(p batch.Part[plog.Logs]) error {
			return d.retryUntilAcknowledged(ctx, offerOf(signalLogs, p), func(ctx context.Context) error {
				op := d.report.StartLogsOp(ctx)
				err := d.logs.ConsumeLogs(op, p.Batch)
				d.report.EndLogsOp(op, dataFormat, p.Elements, err)
				return err
			})
		})
	}
	return err
}

// offer exports metrics once and reports whether they were accepted: the next export repeats refused ones. A batch that is
// refused for its size is split; if one of several parts is refused, the batch counts as accepted.
func (d *delivery) offer(ctx context.Context, md pmetric.Metrics) (accepted bool) {
	if md.DataPointCount() == 0 || d.metrics == nil {
		return true
	}
	parts, refused := 0, 0
	_, _ = d.senders[signalMetrics].Metrics(md, func(p batch.Part[pmetric.Metrics]) error {
		op := d.report.StartMetricsOp(ctx)
		err := d.metrics.ConsumeMetrics(op, p.Batch)
		d.report.EndMetricsOp(op, dataFormat, p.Elements, err)
		if batch.IsTooLarge(err) && !p.Last {
			return err
		}
		if parts++; err == nil {
			return nil
		}
		refused++
		d.meter.retried(signalMetrics)
		d.logger.Warn("consumer refused metrics, will send them with the next export", zap.Int("points", p.Elements), zap.Error(err))
		return nil // the other parts may be accepted
	})
	return refused < parts
}

// troubleOf is the trouble of a consumer that refuses a signal.
func troubleOf(s signal) trouble {
	if s == signalTraces {
		return troubleTraces
	}
	return troubleLogs
}

// isPermanent reports whether a retry is useless. If several pipelines have a signal, the collector sends to all of them and
// joins their errors: as long as one error is temporary, all are retried.
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

// offer is a part of a batch that is sent to a consumer.
type offer struct {
	signal   signal
	elements int
	last     bool // it can't be made smaller
}

func offerOf[B any](s signal, p batch.Part[B]) offer {
	return offer{signal: s, elements: p.Elements, last: p.Last}
}

// answer is a consumer's reply to an offer.
type answer uint8

const (
	answerAccepted  answer = iota
	answerTooLarge         // a smaller part may be accepted
	answerTemporary        // a retry may succeed
	answerPermanent        // a retry is useless
)

// answerOf reads a consumer's error. With on_permanent_error: retry nothing is permanent.
func (d *delivery) answerOf(err error, o offer) answer {
	tooLarge := batch.IsTooLarge(err)
	switch {
	case err == nil:
		return answerAccepted
	case tooLarge && !o.last:
		return answerTooLarge
	case (tooLarge || isPermanent(err)) && d.settings.OnPermanentError != config.OnPermanentErrorRetry:
		return answerPermanent
	default:
		return answerTemporary
	}
}

// retryUntilAcknowledged calls consume until it accepts. A batch that is rejected permanently, or for longer than
// retry_on_failure allows, is dropped, counted and logged. A refusal for its size is returned, so that the part is split.
func (d *delivery) retryUntilAcknowledged(ctx context.Context, o offer, consume func(context.Context) error) error {
	backoff := retry.New(retry.Settings{
		InitialInterval: d.retry.InitialInterval, MaxInterval: d.retry.MaxInterval, Multiplier: d.retry.Multiplier, Randomization: d.retry.RandomizationFactor,
	})
	begin := time.Now()
	for attempt := 0; ; attempt++ {
		err := consume(ctx)
		answer := d.answerOf(err, o)
		if answer != answerTemporary && attempt > 0 {
			d.meter.recordLag(d.meter.lag.clearFound())
		}
		switch answer {
		case answerAccepted:
			d.health.well(troubleOf(o.signal))
			return nil
		case answerTooLarge:
			return err
		case answerPermanent:
			d.refused(o, err)
			d.reject(o, rejection(err), err)
			return nil
		}
		d.refused(o, err)
		if ctx.Err() == nil && d.gaveUp(begin) { // else the stop is why it failed, and the lines are read again
			d.reject(o, dropExpired, err)
			return nil
		}
		wait := backoff.Next()
		d.meter.retried(o.signal)
		if attempt == 0 {
			d.logger.Warn("consumer refused batch, will retry",
				zap.Stringer("signal", o.signal), zap.Int("elements", o.elements), zap.Duration("retry_in", wait), zap.Error(err))
		}
		if d.behind != nil {
			d.behind()
		}
		if !retry.Wait(ctx, wait) {
			return fmt.Errorf("deliver %s: %w", o.signal, ctx.Err())
		}
	}
}

// gaveUp reports whether retry_on_failure allows no further attempt of a batch that was first sent at begin.
func (d *delivery) gaveUp(begin time.Time) bool {
	return !d.retry.Enabled || d.retry.MaxElapsedTime > 0 && time.Since(begin) >= d.retry.MaxElapsedTime
}

// refused reports that the consumer of a signal refuses.
func (d *delivery) refused(o offer, err error) {
	d.health.trouble(troubleOf(o.signal), fmt.Errorf("consumer of %s refuses: %w", o.signal, err))
}

// rejection is the reason of a permanent error.
func rejection(err error) string {
	if batch.IsTooLarge(err) {
		return dropTooLarge
	}
	return dropRefused
}

// reject counts and logs what is dropped.
func (d *delivery) reject(o offer, reason string, err error) {
	d.meter.dropped(o.signal, reason, o.elements)
	message := "consumer rejected batch permanently, dropping it"
	if reason == dropExpired {
		message = "consumer refused batch, dropping it as retry_on_failure says"
	}
	d.logger.Error(message,
		zap.Stringer("signal", o.signal), zap.Int("elements", o.elements), zap.String("reason", reason), zap.Error(err))
}
