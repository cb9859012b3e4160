package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// otlpSink is an OpenTelemetry endpoint that keeps everything it accepts.
type otlpSink struct {
	*httptest.Server

	mu      sync.Mutex
	answer  func(w http.ResponseWriter, r *http.Request) bool // nil, or returns false to leave the answer to the sink
	spans   []ptrace.Span
	of      []ptrace.ResourceSpans // of each span
	traces  []ptrace.Traces
	records []plog.LogRecord
	metrics []pmetric.Metrics
	seen    []*http.Request
}

func newOTLPSink(t *testing.T) *otlpSink {
	t.Helper()
	s := &otlpSink{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

// answers sets what answers requests from now on.
func (s *otlpSink) answers(answer func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func (s *otlpSink) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil && r.Header.Get("Content-Encoding") == "gzip" {
		var unpack *gzip.Reader
		if unpack, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, err = io.ReadAll(unpack)
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, r)
	if s.answer != nil && s.answer(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	switch r.URL.Path {
	case "/v1/traces":
		var u ptrace.ProtoUnmarshaler
		td, err := u.UnmarshalTraces(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.traces = append(s.traces, td)
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					s.spans, s.of = append(s.spans, span), append(s.of, rs)
				}
			}
		}
	case "/v1/logs":
		var u plog.ProtoUnmarshaler
		ld, err := u.UnmarshalLogs(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, lr := range sl.LogRecords().All() {
					s.records = append(s.records, lr)
				}
			}
		}
	case "/v1/metrics":
		var u pmetric.ProtoUnmarshaler
		md, err := u.UnmarshalMetrics(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.metrics = append(s.metrics, md)
	default:
		http.NotFound(w, r)
	}
}

// lock gives a test exclusive access to the sink.
func (s *otlpSink) lock() (unlock func()) {
	s.mu.Lock()
	return s.mu.Unlock
}

// span returns the only span of a name, and its resource's attributes.
func (s *otlpSink) span(t *testing.T, name string) (ptrace.Span, map[string]any) {
	t.Helper()
	defer s.lock()()
	found, names := -1, []string{}
	for i, span := range s.spans {
		names = append(names, span.Name())
		if span.Name() == name {
			require.Negative(t, found, "two spans %q", name)
			found = i
		}
	}
	require.GreaterOrEqual(t, found, 0, "no span %q in %q", name, names)
	return s.spans[found], s.of[found].Resource().Attributes().AsRaw()
}

// named returns the records of an event name.
func (s *otlpSink) named(name string) []plog.LogRecord {
	defer s.lock()()
	var all []plog.LogRecord
	for _, lr := range s.records {
		if lr.EventName() == name {
			all = append(all, lr)
		}
	}
	return all
}

// newestMetrics returns the newest export. An export that was canceled on its way may arrive after it.
func (s *otlpSink) newestMetrics() pmetric.Metrics {
	return slices.MaxFunc(s.metrics, func(a, b pmetric.Metrics) int { return cmp.Compare(takenAt(a), takenAt(b)) })
}

func takenAt(md pmetric.Metrics) (at pcommon.Timestamp) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Type() == pmetric.MetricTypeSum {
				for _, p := range m.Sum().DataPoints().All() {
					at = max(at, p.Timestamp())
				}
			}
		}
	}
	return at
}

// sums returns the counters of the last metrics export, and the tokens, by name.
func (s *otlpSink) sums() map[string]int64 {
	defer s.lock()()
	all := map[string]int64{}
	if len(s.metrics) == 0 {
		return all
	}
	for _, rm := range s.newestMetrics().ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Type() != pmetric.MetricTypeSum {
				for _, p := range m.Histogram().DataPoints().All() {
					if of, ok := p.Attributes().Get("gen_ai.token.type"); ok {
						all[m.Name()+" "+of.Str()] += int64(p.Sum())
					}
				}
				continue
			}
			for _, p := range m.Sum().DataPoints().All() {
				all[m.Name()] += p.IntValue()
			}
		}
	}
	return all
}
