package agentstreamreceiver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/tailspan/tailspan/otlp"
)

// backend keeps what a server accepted.
type backend struct {
	mu       sync.Mutex
	texts    []string
	cut      int // marked records
	spans    []string
	uids     map[string]int
	largest  int // request, in bytes
	refused  int // requests
	requests int
}

func (b *backend) keepLogs(ld plog.Logs) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests++
	if b.uids == nil {
		b.uids = map[string]int{}
	}
	b.largest = max(b.largest, (&plog.ProtoMarshaler{}).LogsSize(ld))
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				b.keep(lr)
			}
		}
	}
}

func (b *backend) keep(lr plog.LogRecord) {
	uid, _ := lr.Attributes().Get(otlp.AttrLogRecordUID)
	b.uids[uid.Str()]++
	if v, ok := lr.Attributes().Get(otlp.AttrTruncated); ok && v.Bool() {
		b.cut++
	}
	if lr.EventName() == "tailspan.text" {
		b.texts = append(b.texts, lr.Body().Str())
	}
}

func (b *backend) keepTraces(td ptrace.Traces) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.largest = max(b.largest, (&ptrace.ProtoMarshaler{}).TracesSize(td))
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				b.spans = append(b.spans, span.Name())
			}
		}
	}
}

// complete reports whether n texts and the span of the run arrived, and fails if anything arrived twice.
func (b *backend) complete(t *testing.T, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for uid, times := range b.uids {
		require.Equal(t, 1, times, "record %s", uid)
	}
	return len(b.texts) >= n && len(b.spans) > 0 && strings.HasPrefix(b.spans[len(b.spans)-1], "invoke_agent")
}

// grpcLogs and grpcTraces are the services of OTLP over gRPC.
type grpcLogs struct {
	plogotlp.UnimplementedGRPCServer
	to *backend
}

func (s *grpcLogs) Export(_ context.Context, r plogotlp.ExportRequest) (plogotlp.ExportResponse, error) {
	s.to.keepLogs(r.Logs())
	return plogotlp.NewExportResponse(), nil
}

type grpcTraces struct {
	ptraceotlp.UnimplementedGRPCServer
	to *backend
}

func (s *grpcTraces) Export(_ context.Context, r ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	s.to.keepTraces(r.Traces())
	return ptraceotlp.NewExportResponse(), nil
}

// exporter sends to a server as the collector's exporters do: an error that is not temporary is permanent.
type exporter struct {
	logs   func(context.Context, plog.Logs) error
	traces func(context.Context, ptrace.Traces) error
}

func (*exporter) Capabilities() consumer.Capabilities { return consumer.Capabilities{} }
func (e *exporter) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	return e.logs(ctx, ld)
}
func (e *exporter) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	return e.traces(ctx, td)
}

// overGRPC starts a server that accepts messages up to limit; 0: gRPC's own limit of 4 MiB.
func overGRPC(t *testing.T, limit int) (*exporter, *backend) {
	t.Helper()
	var options []grpc.ServerOption
	if limit > 0 {
		options = append(options, grpc.MaxRecvMsgSize(limit))
	}
	b, server := &backend{}, grpc.NewServer(options...)
	plogotlp.RegisterGRPCServer(server, &grpcLogs{to: b})
	ptraceotlp.RegisterGRPCServer(server, &grpcTraces{to: b})
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, connection.Close())
		server.Stop()
		assert.NoError(t, <-done)
	})
	final := func(err error) error {
		if c := status.Code(err); c == codes.OK || c == codes.Unavailable || c == codes.OutOfRange {
			return err
		}
		b.mu.Lock()
		b.refused++
		b.mu.Unlock()
		return fmt.Errorf("export: %w", consumererror.NewPermanent(err))
	}
	logs, traces := plogotlp.NewGRPCClient(connection), ptraceotlp.NewGRPCClient(connection)
	return &exporter{
		logs: func(ctx context.Context, ld plog.Logs) error {
			_, err := logs.Export(ctx, plogotlp.NewExportRequestFromLogs(ld))
			return final(err)
		},
		traces: func(ctx context.Context, td ptrace.Traces) error {
			_, err := traces.Export(ctx, ptraceotlp.NewExportRequestFromTraces(td))
			return final(err)
		},
	}, b
}

