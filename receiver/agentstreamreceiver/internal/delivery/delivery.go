package delivery

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
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
	"github.com/tailspan/tailspan/telemetry"
)

// dataFormat is the format reported in the collector's own metrics.
const dataFormat = "agent_stream"

// Settings configures a Delivery.
type Settings struct {
	// Receiver are the collector's settings for the receiver.
	Receiver receiver.Settings
	// Delivery limits batches and controls what happens to rejected ones.
	Delivery config.Delivery
	// Retry configures the waits between attempts.
	Retry configretry.BackOffConfig
	// Meter counts what is retried, split, cut and dropped.
	Meter *meter.Meter
	// Health reports consumers that refuse.
	Health *Health
	// Grown measures how much the files have grown while a consumer refuses. It may be called at any time.
	Grown func()
}

// Delivery sends spans, records and metrics to the consumers of the pipelines, each with its own retry loop.
type Delivery struct {
	// Traces, Logs and Metrics are the consumers; nil without a pipeline for the signal. Set them before the first output.
	Traces  consumer.Traces
	Logs    consumer.Logs
	Metrics consumer.Metrics

	settings Settings
	logger   *zap.Logger
	report   *receiverhelper.ObsReport
	senders  map[meter.Signal]*batch.Sender
}

// New returns a Delivery without consumers.
func New(s Settings) (*Delivery, error) {
	report, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{
		ReceiverID: s.Receiver.ID, Transport: "file", LongLivedCtx: true, ReceiverCreateSettings: s.Receiver,
	})
	if err != nil {
		return nil, fmt.Errorf("create report: %w", err)
	}
	d := &Delivery{settings: s, logger: s.Receiver.Logger, report: report, senders: map[meter.Signal]*batch.Sender{}}
	for _, signal := range []meter.Signal{meter.SignalTraces, meter.SignalLogs, meter.SignalMetrics} {
		d.senders[signal] = newSender(signal, int(s.Delivery.MaxBatchSize), d.logger, s.Meter)
	}
	return d, nil
}

// Deliver returns nil when every consumer has acknowledged out or rejected its part permanently. It fails only if a context ends,
// and then leaves in out what was not acknowledged. ctx ends a call of a consumer, which may have received the batch then;
// attempts only ends the waiting between two calls.
func (d *Delivery) Deliver(ctx, attempts context.Context, out *telemetry.Output) error {
	var err error
	if out.Traces.SpanCount() > 0 && d.Traces != nil {
		out.Traces, err = d.senders[meter.SignalTraces].Traces(out.Traces, func(p batch.Part[ptrace.Traces]) error {
			return d.retryUntilAcknowledged(ctx, attempts, offerOf(meter.SignalTraces, p), func(ctx context.Context) error {
				op := d.report.StartTracesOp(ctx)
				err := d.Traces.ConsumeTraces(op, p.Batch)
				d.report.EndTracesOp(op, dataFormat, p.Elements, err)
				return err
			})
		})
	}
	if err == nil && out.Logs.LogRecordCount() > 0 && d.Logs != nil {
		out.Logs, err = d.senders[meter.SignalLogs].Logs(out.Logs, func(p batch.Part[plog.Logs]) error {
			return d.retryUntilAcknowledged(ctx, attempts, offerOf(meter.SignalLogs, p), func(ctx context.Context) error {
				op := d.report.StartLogsOp(ctx)
				err := d.Logs.ConsumeLogs(op, p.Batch)
				d.report.EndLogsOp(op, dataFormat, p.Elements, err)
				return err
			})
		})
	}
	return err
}

// Offer sends metrics once and reports whether they were accepted; the next export repeats refused ones. A batch refused for
// its size is split. If only some of several parts are refused, the batch counts as accepted.
func (d *Delivery) Offer(ctx context.Context, md pmetric.Metrics) (accepted bool) {
	if md.DataPointCount() == 0 || d.Metrics == nil {
		return true
	}
	parts, refused := 0, 0
	_, _ = d.senders[meter.SignalMetrics].Metrics(md, func(p batch.Part[pmetric.Metrics]) error {
		op := d.report.StartMetricsOp(ctx)
		err := d.Metrics.ConsumeMetrics(op, p.Batch)
		d.report.EndMetricsOp(op, dataFormat, p.Elements, err)
		if batch.IsTooLarge(err) && !p.Last {
			return err
		}
		if parts++; err == nil {
			return nil
		}
		refused++
		d.settings.Meter.Retried(meter.SignalMetrics)
		d.logger.Warn("consumer refused metrics, will send them with the next export", zap.Int("points", p.Elements), zap.Error(err))
		return nil // the other parts may be accepted
	})
	return refused < parts
}

