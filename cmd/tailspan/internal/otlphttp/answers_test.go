package otlphttp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
)

// answering is a server without TLS for both versions of HTTP. It gives the answers in order and repeats the last one.
func answering(t *testing.T, answers ...http.HandlerFunc) (address string, requests *atomic.Int64) {
	t.Helper()
	requests = new(atomic.Int64)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(requests.Add(1))
		answers[min(n, len(answers))-1](w, r)
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	return server.URL, requests
}

// grpcStatus answers with a gRPC status and further trailers, in pairs.
func grpcStatus(code string, more ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set(http.TrailerPrefix+"Grpc-Status", code)
		for i := 0; i < len(more); i += 2 {
			w.Header().Set(http.TrailerPrefix+more[i], more[i+1])
		}
	}
}

// TestGRPCBrokenAnswer: a connection that breaks before the status says nothing about the data, which is sent again.
func TestGRPCBrokenAnswer(t *testing.T) {
	address, requests := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		w.WriteHeader(http.StatusOK)
		assert.NoError(t, http.NewResponseController(w).Flush())
		panic(http.ErrAbortHandler) // RST_STREAM
	}, grpcStatus("0"))
	e, reported := overGRPC(t, address, nil)
	_, err := e.Traces(t.Context(), spans(2))
	require.NoError(t, err)
	assert.EqualValues(t, 2, requests.Load())
	assert.Zero(t, e.Refused())
	assert.Len(t, *reported, 2)
}

// retryInfo returns the details of a status with a RetryInfo of at most 127 seconds.
func retryInfo(seconds byte) string {
	const name = "type.googleapis.com/google.rpc.RetryInfo"
	info := string([]byte{0x0a, 2, 0x08, seconds})
	detail := "\x0a" + string(rune(len(name))) + name + "\x12" + string(rune(len(info))) + info
	return base64.RawStdEncoding.EncodeToString([]byte("\x08\x08\x1a" + string(rune(len(detail))) + detail))
}

// TestGRPCRetryInfo checks that the wait requested by the endpoint is used.
func TestGRPCRetryInfo(t *testing.T) {
	address, requests := answering(t, grpcStatus("8", "Grpc-Message", "slow down", "Grpc-Status-Details-Bin", retryInfo(100)), grpcStatus("0"))
	endpoints, err := otlphttp.FromEnvironment(func(name string) string {
		return map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}[name]
	}, address)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := otlphttp.New(otlphttp.Settings{Endpoints: endpoints, Report: func(string) { time.AfterFunc(time.Second, cancel) }}) // after some attempts
	t.Cleanup(e.Close)
	left, err := e.Traces(ctx, spans(2))
	require.ErrorContains(t, err, "answers with gRPC status 8: slow down")
	assert.Equal(t, 2, left.SpanCount())
	assert.EqualValues(t, 1, requests.Load())
}

// TestGRPCExhausted: a server that says with a RetryInfo that it recovers gets the request again, even if it names no wait.
func TestGRPCExhausted(t *testing.T) {
	address, requests := answering(t, grpcStatus("8", "Grpc-Message", "slow down", "Grpc-Status-Details-Bin", retryInfo(0)), grpcStatus("0"))
	e, _ := overGRPC(t, address, nil)
	_, err := e.Traces(t.Context(), spans(2))
	require.NoError(t, err)
	assert.EqualValues(t, 2, requests.Load())
	assert.Zero(t, e.Refused())
}

// overHTTP returns an exporter for an address.
func overHTTP(t *testing.T, address string) (*otlphttp.Exporter, *[]string) {
	t.Helper()
	return overGRPC(t, address, map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"})
}

// TestMetricsAreSplit: metrics that an endpoint rejects as too large are sent in parts, as spans are.
func TestMetricsAreSplit(t *testing.T) {
	tooLarge := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) }
	address, requests := answering(t, tooLarge, func(http.ResponseWriter, *http.Request) {})
	e, reported := overHTTP(t, address)
	md := pmetric.NewMetrics()
	points := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptySum().DataPoints()
	points.AppendEmpty()
	points.AppendEmpty()
	left, err := e.Metrics(t.Context(), md)
	require.NoError(t, err)
	assert.Zero(t, left.DataPointCount())
	assert.EqualValues(t, 3, requests.Load(), "whole, and each half")
	assert.Zero(t, e.Refused())
	assert.Empty(t, *reported)
}