// overHTTP starts a server that answers 413 to bodies over limit.
func overHTTP(t *testing.T, limit int64) (*exporter, *backend) {
	t.Helper()
	b := &backend{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if r.URL.Path == "/v1/logs" {
			req := plogotlp.NewExportRequest()
			assert.NoError(t, req.UnmarshalProto(body))
			b.keepLogs(req.Logs())
			return
		}
		req := ptraceotlp.NewExportRequest()
		assert.NoError(t, req.UnmarshalProto(body))
		b.keepTraces(req.Traces())
	}))
	t.Cleanup(server.Close)
	post := func(ctx context.Context, path string, body []byte, err error) error {
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		answer, err := server.Client().Do(req)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return nil
		}
		b.mu.Lock()
		b.refused++
		b.mu.Unlock()
		return consumererror.NewPermanent(fmt.Errorf("request to %s responded with HTTP Status Code %d", server.URL, answer.StatusCode))
	}
	return &exporter{
		logs: func(ctx context.Context, ld plog.Logs) error {
			body, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
			return post(ctx, "/v1/logs", body, err)
		},
		traces: func(ctx context.Context, td ptrace.Traces) error {
			body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
			return post(ctx, "/v1/traces", body, err)
		},
	}, b
}

// claudeStream is a stream without times, with n texts of a size; codexStream, the same for codex exec.
func claudeStream(n, size int) string {
	var b strings.Builder
	b.WriteString(`{"type":"system","subtype":"init","session_id":"s1","uuid":"u0","model":"m"}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"type":"assistant","session_id":"s1","uuid":"u%d","message":{"id":"m%d","role":"assistant","model":"m","content":[{"type":"text","text":"%s"}]}}`+"\n",
			i+1, i+1, textOf(i, size))
	}
	b.WriteString(`{"type":"result","subtype":"success","session_id":"s1","uuid":"end","is_error":false,"duration_ms":1000,"result":"Done."}` + "\n")
	return b.String()
}

func codexStream(n, size int) string {
	var b strings.Builder
	b.WriteString(`{"type":"thread.started","thread_id":"t1"}` + "\n" + `{"type":"turn.started"}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"type":"item.completed","item":{"id":"item_%d","type":"agent_message","text":"%s"}}`+"\n", i, textOf(i, size))
	}
	b.WriteString(`{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}` + "\n")
	return b.String()
}

func textOf(i, size int) string {
	text := fmt.Sprintf("%d ", i)
	return text + strings.Repeat("lorem ipsum ", size/12) + strings.Repeat("x", max(0, size-len(text)-size/12*12))
}

// TestBatchSize: servers with a limit receive everything, each element once and whole, and no request is larger than
// max_batch_size.
func TestBatchSize(t *testing.T) {
	for _, tt := range []struct {
		name   string
		stream func(n, size int) string
		n      int
		size   int
		limit  int // of the server; 0: the default of gRPC, 4 MiB
		http   bool
		splits bool
	}{
		{name: "200 texts of 54 KB", stream: claudeStream, n: 200, size: 54_000},
		{name: "4,000 texts of 2 KB", stream: claudeStream, n: 4000, size: 2000},
		{name: "2,000 messages of codex exec", stream: codexStream, n: 2000, size: 4000},
		{name: "a server of gRPC that takes 1 MiB", stream: claudeStream, n: 100, size: 15_000, limit: 1 << 20, splits: true},
		{name: "a server of HTTP that takes 100 kB", stream: claudeStream, n: 200, size: 5000, limit: 100_000, http: true, splits: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			appendTo(t, path, tt.stream(tt.n, tt.size))
			next, b := overGRPC(t, tt.limit)
			if tt.http {
				next, b = overHTTP(t, int64(tt.limit))
			}
			r := startWith(t, nil, configFor(path), next, next)
			require.Eventually(t, func() bool { return b.complete(t, tt.n) }, wait, tick)
			r.stop()
			require.Len(t, b.texts, tt.n)
			for i, text := range b.texts {
				require.Equal(t, textOf(i, tt.size), text)
			}
			assert.LessOrEqual(t, b.largest, 2<<20)
			assert.Zero(t, b.cut)
			assert.Equal(t, tt.splits, b.refused > 0)
			assert.Equal(t, tt.splits, r.metric("otelcol_receiver_agent_stream_splits", "", "") > 0)
			assert.Zero(t, r.metric("otelcol_receiver_agent_stream_dropped", "", ""))
			assert.Zero(t, r.metric("otelcol_receiver_agent_stream_retries", "", ""))
			assert.Equal(t, tt.splits, r.logged.FilterMessageSnippet("refused batch for its size").Len() == 1, "logged once")
		})
	}
}

