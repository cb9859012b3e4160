package trial

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/tools/internal/otlpsink"
	"github.com/tailspan/tailspan/tools/program"
)

// gatewayConfig is a collector whose OTLP/gRPC server accepts 4 MiB, which is its default.
const gatewayConfig = `
receivers: {otlp: {protocols: {grpc: {endpoint: "127.0.0.1:%s"}}}}
exporters: {otlp_http: {endpoint: %s, compression: none, sending_queue: {enabled: false}}}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    traces: {receivers: [otlp], exporters: [otlp_http]}
    logs: {receivers: [otlp], exporters: [otlp_http]}
`

// overGRPCConfig sends to it as docs/delivery.md describes.
const overGRPCConfig = `
receivers: {agent_stream: {max_line_size: 32MiB}}
exporters:
  otlp_grpc:
    endpoint: 127.0.0.1:%s
    tls: {insecure: true}
    sending_queue: {enabled: false}
    retry_on_failure: {enabled: false}
service:
  pipelines:
    traces: {exporters: [otlp_grpc]}
    logs: {exporters: [otlp_grpc]}
`

// TestBatchSize: the lossless configuration loses nothing to the limit of a gRPC server, neither with many texts that wait for
// a time nor with one that is larger than the limit.
func TestBatchSize(t *testing.T) {
	built(t, "TAILSPAN_COLLECTOR")
	for _, tt := range []struct {
		name    string
		stream  func(n, size int) string
		n, size int
	}{
		{"200 texts of 54 KB", claudeTexts, 200, 54_000},
		{"4,000 texts of 2 KB", claudeTexts, 4000, 2000},
		{"2,000 messages of codex exec", codexTexts, 2000, 8000},
		{"one text of 20 MB", claudeTexts, 1, 20_000_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(tt.stream(tt.n, tt.size)), 0o600))
			var mu sync.Mutex
			texts, marked, ended := map[string]int{}, 0, false
			sink := httptest.NewServer(otlpsink.Handler(func(_ *http.Request, b otlpsink.Batch) error {
				mu.Lock()
				defer mu.Unlock()
				for _, record := range b.Records() {
					if record.EventName() == "tailspan.text" {
						texts[record.Body().Str()]++
						if v, ok := record.Attributes().Get(otlp.AttrTruncated); ok && v.Bool() {
							marked++
						}
					}
				}
				for _, span := range b.Spans() {
					ended = ended || strings.HasPrefix(span.Name(), "invoke_agent")
				}
				return nil
			}))
			defer sink.Close()
			port, err := program.FreePort(0)
			require.NoError(t, err)
			gateway := startCollector(t, collectorSetup{config: fmt.Sprintf(gatewayConfig, port, sink.URL)})
			require.Eventually(t, func() bool {
				c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", "127.0.0.1:"+port)
				return err == nil && c.Close() == nil
			}, 30*time.Second, 20*time.Millisecond)
			c := startCollector(t, collectorSetup{
				include: []string{path}, endpoint: sink.URL, store: filepath.Join(t.TempDir(), "store"), more: fmt.Sprintf(overGRPCConfig, port),
			})
			c.ready()
			require.Eventually(t, func() bool {
				mu.Lock()
				defer mu.Unlock()
				return len(texts) >= tt.n && ended
			}, time.Minute, 20*time.Millisecond)
			dropped := c.count("otelcol_receiver_agent_stream_dropped")
			c.end(syscall.SIGTERM)
			gateway.end(syscall.SIGTERM)
			assert.Zero(t, dropped)
			assert.Len(t, texts, tt.n)
			for text, times := range texts {
				assert.Equal(t, 1, times)
				if tt.size < 4<<20 {
					assert.Len(t, text, tt.size)
				} else {
					assert.Greater(t, len(text), 2<<20-2000)
				}
			}
			if tt.size < 4<<20 {
				assert.Zero(t, marked)
			} else {
				assert.Equal(t, 1, marked)
			}
		})
	}
}

// claudeTexts returns a stream of Claude Code without times, with n texts of a size; codexTexts returns the same for codex exec.
func claudeTexts(n, size int) string {
	var b strings.Builder
	b.WriteString(`{"type":"system","subtype":"init","session_id":"s1","uuid":"u0","model":"m"}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"type":"assistant","session_id":"s1","uuid":"u%[1]d","message":{"id":"m%[1]d","role":"assistant","model":"m","content":[{"type":"text","text":"%[2]s"}]}}`+"\n",
			i+1, sizedText(i, size))
	}
	b.WriteString(`{"type":"result","subtype":"success","session_id":"s1","uuid":"end","is_error":false,"duration_ms":1000,"result":"Done."}` + "\n")
	return b.String()
}

func codexTexts(n, size int) string {
	var b strings.Builder
	b.WriteString(`{"type":"thread.started","thread_id":"t1"}` + "\n" + `{"type":"turn.started"}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"type":"item.completed","item":{"id":"item_%d","type":"agent_message","text":"%s"}}`+"\n", i, sizedText(i, size))
	}
	b.WriteString(`{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}` + "\n")
	return b.String()
}

func sizedText(i, size int) string {
	text := fmt.Sprintf("%d ", i)
	return text + strings.Repeat("some words of a text ", size/21+1)[:size-len(text)]
}
