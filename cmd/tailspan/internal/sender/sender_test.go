package sender_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/sender"
	"github.com/tailspan/tailspan/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// endpoint accepts everything, or responds with a status; got holds the paths of its requests.
type endpoint struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func newEndpoint(t *testing.T, status int) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		assert.NoError(t, err)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.got = append(e.got, r.URL.Path)
		w.WriteHeader(status)
	}))
	t.Cleanup(e.Close)
	return e
}

// send sends files with the given contents, named a, b and so on.
func send(t *testing.T, to *endpoint, contents ...string) (stderr string, err error) {
	t.Helper()
	var names []string
	for i, content := range contents {
		names = append(names, filepath.Join(t.TempDir(), string(rune('a'+i))+".jsonl"))
		require.NoError(t, os.WriteFile(names[i], []byte(content), 0o600))
	}
	endpoints, err := otlphttp.FromEnvironment(func(string) string { return "" }, to.URL)
	require.NoError(t, err)
	var out bytes.Buffer
	err = sender.Send(t.Context(), sender.Settings{
		Stream: options.Stream{Provider: "auto", MaxLine: 1 << 20, Container: config.ContainerAuto}, Endpoints: endpoints,
		UserAgent: "test/1", Timeout: 300 * time.Millisecond, Stderr: &out,
	}, names)
	return out.String(), err
}

// OTLP JSON requests with one span and with one data point.
func requests(t *testing.T) (span, point string) {
	t.Helper()
	td := ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName("one")
	traces, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	md := pmetric.NewMetrics()
	md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().SetEmptySum().DataPoints().AppendEmpty().SetIntValue(1)
	metrics, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
	require.NoError(t, err)
	return string(traces) + "\n", string(metrics) + "\n"
}

func gzipped(t *testing.T, content string) string {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return packed.String()
}

func zstded(t *testing.T, content string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	defer w.Close()
	return string(w.EncodeAll([]byte(content), nil))
}

// TestSend checks what is sent of files, and what the error reports about the rest.
func TestSend(t *testing.T) {
	span, point := requests(t)
	for _, tc := range []struct {
		name     string
		status   int
		contents []string
		got      []string
		reported string
		err      []string
	}{
		{"kept file", 200, []string{span + "\n" + point}, []string{"/v1/traces", "/v1/metrics"}, "sent 1 span and 0 log records of 1 file\n", nil},
		{"kept file with gzip", 200, []string{gzipped(t, span+point)}, []string{"/v1/traces", "/v1/metrics"}, "sent 1 span and 0 log records of 1 file\n", nil},
		{"kept file with a broken gzip", 200, []string{gzipped(t, strings.Repeat(span, 1000))[:60]}, nil, "", []string{`read "`, "unpack ", "a.jsonl", "it is cut short"}},
		{"kept file with zstd", 200, []string{zstded(t, span+point)}, []string{"/v1/traces", "/v1/metrics"}, "sent 1 span and 0 log records of 1 file\n", nil},
		{"without a last newline", 200, []string{strings.TrimSpace(span)}, []string{"/v1/traces"}, "sent 1 span", nil},
		{"a broken file before a whole one", 200, []string{span + "{}\n" + span, span}, []string{"/v1/traces", "/v1/traces"}, "sent 2 spans", []string{`read "`, `a.jsonl": line 2: not OTLP JSON`}},
		{"not accepted", 503, []string{span, span}, []string{"/v1/traces"}, "sending traces fails, retrying: ", []string{`send "`, `a.jsonl": line 1: not everything was sent: `, "answers 503 Service Unavailable"}},
		{"a wrong key", 401, []string{span, span}, []string{"/v1/traces"}, "", []string{`a.jsonl": line 1: not everything was sent: `, "answers 401 Unauthorized"}},
		{"refused", 400, []string{span + point}, []string{"/v1/traces", "/v1/metrics"}, "metric points were refused: ", []string{"2 spans, log records or metric points were refused; the files are unchanged and still have them"}},
		{"no known format", 200, []string{"words\n"}, nil, "skipped 1 line of no known format; --provider names it\n", nil},
		{"empty", 200, []string{""}, nil, "sent 0 spans and 0 log records of 1 file\n", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			to := newEndpoint(t, tc.status)
			reported, err := send(t, to, tc.contents...)
			if len(tc.got) == 0 {
				assert.Empty(t, to.got)
			} else {
				require.GreaterOrEqual(t, len(to.got), len(tc.got), to.got) // failed requests are retried
				assert.Equal(t, tc.got, to.got[:len(tc.got)])
			}
			assert.Contains(t, reported, tc.reported)
			if tc.err == nil {
				require.NoError(t, err)
			}
			for _, want := range tc.err {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

// TestSendOfALongLine: a line too long for memory is an error.
func TestSendOfALongLine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "kept.jsonl")
	require.NoError(t, os.WriteFile(name, []byte(`{"resourceSpans":[`), 0o600))
	require.NoError(t, os.Truncate(name, 129<<20)) // sparse
	to := newEndpoint(t, 200)
	endpoints, err := otlphttp.FromEnvironment(func(string) string { return "" }, to.URL)
	require.NoError(t, err)
	err = sender.Send(t.Context(), sender.Settings{Endpoints: endpoints, Timeout: time.Second, Stderr: io.Discard}, []string{name})
	assert.EqualError(t, err, `read "`+name+`": 1 line longer than 128MiB, not sent`)
	assert.Empty(t, to.got)
}