// troubleOf returns the trouble of a consumer that refuses a signal.
func troubleOf(s meter.Signal) Trouble {
	if s == meter.SignalTraces {
		return TroubleTraces
	}
	return TroubleLogs
}

// isPermanent reports whether a retry is useless. If a signal has several pipelines, the collector sends to all of them and
// joins their errors; as long as one error is temporary, all are retried.
func isPermanent(err error) bool {
	all, ok := err.(interface{ Unwrap() []error }) // the joined error is the outermost
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
	signal   meter.Signal
	elements int
	last     bool // it can't be made smaller
}

func offerOf[B any](s meter.Signal, p batch.Part[B]) offer {
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

// answerOf interprets a consumer's error. With on_permanent_error: retry nothing is permanent.
func (d *Delivery) answerOf(err error, o offer) answer {
	tooLarge := batch.IsTooLarge(err)
	switch {
	case err == nil:
		return answerAccepted
	case tooLarge && !o.last:
		return answerTooLarge
	case (tooLarge || isPermanent(err)) && d.settings.Delivery.OnPermanentError != config.OnPermanentErrorRetry:
		return answerPermanent
	default:
		return answerTemporary
	}
}

// retryUntilAcknowledged calls consume until it succeeds. A batch rejected permanently, or for longer than retry_on_failure
// allows, is dropped, counted and logged. A refusal for size is returned, so that the caller splits the part.
func (d *Delivery) retryUntilAcknowledged(ctx, attempts context.Context, o offer, consume func(context.Context) error) error {
	set := &d.settings.Retry
	backoff := retry.New(retry.Settings{
		InitialInterval: set.InitialInterval, MaxInterval: set.MaxInterval, Multiplier: set.Multiplier, Randomization: set.RandomizationFactor,
	})
	begin := time.Now()
	for attempt := 0; ; attempt++ {
		err := consume(ctx)
		answer := d.answerOf(err, o)
		if answer != answerTemporary && attempt > 0 {
			d.settings.Meter.Resumed()
		}
		switch answer {
		case answerAccepted:
			d.settings.Health.Well(troubleOf(o.signal))
			return nil
		case answerTooLarge:
			return err
		case answerPermanent:
			d.refused(o, err)
			d.reject(o, rejection(err), err)
			return nil
		}
		d.refused(o, err)
		if attempts.Err() == nil && d.gaveUp(begin) { // otherwise it failed because of the stop, and the lines are read again
			d.reject(o, meter.DropExpired, err)
			return nil
		}
		wait := backoff.Next()
		d.settings.Meter.Retried(o.signal)
		if attempt == 0 {
			d.logger.Warn("consumer refused batch, will retry",
				zap.Stringer("signal", o.signal), zap.Int("elements", o.elements), zap.Duration("retry_in", wait), zap.Error(err))
		}
		d.settings.Grown()
		if !retry.Wait(attempts, wait) {
			return fmt.Errorf("deliver %s: %w", o.signal, attempts.Err())
		}
	}
}

// gaveUp reports whether retry_on_failure allows no further attempt for a batch that was first sent at begin.
func (d *Delivery) gaveUp(begin time.Time) bool {
	return !d.settings.Retry.Enabled || d.settings.Retry.MaxElapsedTime > 0 && time.Since(begin) >= d.settings.Retry.MaxElapsedTime
}

// refused reports that the consumer of a signal refuses.
func (d *Delivery) refused(o offer, err error) {
	d.settings.Health.Trouble(troubleOf(o.signal), fmt.Errorf("consumer of %s refuses: %w", o.signal, err))
}

// rejection returns the drop reason for a permanent error.
func rejection(err error) string {
	if batch.IsTooLarge(err) {
		return meter.DropTooLarge
	}
	return meter.DropRefused
}

// reject counts and logs what is dropped.
func (d *Delivery) reject(o offer, reason string, err error) {
	d.settings.Meter.Dropped(o.signal, reason, o.elements)
	message := "consumer rejected batch permanently, dropping it"
	if reason == meter.DropExpired {
		message = "consumer refused batch, dropping it as retry_on_failure says"
	}
	d.logger.Error(message,
		zap.Stringer("signal", o.signal), zap.Int("elements", o.elements), zap.String("reason", reason), zap.Error(err))
}
