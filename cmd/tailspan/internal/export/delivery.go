package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/telemetry"
)

// delivery sends output to an endpoint. Requests that the endpoint refuses go to a file, which `tailspan send` delivers. Once a
// signal has failed, all further data of it goes there too; data that cannot be written either is counted as lost. It serves one
// goroutine at a time.
type delivery struct {
	exporter *otlphttp.Exporter
	sending  context.Context // its end stops all sending
	// Why a signal is no longer sent; nil while it is.
	noTraces, noLogs, noMetrics error
	refused                     error // of the first request that the endpoint refused

	kept *keptFile
	lost losses
}

// stop stores err in stopped, the reason why one signal is no longer sent. Unless the endpoint only lacks that signal's path, it
// stops the other signals too. A refusal concerns one request and stops nothing.
func (d *delivery) stop(stopped *error, err error) {
	switch {
	case err == nil:
		return
	case errors.Is(err, otlphttp.ErrRefused):
		d.refused = cmp.Or(d.refused, err)
		return
	}
	if *stopped = err; !errors.Is(err, otlphttp.ErrNoPath) {
		d.noTraces, d.noLogs, d.noMetrics = cmp.Or(d.noTraces, err), cmp.Or(d.noLogs, err), cmp.Or(d.noMetrics, err)
	}
}

// errPartial is the reason if data is missing although every request was accepted.
var errPartial = errors.New("partial success")

// losses counts what was neither sent nor kept.
type losses struct {
	cause error // why nothing is kept any more; nil while the file accepts data
	amount
}

// deliver returns when out was accepted, kept or counted as lost. It never fails: what cannot be kept now cannot be kept later,
// and the output must be read to its end.
func (d *delivery) deliver(out *telemetry.Output) error {
	if out.Empty() {
		return nil
	}
	traces, logs := out.Traces, out.Logs
	if d.noTraces == nil {
		var err error
		traces, err = d.exporter.Traces(d.sending, traces)
		d.stop(&d.noTraces, err)
	}
	if d.noLogs == nil {
		var err error
		logs, err = d.exporter.Logs(d.sending, logs)
		d.stop(&d.noLogs, err)
	}
	d.keep(traces, logs, pmetric.NewMetrics())
	return nil
}

// deliverMetrics sends or keeps the final metrics.
func (d *delivery) deliverMetrics(m *metricExport) {
	for _, md := range m.metrics.TakeLast(time.Now()) {
		if d.noMetrics == nil {
			var err error
			md, err = m.exporter.Metrics(d.sending, md)
			d.stop(&d.noMetrics, err)
		}
		d.keep(ptrace.NewTraces(), plog.NewLogs(), md)
	}
}

// keep writes unsent data to the file.
func (d *delivery) keep(td ptrace.Traces, ld plog.Logs, md pmetric.Metrics) {
	if td.SpanCount()+ld.LogRecordCount()+md.DataPointCount() == 0 {
		return
	}
	if d.kept == nil && d.lost.cause == nil {
		d.kept, d.lost.cause = newKeptFile()
	}
	if d.lost.cause == nil {
		d.lost.cause = d.kept.add(td, ld, md)
	}
	if d.lost.cause != nil {
		d.lost.add(td, ld, md)
	}
}

// close ends the delivery. Its error reports what was not sent and where it is. rejected counts what the endpoint rejected in
// requests that it accepted otherwise.
func (d *delivery) close(rejected int64) error {
	if d.kept != nil {
		if err := d.kept.close(); err != nil {
			return fmt.Errorf("close file of unsent data: %w", err)
		}
	}
	cause := cmp.Or(d.noTraces, d.noLogs, d.noMetrics, d.refused)
	var kept, lost string
	if d.kept != nil && d.kept.size > 0 {
		kept = fmt.Sprintf("; %s are kept in %q, tailspan send delivers them", &d.kept.has, d.kept.file.Name())
	}
	if d.lost.cause != nil {
		lost = fmt.Sprintf("; %s are lost, since they can't be kept: %v", &d.lost.amount, d.lost.cause)
	}
	if rejected > 0 {
		cause = cmp.Or(cause, errPartial)
		lost += fmt.Sprintf("; the endpoint rejected %s, which are lost", cli.Count(int(rejected), "span, log record or metric point"))
	}
	if kept+lost == "" {
		return nil
	}
	return fmt.Errorf("not everything was sent (%w)%s%s", cause, kept, lost)
}
