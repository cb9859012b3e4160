package otlphttp_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // the server reads it
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
)

// grpcServer is a server of grpc-go. It gives the answers in order, and then success.
type grpcServer struct {
	ptraceotlp.UnimplementedGRPCServer
	address string

	mu       sync.Mutex
	answers  []error
	partial  int64
	spans    []int
	metadata metadata.MD
}

func newGRPCServer(t *testing.T, answers ...error) *grpcServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &grpcServer{address: "http://" + listener.Addr().String(), answers: answers}
	server := grpc.NewServer()
	ptraceotlp.RegisterGRPCServer(server, s)
	plogotlp.RegisterGRPCServer(server, &logServer{})
	pmetricotlp.RegisterGRPCServer(server, &metricServer{})
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return s
}

type logServer struct {
	plogotlp.UnimplementedGRPCServer
}

func (logServer) Export(context.Context, plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	return plogotlp.NewExportResponse(), nil
}

type metricServer struct {
	pmetricotlp.UnimplementedGRPCServer
}

func (metricServer) Export(context.Context, pmetricotlp.ExportRequest) (pmetricotlp.ExportResponse, error) {
	return pmetricotlp.NewExportResponse(), nil
}

// Export implements ptraceotlp.GRPCServer.
func (s *grpcServer) Export(ctx context.Context, r ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.metadata, _ = metadata.FromIncomingContext(ctx)
	if len(s.answers) > 0 {
		err := s.answers[0]
		s.answers = s.answers[1:]
		return ptraceotlp.NewExportResponse(), err
	}
	s.spans = append(s.spans, r.Traces().SpanCount())
	answer := ptraceotlp.NewExportResponse()
	if s.partial > 0 {
		answer.PartialSuccess().SetRejectedSpans(s.partial)
		answer.PartialSuccess().SetErrorMessage("no room")
	}
	return answer, nil
}

const tracesPath = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

func spans(n int) ptrace.Traces {
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	for range n {
		ss.Spans().AppendEmpty().SetName("one")
	}
	return td
}

// overGRPC returns an exporter for an address.
func overGRPC(t *testing.T, address string, more map[string]string) (*otlphttp.Exporter, *[]string) {
	t.Helper()
	endpoints, err := otlphttp.FromEnvironment(func(key string) string {
		if key == "OTEL_EXPORTER_OTLP_PROTOCOL" && more[key] == "" {
			return "grpc"
		}
		return more[key]
	}, address)
	require.NoError(t, err)
	var reported []string
	e := otlphttp.New(otlphttp.Settings{Endpoints: endpoints, UserAgent: "test/1", Report: func(p string) { reported = append(reported, p) }})
	t.Cleanup(e.Close)
	return e, &reported
}

// TestGRPC checks that another implementation accepts all signals, plain and compressed.
func TestGRPC(t *testing.T) {
	for _, compression := range []string{"none", "gzip"} {
		t.Run(compression, func(t *testing.T) {
			s := newGRPCServer(t)
			e, reported := overGRPC(t, s.address, map[string]string{"OTEL_EXPORTER_OTLP_COMPRESSION": compression, "OTEL_EXPORTER_OTLP_HEADERS": "x-team=ops"})
			left, err := e.Traces(t.Context(), spans(3))
			require.NoError(t, err)
			assert.Zero(t, left.SpanCount())
			ld := plog.NewLogs()
			ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
			_, err = e.Logs(t.Context(), ld)
			require.NoError(t, err)
			md := pmetric.NewMetrics()
			md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptySum().DataPoints().AppendEmpty()
			_, err = e.Metrics(t.Context(), md)
			require.NoError(t, err)
			lacks, err := e.Probe(t.Context())
			require.NoError(t, err)
			assert.Empty(t, lacks)
			assert.Empty(t, *reported)
			assert.Zero(t, e.Refused())
			assert.Equal(t, []int{3, 0}, s.spans)
			assert.Equal(t, []string{"ops"}, s.metadata.Get("x-team"))
		})
	}
}

