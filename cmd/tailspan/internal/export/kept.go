package export

import (
	"errors"
	"os"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// keptFile holds OTLP JSON, one request per line, in the format of the collector's file exporter.
type keptFile struct {
	file *os.File
	size int64
	has  amount
}

// amount counts spans, records and metric points.
type amount struct{ spans, records, points int }

func (a *amount) add(td ptrace.Traces, ld plog.Logs, md pmetric.Metrics) {
	a.spans, a.records, a.points = a.spans+td.SpanCount(), a.records+ld.LogRecordCount(), a.points+md.DataPointCount()
}

// String formats the counts. It mentions metric points, which are sums, only if there is nothing else.
func (a *amount) String() string {
	text := cli.Count(a.spans, "span")
	if a.spans+a.records == 0 {
		return text + ", " + cli.Count(a.records, "log record") + " and " + cli.Count(a.points, "metric point")
	}
	return text + " and " + cli.Count(a.records, "log record")
}

// newKeptFile creates a file in the temporary folder that only its owner can read.
func newKeptFile() (*keptFile, error) {
	file, err := os.CreateTemp("", "tailspan-unsent-*.otlp.jsonl")
	if err != nil {
		return nil, err
	}
	return &keptFile{file: file}, nil
}

// add writes all of the data or nothing.
func (k *keptFile) add(td ptrace.Traces, ld plog.Logs, md pmetric.Metrics) error {
	var all []byte
	var errs []error
	line := func(count int, marshal func() ([]byte, error)) {
		if count == 0 {
			return
		}
		b, err := marshal()
		all, errs = append(append(all, b...), '\n'), append(errs, err)
	}
	line(td.SpanCount(), func() ([]byte, error) { return (&ptrace.JSONMarshaler{}).MarshalTraces(td) })
	line(ld.LogRecordCount(), func() ([]byte, error) { return (&plog.JSONMarshaler{}).MarshalLogs(ld) })
	line(md.DataPointCount(), func() ([]byte, error) { return (&pmetric.JSONMarshaler{}).MarshalMetrics(md) })
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if _, err := k.file.Write(all); err != nil {
		return errors.Join(err, k.file.Truncate(k.size)) // half a line would make the lines before it unreadable
	}
	k.size += int64(len(all))
	k.has.add(td, ld, md)
	return nil
}

// close closes the file and removes it if it is empty.
func (k *keptFile) close() error {
	err := k.file.Close()
	if k.size == 0 {
		err = errors.Join(err, os.Remove(k.file.Name()))
	}
	return err
}
