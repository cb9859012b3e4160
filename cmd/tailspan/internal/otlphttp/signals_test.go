package otlphttp_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
)

// tracesOnly returns addresses of servers that accept only spans, as Jaeger does.
func tracesOnly(t *testing.T) map[string]string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", func(http.ResponseWriter, *http.Request) {})
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(server, &grpcServer{})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return map[string]string{"http/protobuf": web.URL, "grpc": "http://" + listener.Addr().String()}
}

func oneRecord() plog.Logs {
	ld := plog.NewLogs()
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	return ld
}

func onePoint() pmetric.Metrics {
	md := pmetric.NewMetrics()
	md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptySum().DataPoints().AppendEmpty()
	return md
}

// TestAbsentSignals checks that one line reports the signals that an endpoint for spans lacks, with advice, whichever signal and
// exporter come first, and that this is neither an error nor a rejection.
func TestAbsentSignals(t *testing.T) {
	for protocol, address := range tracesOnly(t) {
		for _, first := range []string{"spans", "log records", "metric points"} {
			t.Run(protocol+"/"+first, func(t *testing.T) {
				e, reported := overGRPC(t, address, map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": protocol})
				beside := e.Beside()
				defer beside.Close()
				switch first {
				case "spans":
					_, err := e.Traces(t.Context(), spans(2))
					require.NoError(t, err)
				case "metric points":
					assert.True(t, beside.OfferMetrics(t.Context(), onePoint()), "they need not come again")
				}
				for range 2 {
					left, err := e.Logs(t.Context(), oneRecord())
					require.NoError(t, err)
					assert.Zero(t, left.LogRecordCount())
					points, err := beside.Metrics(t.Context(), onePoint())
					require.NoError(t, err)
					assert.Zero(t, points.DataPointCount())
				}
				left, err := e.Traces(t.Context(), spans(3))
				require.NoError(t, err)
				assert.Zero(t, left.SpanCount())
				require.Len(t, *reported, 1)
				line := (*reported)[0]
				for _, want := range []string{"log records", "metric points", "OTEL_LOGS_EXPORTER=none", "OTEL_METRICS_EXPORTER=none"} {
					assert.Equal(t, 1, strings.Count(line, want), line)
				}
				assert.NotContains(t, line, "TRACES")
				assert.Zero(t, e.Refused()+beside.Refused())
				sent, records, points := e.Sent()
				assert.GreaterOrEqual(t, sent, 3)
				assert.Zero(t, records+points)
				lacks, err := e.Probe(t.Context())
				require.NoError(t, err)
				assert.Equal(t, "log records and no metric points", lacks)
			})
		}
	}
}

// TestNoSignalAtAll checks that a server without any signal is no endpoint: a wrong address loses nothing.
func TestNoSignalAtAll(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer()
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	e, reported := overGRPC(t, "http://"+listener.Addr().String(), nil)
	left, err := e.Logs(t.Context(), oneRecord())
	require.ErrorIs(t, err, otlphttp.ErrNoPath)
	assert.Equal(t, 1, left.LogRecordCount())
	_, err = e.Metrics(t.Context(), onePoint())
	require.ErrorIs(t, err, otlphttp.ErrNoPath)
	assert.Empty(t, *reported)
	assert.Zero(t, e.Refused())
	_, err = e.Probe(t.Context())
	assert.ErrorContains(t, err, "gRPC status 12")
}
