package otlpsink

import (
	"fmt"
	"io"
	"iter"
	"net/http"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// Batch is the content of one request: spans or log records.
type Batch struct {
	Traces ptrace.Traces
	Logs   plog.Logs
}

// Spans returns each span with its resource.
func (b Batch) Spans() iter.Seq2[pcommon.Resource, ptrace.Span] {
	return func(yield func(pcommon.Resource, ptrace.Span) bool) {
		for _, rs := range b.Traces.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(rs.Resource(), span) {
						return
					}
				}
			}
		}
	}
}

// Records returns each log record with its resource.
func (b Batch) Records() iter.Seq2[pcommon.Resource, plog.LogRecord] {
	return func(yield func(pcommon.Resource, plog.LogRecord) bool) {
		for _, rl := range b.Logs.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, record := range sl.LogRecords().All() {
					if !yield(rl.Resource(), record) {
						return
					}
				}
			}
		}
	}
}

// Handler decides whether a batch is accepted. An error is answered with 503, which asks the sender to retry. It may
// be called for several batches concurrently.
type Handler func(r *http.Request, b Batch) error

// ServeHTTP answers POST /v1/traces and /v1/logs. It never passes on an incomplete body.
func (h Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender has disconnected
	}
	b, err := decode(r.URL.Path, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := h(r, b); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func decode(path string, body []byte) (Batch, error) {
	b := Batch{Traces: ptrace.NewTraces(), Logs: plog.NewLogs()}
	switch path {
	case "/v1/traces":
		request := ptraceotlp.NewExportRequest()
		if err := request.UnmarshalProto(body); err != nil {
			return b, fmt.Errorf("parse traces: %w", err)
		}
		b.Traces = request.Traces()
	case "/v1/logs":
		request := plogotlp.NewExportRequest()
		if err := request.UnmarshalProto(body); err != nil {
			return b, fmt.Errorf("parse logs: %w", err)
		}
		b.Logs = request.Logs()
	default:
		return b, fmt.Errorf("no such signal: %q", path)
	}
	return b, nil
}