// TestGRPCAnswers checks the effect of a status: a retry, smaller parts, or the end.
func TestGRPCAnswers(t *testing.T) {
	for _, tc := range []struct {
		name     string
		answers  []error
		spans    []int
		refused  int64
		reported []string
	}{
		{"unavailable", []error{status.Error(codes.Unavailable, "starting 100%")}, []int{4}, 0,
			[]string{"sending traces fails, retrying: ADDRESS" + tracesPath + " answers with gRPC status 14: starting 100%", "sending traces works again"}},
		{"unavailable without a message", []error{status.Error(codes.Unavailable, "")}, []int{4}, 0,
			[]string{"sending traces fails, retrying: ADDRESS" + tracesPath + " answers with gRPC status 14", "sending traces works again"}},
		{"too large", []error{status.Error(codes.ResourceExhausted, "grpc: received message larger than max (5 vs. 4)")}, []int{2, 2}, 0, nil},
		{"exhausted for good", []error{status.Error(codes.ResourceExhausted, "quota is used up")}, nil, 4,
			[]string{"spans were refused: ADDRESS" + tracesPath + " answers with gRPC status 8: quota is used up"}},
		{"internal", []error{status.Error(codes.Internal, "no disk"), status.Error(codes.Unknown, "no idea")}, []int{4}, 0,
			[]string{"sending traces fails, retrying: ADDRESS" + tracesPath + " answers with gRPC status 13: no disk", "sending traces works again"}},
		{"refused", []error{status.Error(codes.InvalidArgument, "no name")}, nil, 4,
			[]string{"spans were refused: ADDRESS" + tracesPath + " answers with gRPC status 3: no name"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newGRPCServer(t, tc.answers...)
			e, reported := overGRPC(t, s.address, nil)
			left, err := e.Traces(t.Context(), spans(4))
			assert.Equal(t, tc.refused > 0, errors.Is(err, otlphttp.ErrRefused), err)
			assert.EqualValues(t, tc.refused, left.SpanCount())
			assert.Equal(t, tc.spans, s.spans)
			assert.Equal(t, tc.refused, e.Refused())
			var got []string
			for _, line := range *reported {
				got = append(got, strings.ReplaceAll(line, s.address, "ADDRESS"))
			}
			assert.Equal(t, tc.reported, got)
		})
	}
	for _, code := range []codes.Code{codes.PermissionDenied, codes.Unauthenticated} { // they say nothing about the data
		e, _ := overGRPC(t, newGRPCServer(t, status.Error(code, "no key")).address, nil)
		left, err := e.Traces(t.Context(), spans(4))
		require.ErrorContains(t, err, ": no key")
		assert.Equal(t, 4, left.SpanCount())
		assert.Zero(t, e.Refused())
	}
	s := newGRPCServer(t)
	s.partial = 2
	e, reported := overGRPC(t, s.address, nil)
	_, err := e.Traces(t.Context(), spans(4))
	require.NoError(t, err)
	assert.EqualValues(t, 2, e.Rejected())
	assert.Equal(t, []string{"2 of 4 spans were refused: no room"}, *reported)
}

// TestOtherProtocol checks that an endpoint with the other protocol is immediately an error that says so, and that the data is
// not lost.
func TestOtherProtocol(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	for _, tc := range []struct{ protocol, address, want string }{
		{"http/protobuf", newGRPCServer(t).address, "speaks gRPC: set OTEL_EXPORTER_OTLP_PROTOCOL=grpc, or name its port for OTLP/HTTP (4318 of a collector)"},
		{"grpc", web.URL, "speaks HTTP/1.1, not gRPC: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf, or name its port for gRPC (4317 of a collector)"},
	} {
		t.Run(tc.protocol, func(t *testing.T) {
			e, _ := overGRPC(t, tc.address, map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": tc.protocol})
			left, err := e.Traces(t.Context(), spans(2))
			require.Error(t, err)
			assert.ErrorContains(t, err, tc.want)
			assert.Equal(t, 2, left.SpanCount())
			_, err = e.Probe(t.Context())
			assert.ErrorContains(t, err, tc.want)
		})
	}
}
