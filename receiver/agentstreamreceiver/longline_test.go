package agentstreamreceiver_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/otlp"
)

// TestLinesOverTheLimit checks that a call and a result on lines over max_line_size yield the call's span, which ends as
// truncated and not failed, and that a text on such a line is marked, whatever wrote the lines to the disk.
func TestLinesOverTheLimit(t *testing.T) {
	const limit = 1 << 17
	long := strings.Repeat("A", 3*limit)
	line := func(format string, a ...any) []byte { return append(fmt.Appendf(nil, format, a...), '\n') }
	lines := [][]byte{
		line(`{"type":"system","subtype":"init","session_id":"s","tools":[],"model":"m"}`),
		line(`{"type":"assistant","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"%s"}]},"session_id":"s","uuid":"u1"}`, long),
		line(`{"type":"assistant","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c1","name":"Write","input":{"content":"%s","file_path":"/srv/app/x"}}]},"session_id":"s","uuid":"u2"}`, long),
		line(`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"%s","tool_use_id":"c1"}]},"session_id":"s","uuid":"u3","tool_use_result":{"stdout":"%s"}}`, long, long),
		line(`{"type":"assistant","message":{"id":"m2","role":"assistant","model":"m","content":[{"type":"text","text":"fine"}]},"session_id":"s","uuid":"u4"}`),
		line(`{"type":"result","subtype":"success","is_error":false,"num_turns":2,"session_id":"s","uuid":"u5"}`),
	}
	for name, frame := range map[string]func([]byte, time.Time) [][]byte{
		"files": func(line []byte, _ time.Time) [][]byte { return [][]byte{line} }, "cri": framings["cri"], "docker": framings["docker"],
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.jsonl")
			for _, line := range lines {
				appendLines(t, path, bytes.Join(frame(line, time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)), nil))
			}
			cfg := configFor(path)
			cfg.Stream.MaxLineSize = limit
			r := start(t, cfg, nil)
			require.Eventually(t, func() bool { return spansOf(r, "invoke_agent claude-code") == 1 }, wait, tick)
			r.stop()
			require.Equal(t, 1, spansOf(r, "execute_tool Write"), r.spanNames())
			for _, span := range r.spans() {
				assert.NotEqual(t, ptrace.StatusCodeError, span.Status().Code(), span.Name())
				if span.Name() != "execute_tool Write" {
					continue
				}
				reason, _ := span.Attributes().Get(otlp.AttrCloseReason)
				assert.Equal(t, "truncated", reason.AsString())
				target, _ := span.Attributes().Get(otlp.AttrToolTarget)
				assert.Equal(t, "/srv/app/x", target.AsString(), "behind the long argument")
			}
			texts := r.texts()
			require.Len(t, texts, 2)
			assert.True(t, strings.HasPrefix(texts[0], "AAA") && strings.HasSuffix(texts[0], "A…"), "%d bytes", len(texts[0]))
			marked := 0
			for _, record := range r.records() {
				if _, ok := record.Attributes().Get(otlp.AttrTruncated); ok {
					marked++
				}
			}
			assert.GreaterOrEqual(t, marked, 3, "text, call and result")
			assert.EqualValues(t, 3, r.metric("otelcol_receiver_agent_stream_lines_not_parsed", "reason", "too_long"))
			assert.Zero(t, r.metric("otelcol_receiver_agent_stream_anomalies", "reason", "no_result"))
		})
	}
}
