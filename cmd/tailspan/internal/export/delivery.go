package export

import (
	"context"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/telemetry"
)

// delivery sends output to an endpoint. Once sending has failed, it keeps that and everything behind it in a file, which
// `tailspan send` delivers. It serves one goroutine at a time.
type delivery struct {
	exporter *otlphttp.Exporter
	sending  context.Context // ends when no more is to be sent
	cause    error           // why nothing is sent any more; nil while it is
	kept     *keptFile
}

// deliver returns when out was accepted or kept. It fails when it can't be kept.
func (d *delivery) deliver(out *telemetry.Output) error {
	if out.Empty() {
		return nil
	}
	traces, logs := out.Traces, out.Logs
	if d.cause == nil {
		traces, d.cause = d.exporter.Traces(d.sending, traces)
	}
	if d.cause == nil {
		logs, d.cause = d.exporter.Logs(d.sending, logs)
	}
	if d.cause == nil {
		return nil
	}
	return d.keep(traces, logs, pmetric.NewMetrics())
}

// deliverMetrics sends or keeps the metrics as they stand at the end.
func (d *delivery) deliverMetrics(m *metricExport) error {
	for _, md := range m.metrics.TakeLast(time.Now()) {
		if d.cause == nil {
			d.cause = m.exporter.Metrics(d.sending, md)
		}
		if d.cause != nil {
			if err := d.keep(ptrace.NewTraces(), plog.NewLogs(), md); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *delivery) keep(td ptrace.Traces, ld plog.Logs, md pmetric.Metrics) error {
	if d.kept == nil {
		var err error
		if d.kept, err = newKeptFile(); err != nil {
			return fmt.Errorf("not everything was sent (%w), and it can't be kept: %w", d.cause, err)
		}
	}
	if err := d.kept.add(td, ld, md); err != nil {
		return fmt.Errorf("not everything was sent (%w), and it can't be kept: %w", d.cause, err)
	}
	return nil
}

// close ends the delivery. Its error says what was not sent, and where it is.
func (d *delivery) close() error {
	if d.kept == nil {
		return nil
	}
	if err := d.kept.file.Close(); err != nil {
		return fmt.Errorf("close file of unsent data: %w", err)
	}
	return fmt.Errorf("not everything was sent (%w); %s and %s are kept in %q, tailspan send delivers them",
		d.cause, cli.Count(d.kept.spans, "span"), cli.Count(d.kept.records, "log record"), d.kept.file.Name())
}
