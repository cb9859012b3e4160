package otlphttp

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func twoSpans() ptrace.Traces {
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	ss.Spans().AppendEmpty().SetName("one")
	ss.Spans().AppendEmpty().SetName("two")
	return td
}

func oneRecord() plog.Logs {
	ld := plog.NewLogs()
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("words")
	return ld
}

// server answers requests with the given answers in order and repeats the last one.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	bodies  [][]byte
	answers []func(w http.ResponseWriter)
}

func newServer(t *testing.T, answers ...func(w http.ResponseWriter)) *server {
	t.Helper()
	s := &server{answers: answers}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bodies = append(s.bodies, body)
		if len(s.answers) > 0 {
			s.answers[0](w)
			s.answers = s.answers[min(1, len(s.answers)-1):]
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func status(code int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { w.WriteHeader(code) }
}

func accept(http.ResponseWriter) {}

// sent sends a batch and checks that nothing of it is left.
func sent[B any](t *testing.T, send func(context.Context, B) (B, error), b B) {
	t.Helper()
	_, err := send(t.Context(), b)
	require.NoError(t, err)
}

// exporter sends to a server; reported holds the problems that it reports.
func exporter(t *testing.T, url string) (e *Exporter, reported *[]string) {
	t.Helper()
	reported = &[]string{}
	return exporterThat(t, url, func(problem string) { *reported = append(*reported, problem) }), reported
}

// exporterThat sends to a server and reports to a function.
func exporterThat(t *testing.T, url string, report func(problem string)) *Exporter {
	t.Helper()
	to, err := FromEnvironment(func(string) string { return "" }, url)
	require.NoError(t, err)
	e := New(Settings{Endpoints: to, UserAgent: "test", Report: report})
	t.Cleanup(e.Close)
	return e
}

// TestBodies checks that the protocol's own types can read what is sent.
func TestBodies(t *testing.T) {
	s := newServer(t)
	e, reported := exporter(t, s.URL)
	sent(t, e.Traces, twoSpans())
	sent(t, e.Logs, oneRecord())
	sent(t, e.Traces, ptrace.NewTraces())
	require.Len(t, s.bodies, 2)
	traces := ptraceotlp.NewExportRequest()
	require.NoError(t, traces.UnmarshalProto(s.bodies[0]))
	assert.Equal(t, 2, traces.Traces().SpanCount())
	logs := plogotlp.NewExportRequest()
	require.NoError(t, logs.UnmarshalProto(s.bodies[1]))
	assert.Equal(t, 1, logs.Logs().LogRecordCount())
	assert.Empty(t, *reported)
}

func TestRetries(t *testing.T) {
	for _, code := range []int{429, 500, 502, 503, 504} {
		s := newServer(t, status(code), status(code), accept)
		e, reported := exporter(t, s.URL)
		sent(t, e.Traces, twoSpans())
		assert.Len(t, s.bodies, 3)
		assert.Equal(t, s.bodies[0], s.bodies[2])
		require.Len(t, *reported, 2, "a failure is reported once, and its end")
		assert.Equal(t, "sending traces works again", (*reported)[1])
		assert.Zero(t, e.Refused())
	}
}

func TestRefusals(t *testing.T) {
	for _, code := range []int{400, 422, 501} {
		s := newServer(t, status(code), status(code), accept)
		e, reported := exporter(t, s.URL)
		for range 2 {
			left, err := e.Traces(t.Context(), twoSpans())
			require.ErrorIs(t, err, ErrRefused)
			assert.Equal(t, 2, left.SpanCount(), "the caller keeps it")
		}
		assert.Len(t, s.bodies, 2, "no second try")
		assert.EqualValues(t, 4, e.Refused())
		assert.Len(t, *reported, 1)
		sent(t, e.Traces, twoSpans())
	}
}

// TestPatience: an internal error is retried for a while and then counts as a refusal.
func TestPatience(t *testing.T) {
	s := newServer(t, status(500), status(500), accept)
	to, err := FromEnvironment(func(string) string { return "" }, s.URL)
	require.NoError(t, err)
	e := New(Settings{Endpoints: to, Patience: time.Millisecond})
	t.Cleanup(e.Close)
	left, err := e.Traces(t.Context(), twoSpans())
	require.ErrorIs(t, err, ErrRefused)
	require.ErrorContains(t, err, "answers 500 Internal Server Error")
	assert.Equal(t, 2, left.SpanCount())
	assert.Len(t, s.bodies, 2)
	sent(t, e.Traces, twoSpans())
}

// TestMisdirected: an endpoint that does not know the sender, or is somebody else's, says nothing about the data, which is
// returned to the caller.
func TestMisdirected(t *testing.T) {
	for _, code := range []int{302, 307, 401, 403, 407} {
		s := newServer(t, status(code))
		e, _ := exporter(t, s.URL)
		left, err := e.Traces(t.Context(), twoSpans())
		require.ErrorContains(t, err, "/v1/traces answers "+strconv.Itoa(code))
		assert.Equal(t, 2, left.SpanCount())
		assert.Len(t, s.bodies, 1, "no second try")
		assert.Zero(t, e.Refused())
	}
}

// TestNoPath: an address without a path for any signal says nothing about the data, which is returned to the caller.
func TestNoPath(t *testing.T) {
	for _, code := range []int{404, 405} {
		s := newServer(t, status(code))
		e, _ := exporter(t, s.URL)
		left, err := e.Traces(t.Context(), twoSpans())
		require.ErrorIs(t, err, ErrNoPath)
		require.ErrorContains(t, err, "/v1/traces answers "+strconv.Itoa(code))
		assert.Equal(t, 2, left.SpanCount())
		assert.Len(t, s.bodies, len(allSignals), "no second try, but whether it takes another signal")
		assert.Zero(t, e.Refused())
	}
}

// TestRefusalForTheSizeIsSplit: a request that an endpoint rejects as too large is sent in parts; a single span that is too large
// is returned and counted.
func TestRefusalForTheSizeIsSplit(t *testing.T) {
	s := newServer(t, status(http.StatusRequestEntityTooLarge), accept, accept)
	e, reported := exporter(t, s.URL)
	sent(t, e.Traces, twoSpans())
	require.Len(t, s.bodies, 3)
	for _, body := range s.bodies[1:] {
		request := ptraceotlp.NewExportRequest()
		require.NoError(t, request.UnmarshalProto(body))
		assert.Equal(t, 1, request.Traces().SpanCount())
	}
	assert.Zero(t, e.Refused())
	assert.Empty(t, *reported)

	s = newServer(t, status(http.StatusRequestEntityTooLarge))
	e, reported = exporter(t, s.URL)
	left, err := e.Traces(t.Context(), twoSpans())
	require.ErrorIs(t, err, ErrRefused)
	assert.Equal(t, 2, left.SpanCount())
	assert.EqualValues(t, 2, e.Refused())
	assert.Len(t, *reported, 1)
}

// TestHurry: the exporter waits for an endpoint that accepts no connection, until Hurry leaves it one more attempt.
func TestHurry(t *testing.T) {
	s := newServer(t)
	s.Close()
	e, _ := exporter(t, s.URL)
	failed := make(chan error, 1)
	go func() {
		_, err := e.Traces(t.Context(), twoSpans())
		failed <- err
	}()
	e.Hurry()
	require.ErrorIs(t, <-failed, ErrUnreachable)
	left, err := e.Logs(t.Context(), oneRecord())
	require.ErrorIs(t, err, ErrUnreachable)
	assert.Equal(t, 1, left.LogRecordCount())
	assert.Zero(t, e.Refused(), "what is left is the caller's")
}

// TestPageIsNoAnswer: a server that answers every request with a web page has accepted nothing.
func TestPageIsNoAnswer(t *testing.T) {
	page := func(body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, err := w.Write([]byte(body))
			assert.NoError(t, err)
		}
	}
	s := newServer(t, page("<!doctype html><title>Log in</title>"), page(""))
	e, reported := exporter(t, s.URL+"?key=secret-of-the-test")
	left, err := e.Traces(t.Context(), twoSpans())
	require.ErrorContains(t, err, "with a web page, so it is no OTLP endpoint")
	assert.NotContains(t, err.Error(), "secret")
	assert.Equal(t, 2, left.SpanCount())
	sent(t, e.Traces, twoSpans()) // an empty answer is valid with any content type
	assert.Zero(t, e.Refused())
	assert.Empty(t, *reported)
}

// TestRedirects checks that headers, which may be secrets, are sent only to the endpoint.
func TestRedirects(t *testing.T) {
	other := newServer(t)
	s := newServer(t, func(w http.ResponseWriter) {
		w.Header().Set("Location", other.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	e, _ := exporter(t, s.URL)
	left, err := e.Traces(t.Context(), twoSpans())
	require.ErrorContains(t, err, "answers 307 Temporary Redirect")
	assert.Equal(t, 2, left.SpanCount())
	assert.Empty(t, other.bodies)
}

func TestPartialSuccess(t *testing.T) {
	answer := ptraceotlp.NewExportResponse()
	answer.PartialSuccess().SetRejectedSpans(1)
	answer.PartialSuccess().SetErrorMessage("too old")
	body, err := answer.MarshalProto()
	require.NoError(t, err)
	s := newServer(t, func(w http.ResponseWriter) { _, _ = w.Write(body) })
	e, reported := exporter(t, s.URL)
	sent(t, e.Traces, twoSpans())
	assert.Zero(t, e.Refused())
	assert.EqualValues(t, 1, e.Rejected())
	assert.Equal(t, []string{"1 of 2 spans were refused: too old"}, *reported)
}

// TestRetryAfter checks that the wait requested by the endpoint is used.
func TestRetryAfter(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	}, accept)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := exporterThat(t, s.URL, func(string) { time.AfterFunc(3*waits.InitialInterval, cancel) }) // after the usual wait
	left, err := e.Traces(ctx, twoSpans())
	require.Error(t, err)
	assert.Equal(t, 2, left.SpanCount())
	assert.Len(t, s.bodies, 1)
}

// TestRetryAfterValues checks that no value leads to a retry without a wait.
func TestRetryAfterValues(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-5": 0, "0": 0, "7": 7 * time.Second,
		"9223372040":                    maxWait, // overflows int64 in nanoseconds
		"99999999999999999999":          maxWait,
		"Sun, 29 Nov 2026 12:00:30 GMT": 30 * time.Second,
		"Sun, 29 Nov 2026 11:00:00 GMT": 0,
		"Sun, 29 Nov 2099 12:00:00 GMT": maxWait,
	} {
		assert.Equal(t, want, retryAfter(value, now), value)
	}
}

// TestContextEnds checks that unsent data does not count as sent.
func TestContextEnds(t *testing.T) {
	s := newServer(t)
	s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reported := 0
	e := exporterThat(t, s.URL, func(string) { reported++; cancel() }) // in the wait after the first attempt
	_, err := e.Logs(ctx, oneRecord())
	require.ErrorContains(t, err, "connection refused")
	assert.NotContains(t, err.Error(), "Post")
	assert.Zero(t, e.Refused())
	assert.Equal(t, 1, reported)
}

const (
	tracesMethod = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
	logsMethod   = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
)

func TestFromEnvironment(t *testing.T) {
	for _, tc := range []struct {
		name, base   string
		env          map[string]string
		traces, logs string
		err          string
	}{
		{name: "nothing"},
		{name: "one for all", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:4318"}, traces: "http://a:4318/v1/traces", logs: "http://a:4318/v1/logs"},
		{name: "with a path", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://a/otlp/"}, traces: "https://a/otlp/v1/traces", logs: "https://a/otlp/v1/logs"},
		{name: "with the path of a signal", base: "http://a/otlp/v1/traces", traces: "http://a/otlp/v1/traces", logs: "http://a/otlp/v1/logs"},
		{name: "with the path of a signal, by variable", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:1/v1/logs/?key=k"}, traces: "http://a:1/v1/traces?key=k", logs: "http://a:1/v1/logs?key=k"},
		{name: "each its own, as it is", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://b/x"}, traces: "http://b/x", logs: "http://a/v1/logs"},
		{name: "logs alone", env: map[string]string{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://b/x"}, logs: "http://b/x"},
		{name: "none", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_TRACES_EXPORTER": "none"}, logs: "http://a/v1/logs"},
		{name: "one of several", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_TRACES_EXPORTER": "console, otlp", "OTEL_LOGS_EXPORTER": "console"}, traces: "http://a/v1/traces"},
		{name: "none, by flag", base: "http://f:1", env: map[string]string{"OTEL_LOGS_EXPORTER": "none"}, traces: "http://f:1/v1/traces"},
		{name: "disabled", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_SDK_DISABLED": "True"}},
		{name: "with a query", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://a/otlp?key=k"}, traces: "https://a/otlp/v1/traces?key=k", logs: "https://a/otlp/v1/logs?key=k"},
		{name: "by flag", base: "http://f:1", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_SDK_DISABLED": "true"}, traces: "http://f:1/v1/traces", logs: "http://f:1/v1/logs"},
		{name: "another protocol", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}, err: `OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or grpc, got "http/json"`},
		{name: "gRPC", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, traces: "http://a:4317" + tracesMethod, logs: "http://a:4317" + logsMethod},
		{name: "gRPC by flag", base: "https://f:1", env: map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, traces: "https://f:1" + tracesMethod, logs: "https://f:1" + logsMethod},
		{name: "gRPC for one signal", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:1", "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL": "grpc"}, traces: "http://a:1/v1/traces", logs: "http://a:1" + logsMethod},
		{name: "gRPC without a scheme", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "a:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, traces: "https://a:4317" + tracesMethod, logs: "https://a:4317" + logsMethod},
		{name: "gRPC without a scheme or TLS", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "a:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_INSECURE": "true"}, traces: "http://a:4317" + tracesMethod, logs: "http://a:4317" + logsMethod},
		{name: "no URL, with a password", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "user:zz-demo@host?token=zz-demo"}, err: `OTEL_EXPORTER_OTLP_ENDPOINT must be a URL of http or https, such as http://localhost:4318, got "...@host"`},
		{name: "no URL, blank in a password", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://user:zz demo@host"}, err: `OTEL_EXPORTER_OTLP_ENDPOINT must be a URL of http or https, such as http://localhost:4318, got "...@host"`},
		{name: "no URL", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "a:4317"}, err: `OTEL_EXPORTER_OTLP_ENDPOINT must be a URL of http or https, such as http://localhost:4318, got "a:4317"`},
		{name: "timeout", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_TIMEOUT": "10s"}, err: `OTEL_EXPORTER_OTLP_TIMEOUT must be milliseconds, got "10s"`},
		{name: "compression", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_COMPRESSION": "zstd"}, err: "must be gzip or none"},
		{name: "headers", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_HEADERS": "made-up-secret"}, err: "OTEL_EXPORTER_OTLP_HEADERS must be key=value pairs"},
		{name: "headers of a signal", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_LOGS_HEADERS": "a=made-up-secret%"}, err: "OTEL_EXPORTER_OTLP_LOGS_HEADERS must be key=value pairs"},
		{name: "a header of two lines", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_HEADERS": "a=made-up-secret%0A"}, err: "must be key=value pairs"},
		{name: "a header with a blank in its name", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_HEADERS": "a b=made-up-secret"}, err: "must be key=value pairs"},
		{name: "by flag, no URL", base: "a:4318", err: `--otlp must be a URL of http or https, such as http://localhost:4318, got "a:4318"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := FromEnvironment(func(key string) string { return tc.env[key] }, tc.base)
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				assert.NotContains(t, err.Error(), "made-up-secret")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tc.traces, got.Traces.URL)
			assert.Equal(t, tc.logs, got.Logs.URL)
			assert.Equal(t, tc.traces == "" && tc.logs == "", got.Empty())
		})
	}
}

func TestOptionsFromEnvironment(t *testing.T) {
	env := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_HEADERS": "a=1, b = two%20words ,", "OTEL_EXPORTER_OTLP_LOGS_HEADERS": "a=2",
		"OTEL_EXPORTER_OTLP_TIMEOUT": "250", "OTEL_EXPORTER_OTLP_LOGS_COMPRESSION": "gzip",
	}
	got, err := FromEnvironment(func(key string) string { return env[key] }, "")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a": "1", "b": "two words"}, got.Traces.Headers)
	assert.Equal(t, map[string]string{"a": "2", "b": "two words"}, got.Logs.Headers)
	assert.Equal(t, 250*time.Millisecond, got.Traces.Timeout)
	assert.False(t, got.Traces.Gzip)
	assert.True(t, got.Logs.Gzip)
}

// TestAddresses: an address is shown without parts that may be a key.
func TestAddresses(t *testing.T) {
	for _, address := range []string{"http://made-up-secret@a:1", "http://user:" + "made-up-secret@a:1", "http://a:1?key=made-up-secret"} {
		got, err := FromEnvironment(func(string) string { return "" }, address)
		require.NoError(t, err)
		assert.Equal(t, []string{"http://a:1/v1/traces", "http://a:1/v1/logs", "http://a:1/v1/metrics"}, got.Addresses())
	}
}

func TestMilliseconds(t *testing.T) {
	for value, want := range map[string]time.Duration{"250": 250 * time.Millisecond, "9223372036854775807": time.Duration(maxMilliseconds) * time.Millisecond, "92233720368547758070": time.Duration(maxMilliseconds) * time.Millisecond} {
		got, err := Milliseconds("V", value)
		require.NoError(t, err)
		assert.Equal(t, want, got, value)
	}
	for _, value := range []string{"0", "-1", "-92233720368547758070", "10s", ""} {
		_, err := Milliseconds("V", value)
		assert.EqualError(t, err, `V must be milliseconds, got "`+value+`"`)
	}
}

// FuzzAnswer: no answer of an endpoint causes a panic.
func FuzzAnswer(f *testing.F) {
	answer := plogotlp.NewExportResponse()
	answer.PartialSuccess().SetRejectedLogRecords(7)
	answer.PartialSuccess().SetErrorMessage("no")
	body, err := answer.MarshalProto()
	require.NoError(f, err)
	f.Add(body)
	f.Add([]byte(strings.Repeat("\xff", 20)))
	f.Add([]byte("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		reason(http.Header{"Content-Type": {"application/x-protobuf"}}, b, new(Endpoint).hide)
		wait, _ := retryInfo(base64.StdEncoding.EncodeToString(b))
		assert.LessOrEqual(t, wait, maxWait)
		partialSuccess(http.Header{"Content-Type": {"application/json"}}, b)
		rejected, message, _ := partialSuccess(nil, b)
		read := plogotlp.NewExportResponse()
		if read.UnmarshalProto(b) == nil && rejected != 0 && message != "" && strings.Count(string(b), "\x0a") == 1 {
			assert.Equal(t, read.PartialSuccess().RejectedLogRecords(), rejected)
		}
	})
}
