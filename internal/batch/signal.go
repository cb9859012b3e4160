package batch

import (
	"math"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// signal is the operations on the batches of one signal.
type signal[B any] struct {
	empty    func() B
	elements func(B) int
	size     func(B) int
	estimate func(B) int // usually an upper bound of the size, and far cheaper
	readOnly func(B) bool
	clone    func(B) B
	// halve moves the second half of the elements into a new batch.
	halve func(B) B
	// join appends the content of the second batch to the first.
	join func(B, B)
	// cut shortens the only element of a batch towards a size, and marks it.
	cut func(b B, size int, mark string) cutResult
}

var traces = signal[ptrace.Traces]{
	empty:    ptrace.NewTraces,
	elements: ptrace.Traces.SpanCount,
	size:     sizeOfTraces,
	estimate: estimateTraces,
	readOnly: ptrace.Traces.IsReadOnly,
	clone: func(td ptrace.Traces) ptrace.Traces {
		c := ptrace.NewTraces()
		td.CopyTo(c)
		return c
	},
	halve: halveTraces,
	join:  func(to, from ptrace.Traces) { from.ResourceSpans().MoveAndAppendTo(to.ResourceSpans()) },
	cut:   cutSpan,
}

var logs = signal[plog.Logs]{
	empty:    plog.NewLogs,
	elements: plog.Logs.LogRecordCount,
	size:     sizeOfLogs,
	estimate: estimateLogs,
	readOnly: plog.Logs.IsReadOnly,
	clone: func(ld plog.Logs) plog.Logs {
		c := plog.NewLogs()
		ld.CopyTo(c)
		return c
	},
	halve: halveLogs,
	join:  func(to, from plog.Logs) { from.ResourceLogs().MoveAndAppendTo(to.ResourceLogs()) },
	cut:   cutRecord,
}

var metrics = signal[pmetric.Metrics]{
	empty:    pmetric.NewMetrics,
	elements: pmetric.Metrics.DataPointCount,
	size:     func(md pmetric.Metrics) int { return (&pmetric.ProtoMarshaler{}).MetricsSize(md) },
	estimate: func(pmetric.Metrics) int { return math.MaxInt }, // there are few
	readOnly: pmetric.Metrics.IsReadOnly,
	clone: func(md pmetric.Metrics) pmetric.Metrics {
		c := pmetric.NewMetrics()
		md.CopyTo(c)
		return c
	},
	halve: halveMetrics,
	join:  func(to, from pmetric.Metrics) { from.ResourceMetrics().MoveAndAppendTo(to.ResourceMetrics()) },
	cut:   func(pmetric.Metrics, int, string) cutResult { return cutNone },
}

func sizeOfTraces(td ptrace.Traces) int { return (&ptrace.ProtoMarshaler{}).TracesSize(td) }

func sizeOfLogs(ld plog.Logs) int { return (&plog.ProtoMarshaler{}).LogsSize(ld) }
