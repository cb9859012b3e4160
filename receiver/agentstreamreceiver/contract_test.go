package agentstreamreceiver_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// markElements gives every element the ID that the contract checker looks for, from what the generator wrote.
func markElements(td ptrace.Traces, ld plog.Logs) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				operation, _ := span.Attributes().Get(otlp.AttrGenAIOperationName)
				conversation, _ := span.Attributes().Get(otlp.AttrGenAIConversationID)
				span.Attributes().PutStr(receivertest.UniqueIDAttrName, operation.AsString()+" "+conversation.AsString())
			}
		}
	}
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				conversation, _ := lr.Attributes().Get(otlp.AttrGenAIConversationID)
				lr.Attributes().PutStr(receivertest.UniqueIDAttrName, lr.EventName()+" "+conversation.AsString())
			}
		}
	}
}

// markingFactory creates receivers whose consumers receive marked elements.
func markingFactory() receiver.Factory {
	f := agentstreamreceiver.NewFactory()
	return receiver.NewFactory(f.Type(), f.CreateDefaultConfig,
		receiver.WithTraces(func(ctx context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
			marking, err := consumer.NewTraces(func(ctx context.Context, td ptrace.Traces) error {
				markElements(td, plog.NewLogs())
				return next.ConsumeTraces(ctx, td)
			})
			if err != nil {
				return nil, err
			}
			return f.CreateTraces(ctx, set, cfg, marking)
		}, f.TracesStability()),
		receiver.WithLogs(func(ctx context.Context, set receiver.Settings, cfg component.Config, next consumer.Logs) (receiver.Logs, error) {
			marking, err := consumer.NewLogs(func(ctx context.Context, ld plog.Logs) error {
				markElements(ptrace.NewTraces(), ld)
				return next.ConsumeLogs(ctx, ld)
			})
			if err != nil {
				return nil, err
			}
			return f.CreateLogs(ctx, set, cfg, marking)
		}, f.LogsStability()))
}

// sessionWriter writes a small session file at each call and knows what must be exported for it.
type sessionWriter struct {
	t      *testing.T
	dir    string
	prefix string
	expect func(id string) []receivertest.UniqueIDAttrVal
	round  int
	count  atomic.Int64
}

func (w *sessionWriter) Start() { w.round++ }
func (w *sessionWriter) Stop()  {}

func (w *sessionWriter) Generate() []receivertest.UniqueIDAttrVal {
	id := fmt.Sprintf("%s-%d-%d", w.prefix, w.round, w.count.Add(1))
	lines := fmt.Sprintf(`{"type":"system","subtype":"init","session_id":%[1]q,"uuid":"i-%[1]s"}
{"type":"assistant","message":{"id":"msg_%[1]s","role":"assistant","model":"m","content":[{"type":"text","text":"hello"}]},"session_id":%[1]q,"uuid":"t-%[1]s","timestamp":"2026-11-27T20:00:00.000Z"}
{"type":"result","subtype":"success","is_error":false,"result":"hello","session_id":%[1]q,"uuid":"r-%[1]s"}
`, id)
	// Written elsewhere and renamed, so that a session appears whole.
	part := filepath.Join(w.dir, id+".part")
	assert.NoError(w.t, os.WriteFile(part, []byte(lines), 0o600))
	assert.NoError(w.t, os.Rename(part, filepath.Join(w.dir, id+".jsonl")))
	return w.expect(id)
}

func TestConsumeContract(t *testing.T) {
	for _, tt := range []struct {
		signal pipeline.Signal
		expect func(id string) []receivertest.UniqueIDAttrVal
	}{
		{pipeline.SignalTraces, func(id string) []receivertest.UniqueIDAttrVal {
			return []receivertest.UniqueIDAttrVal{
				receivertest.UniqueIDAttrVal("chat " + id), receivertest.UniqueIDAttrVal("invoke_agent " + id),
			}
		}},
		{pipeline.SignalLogs, func(id string) []receivertest.UniqueIDAttrVal {
			return []receivertest.UniqueIDAttrVal{
				receivertest.UniqueIDAttrVal("tailspan.session_start " + id), receivertest.UniqueIDAttrVal("tailspan.text " + id),
				receivertest.UniqueIDAttrVal("tailspan.session_end " + id),
			}
		}},
	} {
		t.Run(tt.signal.String(), func(t *testing.T) {
			dir := t.TempDir()
			cfg := agentstreamreceiver.NewFactory().CreateDefaultConfig().(*agentstreamreceiver.Config)
			cfg.Stream.Include = []string{filepath.Join(dir, "*.jsonl")}
			cfg.Stream.StartAt = "end" // each scenario has its own files
			cfg.Retry.InitialInterval, cfg.Retry.MaxInterval = time.Millisecond, 5*time.Millisecond
			require.NoError(t, cfg.Validate())
			receivertest.CheckConsumeContract(receivertest.CheckConsumeContractParams{
				T:             t,
				Factory:       markingFactory(),
				Signal:        tt.signal,
				Config:        cfg,
				Generator:     &sessionWriter{t: t, dir: dir, prefix: tt.signal.String(), expect: tt.expect},
				GenerateCount: 100,
			})
		})
	}
}