// TestRefusalOfTheCollector: the otlp receiver 0.165 rejects a request for its size with status 400.
func TestRefusalOfTheCollector(t *testing.T) {
	address, requests := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "http: request body too large", http.StatusBadRequest)
	}, func(http.ResponseWriter, *http.Request) {})
	e, _ := overHTTP(t, address)
	_, err := e.Traces(t.Context(), spans(2))
	require.NoError(t, err)
	assert.EqualValues(t, 3, requests.Load())
	assert.Zero(t, e.Refused())
}

// TestReasons checks that a rejection is reported with the server's reason, in each of its forms.
func TestReasons(t *testing.T) {
	const message = "the key is not known"
	for _, tc := range []struct{ kind, body, want string }{
		{"application/x-protobuf", "\x08\x10\x12" + string(rune(len(message))) + message, ": " + message},
		{"application/json; charset=utf-8", `{"code":16,"message":"` + message + `"}`, ": " + message},
		{"text/plain", message + "\nmore of it\n", ": " + message},
		{"text/plain", strings.Repeat("é", 200), ": " + strings.Repeat("é", 100)},
		{"text/html", "<html>Forbidden</html>", ""},
		{"application/x-protobuf", "\xff\xff", ""},
		{"", "", ""},
	} {
		address, _ := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", tc.kind)
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(tc.body)) // the client may have disconnected
		})
		e, reported := overHTTP(t, address)
		left, err := e.Traces(t.Context(), spans(1))
		require.ErrorIs(t, err, otlphttp.ErrRefused)
		assert.Equal(t, 1, left.SpanCount())
		assert.Equal(t, []string{"spans were refused: " + address + "/v1/traces answers 400 Bad Request" + tc.want}, *reported)
	}
}

// TestAdvice: an endpoint may accept everything and return a warning (opentelemetry-proto 1.8, "Partial Success"). It cannot
// reject more than it received.
func TestAdvice(t *testing.T) {
	for _, tc := range []struct {
		says     int64
		rejected int64
		want     string
	}{
		{0, 0, "/v1/traces accepts spans and says: use gzip"},
		{-1, 0, "/v1/traces accepts spans and says: use gzip"},
		{1 << 62, 2, "2 of 2 spans were refused: use gzip"},
	} {
		answer := ptraceotlp.NewExportResponse()
		answer.PartialSuccess().SetRejectedSpans(tc.says)
		answer.PartialSuccess().SetErrorMessage("use gzip")
		body, err := answer.MarshalProto()
		require.NoError(t, err)
		address, _ := answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
		e, reported := overHTTP(t, address)
		for range 2 {
			_, err = e.Traces(t.Context(), spans(2))
			require.NoError(t, err)
		}
		assert.Equal(t, 2*tc.rejected, e.Rejected())
		require.Len(t, *reported, 1, "once")
		assert.True(t, strings.HasSuffix((*reported)[0], tc.want), (*reported)[0])
	}
}

// TestForeignAnswers: a server that accepts everything with an answer that is not OTLP may be no OTLP endpoint, so it is reported
// once, also by a probe. An answer in JSON or without a body is one of lenient endpoints.
func TestForeignAnswers(t *testing.T) {
	const instead = " instead of an OTLP response: if it is no OTLP endpoint, what it gets is lost"
	for _, tc := range []struct{ name, kind, body, want string }{
		{"text", "text/plain; charset=utf-8", "ok", "text/plain" + instead},
		{"another JSON", "application/json", `{"error":"no such route"}`, "application/json" + instead},
		{"a list", "application/json", `[]`, "application/json" + instead},
		{"not what it claims", "application/x-protobuf", "garbage", "application/x-protobuf" + instead},
		{"no type", "", "\x00\x01", "something" + instead},
		{"an image", "image/png", "\x89PNG\r\n", "image/png" + instead},
		{"nothing", "text/plain", "\n", ""},
		{"JSON", "application/json", `{}`, ""},
		{"JSON without rejections", "application/json", `{"partialSuccess":{}}`, ""},
		{"protobuf of another type", "text/plain", "\x0a\x00", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			address, _ := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{tc.kind}
				_, _ = w.Write([]byte(tc.body)) // the client may have disconnected
			})
			e, reported := overHTTP(t, address)
			beside := e.Beside()
			t.Cleanup(beside.Close)
			_, err := e.Traces(t.Context(), spans(2))
			require.NoError(t, err)
			assert.True(t, beside.OfferMetrics(t.Context(), onePoint()))
			sent, _, _ := e.Sent()
			assert.Equal(t, 2, sent)
			_, err = e.Probe(t.Context())
			if tc.want == "" {
				assert.Empty(t, *reported)
				assert.NoError(t, err)
				return
			}
			want := address + "/v1/traces answers 200 OK with " + tc.want
			assert.Equal(t, []string{want}, *reported)
			assert.EqualError(t, err, want)
		})
	}
}