// TestOversizedText: a text of 20 MB is cut and marked, its neighbors are whole.
func TestOversizedText(t *testing.T) {
	const size = 20_000_000
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendTo(t, path, strings.Replace(claudeStream(3, 10), textOf(1, 10), textOf(1, size), 1))
	cfg := configFor(path)
	cfg.Stream.MaxLineSize = 32 << 20
	next, b := overGRPC(t, 0)
	r := startWith(t, nil, cfg, next, next)
	require.Eventually(t, func() bool { return b.complete(t, 3) }, wait, tick)
	r.stop()
	require.Len(t, b.texts, 3)
	assert.Equal(t, []string{textOf(0, 10), textOf(2, 10)}, []string{b.texts[0], b.texts[2]})
	assert.True(t, strings.HasPrefix(textOf(1, size), b.texts[1]))
	assert.Greater(t, len(b.texts[1]), 2<<20-1000)
	assert.Equal(t, 1, b.cut)
	assert.EqualValues(t, 1, r.metric("otelcol_receiver_agent_stream_truncated", "signal", "logs"))
	assert.Zero(t, r.metric("otelcol_receiver_agent_stream_dropped", "", ""))
}

// errNeverSmall refuses everything for its size.
var errNeverSmall = consumererror.NewPermanent(errors.New("responded with HTTP Status Code 413"))

// TestTooLargeForGood: elements refused although they can't be smaller are dropped and counted, one by one, and later ones are
// offered.
func TestTooLargeForGood(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	appendTo(t, path, assistant("1", "One.")+assistant("2", "Two."))
	next := &refuser{refuse: 1 << 20, refusal: errNeverSmall}
	r := start(t, configFor(path), next)
	const dropped = "otelcol_receiver_agent_stream_dropped"
	require.Eventually(t, func() bool { return r.metric(dropped, "reason", "too_large") == 2 }, wait, tick)
	assert.Zero(t, r.metric(dropped, "reason", "refused"))
	next.mu.Lock()
	next.refuse = 0
	next.mu.Unlock()
	appendTo(t, path, assistant("3", "Three."))
	require.Eventually(t, func() bool { return next.LogRecordCount() == 1 }, wait, tick)
}

// TestOnPermanentErrorRetry: with retry nothing is dropped, whatever the refusal, and everything arrives once.
func TestOnPermanentErrorRetry(t *testing.T) {
	for name, refusal := range map[string]error{
		"invalid": consumererror.NewPermanent(errors.New("responded with HTTP Status Code 400")), "too large": errNeverSmall,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			appendTo(t, path, assistant("1", "One.")+assistant("2", "Two."))
			cfg := configFor(path)
			cfg.Delivery.OnPermanentError = "retry"
			next := &refuser{refuse: 25, refusal: refusal}
			r := start(t, cfg, next)
			require.Eventually(t, func() bool { return next.LogRecordCount() == 2 }, wait, tick)
			assert.Zero(t, r.metric("otelcol_receiver_agent_stream_dropped", "", ""))
			assert.Positive(t, r.metric("otelcol_receiver_agent_stream_retries", "signal", "logs"))
			r.stop()
			assert.Equal(t, 3, next.LogRecordCount(), "and the record of the run's end")
		})
	}
}

// TestPartsAreAcknowledgedTogether: while one part of a batch waits, the offset does not move, so after a collector that stops
// then, all of the batch is exported again, with the same IDs.
func TestPartsAreAcknowledgedTogether(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	appendTo(t, path, claudeStream(40, 100))
	host := newMachine()
	cfg := stored(path)
	cfg.Delivery.MaxBatchSize = 4000
	var first sync.Map
	took := 0
	stuck := make(chan struct{})
	var once sync.Once
	half := &exporter{
		traces: func(context.Context, ptrace.Traces) error { return nil },
		logs: func(_ context.Context, ld plog.Logs) error {
			if took++; took > 2 {
				once.Do(func() { close(stuck) })
				return errors.New("later")
			}
			eachUID(ld, func(uid string) { first.Store(uid, true) })
			return nil
		},
	}
	r := startWith(t, host, cfg, half, half)
	<-stuck
	r.stopAnyhow()

	again := &exporter{traces: half.traces}
	var mu sync.Mutex
	second := map[string]bool{}
	again.logs = func(_ context.Context, ld plog.Logs) error {
		mu.Lock()
		defer mu.Unlock()
		eachUID(ld, func(uid string) { second[uid] = true })
		return nil
	}
	r = startWith(t, host, cfg, again, again)
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(second) >= 42
	}, wait, tick)
	r.stop()
	n := 0
	first.Range(func(uid, _ any) bool {
		n++
		assert.True(t, second[uid.(string)], "record %s comes again", uid)
		return true
	})
	assert.Positive(t, n)
}

func eachUID(ld plog.Logs, f func(string)) {
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				uid, _ := lr.Attributes().Get(otlp.AttrLogRecordUID)
				if uid.Type() == pcommon.ValueTypeStr {
					f(uid.Str())
				}
			}
		}
	}
}
