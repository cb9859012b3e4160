package export

import (
	"errors"
	"os"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// keptFile holds OTLP JSON, one request a line, as the collector's file exporter writes it.
type keptFile struct {
	file           *os.File
	spans, records int
}

// newKeptFile makes a file in the folder for temporary files that only its owner can read.
func newKeptFile() (*keptFile, error) {
	file, err := os.CreateTemp("", "tailspan-unsent-*.otlp.jsonl")
	if err != nil {
		return nil, err
	}
	return &keptFile{file: file}, nil
}

func (k *keptFile) add(td ptrace.Traces, ld plog.Logs, md pmetric.Metrics) error {
	var errs []error
	line := func(count int, marshal func() ([]byte, error)) {
		if count == 0 {
			return
		}
		b, err := marshal()
		if err == nil {
			_, err = k.file.Write(append(b, '\n'))
		}
		errs = append(errs, err)
	}
	line(td.SpanCount(), func() ([]byte, error) { return (&ptrace.JSONMarshaler{}).MarshalTraces(td) })
	line(ld.LogRecordCount(), func() ([]byte, error) { return (&plog.JSONMarshaler{}).MarshalLogs(ld) })
	line(md.DataPointCount(), func() ([]byte, error) { return (&pmetric.JSONMarshaler{}).MarshalMetrics(md) })
	k.spans, k.records = k.spans+td.SpanCount(), k.records+ld.LogRecordCount()
	return errors.Join(errs...)
}