// TestAnswerInJSON: what an endpoint rejects is counted, also if it answers in JSON.
func TestAnswerInJSON(t *testing.T) {
	for number, want := range map[string]int64{`"1"`: 1, `1`: 1, `1000000`: 2} {
		address, _ := answering(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"partialSuccess":{"rejectedSpans":` + number + `,"errorMessage":"too old"}}`)) // the client may have disconnected
		})
		e, reported := overHTTP(t, address)
		_, err := e.Traces(t.Context(), spans(2))
		require.NoError(t, err)
		assert.Equal(t, want, e.Rejected())
		assert.Equal(t, []string{fmt.Sprintf("%d of 2 spans were refused: too old", want)}, *reported)
	}
}

// TestGRPCAtAnotherService: a server that answers a call of gRPC as a web server does accepts nothing, and its answer does not
// concern the data.
func TestGRPCAtAnotherService(t *testing.T) {
	address, _ := answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	e, _ := overGRPC(t, address, nil)
	left, err := e.Traces(t.Context(), spans(2))
	require.ErrorContains(t, err, "answers 200 OK without a status of gRPC")
	require.NotErrorIs(t, err, otlphttp.ErrRefused)
	assert.Equal(t, 2, left.SpanCount())
	assert.Zero(t, e.Refused())
}

// TestAnswersShowNoKey checks that no message has a key or a password that the endpoint quotes; other headers stay readable.
func TestAnswersShowNoKey(t *testing.T) {
	const tenant = "X-Scope-OrgID=production"
	quote := func(r *http.Request) string {
		return fmt.Sprintf("%s %s x%q %q", strings.Repeat("x", 150), r.Header.Get("X-Scope-Orgid"), r.Header.Get("Authorization"), r.Header.Get("X-Api-Key")+r.Header.Get("X-Honeycomb-Team"))
	}
	answer := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(code)
			_, err := w.Write([]byte(quote(r)))
			assert.NoError(t, err)
		}
	}
	for _, tc := range []struct {
		name, user, headers string
		grpc                bool
		answer              http.HandlerFunc
	}{
		{name: "refused", headers: "authorization=Bearer%20key-of-the-test,x-api-key=key-of-another", answer: answer(http.StatusUnauthorized)},
		{name: "refused data", headers: "authorization=Bearer%20key-of-the-test,x-honeycomb-team=key-of-another", answer: answer(http.StatusBadRequest)},
		{name: "password", user: "me:key-of-the-test@", answer: answer(http.StatusBadRequest)},
		{name: "partial success", headers: "authorization=key-of-the-test", answer: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			assert.NoError(t, json.NewEncoder(w).Encode(map[string]any{"partialSuccess": map[string]any{"rejectedSpans": 1, "errorMessage": quote(r)}}))
		}},
		{name: "gRPC", headers: "authorization=Bearer%20key-of-the-test", grpc: true, answer: func(w http.ResponseWriter, r *http.Request) {
			grpcStatus("16", "Grpc-Message", quote(r))(w, r)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			address, _ := answering(t, tc.answer)
			more := map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": tenant + "," + tc.headers}
			if !tc.grpc {
				more["OTEL_EXPORTER_OTLP_PROTOCOL"] = "http/protobuf"
			}
			e, reported := overGRPC(t, strings.Replace(address, "http://", "http://"+tc.user, 1), more)
			_, err := e.Traces(t.Context(), spans(2))
			shown := fmt.Sprint(*reported, err)
			assert.Contains(t, shown, "xxx production")
			assert.NotContains(t, shown, "key-of")
			assert.NotContains(t, shown, base64.StdEncoding.EncodeToString([]byte("me:key-of-the-test")))
		})
	}
}
