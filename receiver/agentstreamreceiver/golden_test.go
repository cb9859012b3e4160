package agentstreamreceiver_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/internal/spantree"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// exportFile returns the output of a file, processed at once, without the receiver.
func exportFile(t *testing.T, path string, settings telemetry.Settings) (ptrace.Traces, plog.Logs) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	source, err := parser.New(parser.Auto)
	require.NoError(t, err)
	registry := telemetry.NewRegistry(settings)
	var stream *telemetry.Stream
	offset := int64(0)
	feed := func(line []byte) {
		evs := source.ParseEvents(line)
		if line == nil {
			evs = source.Flush()
		}
		if len(evs) == 0 {
			return
		}
		if stream == nil {
			info := parser.InfoOf(source.Provider())
			stream = registry.Open(telemetry.StreamSettings{
				ID: filepath.Base(path), Agent: program.Agent{Provider: info.Name, ServiceName: info.ServiceName, System: info.System}, FileTime: fileTime,
			})
		}
		stream.Feed(telemetry.Line{Offset: offset}, evs)
	}
	for line := range bytes.Lines(data) {
		feed(bytes.TrimSuffix(line, []byte("\n")))
		offset += int64(len(line))
	}
	feed(nil)
	require.NotNil(t, stream, "no events in %s", path)
	stream.Idle()
	stream.Close(otlp.CloseReasonShutdown)
	out := stream.Take()
	rest := registry.Close() // its sub-agents are in no other file
	rest.Traces.ResourceSpans().MoveAndAppendTo(out.Traces.ResourceSpans())
	rest.Logs.ResourceLogs().MoveAndAppendTo(out.Logs.ResourceLogs())
	return out.Traces, out.Logs
}

// fixtures are the sessions of all providers.
func fixtures(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "*", "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

func goldenSettings() telemetry.Settings {
	s := telemetry.NewDefaultSettings()
	s.Now = nowForGolden
	return s
}

// treeCases are the most informative sessions, by provider: among them the plain one, parallel calls, sub-agents, failed model
// calls, and odd characters, for every provider that has them. Sub-agents in separate files are in the golden files of
// families.
var treeCases = map[string][]string{
	"codex": {
		"parity", "parity.session", "parity-0.29", "parallel", "parallel.session", "subagents-v1", "subagents-v2", "retry", "retry.session",
		"unauthorized.session", "unicode", "unicode.session", "interrupted.session", "compaction.session",
	},
	"gemini": {
		"parity", "parity.session", "parallel", "parallel.session", "subagent", "fatal-400", "fatal-400.session", "retry", "bad-stream",
		"unicode", "unicode.session", "terminated",
	},
	"openai": {"parity.bodies", "openai-errors", "openai-stream-chunks", "responses-api"},
	"qwen": {
		"parity.stream", "parity.session", "parallel.stream", "parallel.session", "subagent.stream", "subagent.session", "fatal-401.stream",
		"fatal-401.session", "sigkill.session",
	},
	"claude": {
		"parity", "parallel", "subagent", "background", "fatal-400", "max-turns", "retry", "unicode", "killed", "interrupted", "streaming-input",
		"compact-run2", "parity-1.0.128", "subagent-2.0.50", "case-advisor-iterations.session", "case-cache-write-tiers.session", "case-usage-on-agent-and-calls", "case-parents-exist", "case-end-before-start", "case-nested-subagents",
	},
	"opencode": {
		"parity", "parity.session", "parity.log", "failures", "subagent", "subagent.session", "parity-0.5.29.project", "overflow", "overflow.log",
		"fatal-401", "killed", "parallel", "parallel.session", "retry", "unicode", "case-nested-subagents.session", "case-message-without-steps.session", "case-repeated-call-ids",
	},
}

// TestSpanTrees draws the trees of these sessions. `make golden` rewrites them.
func TestSpanTrees(t *testing.T) {
	for provider, cases := range treeCases {
		for _, name := range cases {
			t.Run(provider+" "+name, func(t *testing.T) {
				path := filepath.Join("..", "..", "testdata", provider, name+".jsonl")
				traces, logs := exportFile(t, path, goldenSettings())
				goldentest.Compare(t, strings.TrimSuffix(path, ".jsonl")+".spans.golden", spantree.Draw(traces))
				goldentest.Compare(t, strings.TrimSuffix(path, ".jsonl")+".records.golden", listRecords(logs))
			})
		}
	}
}

// listRecords returns a line for each record and one for each of its attributes.
func listRecords(logs plog.Logs) string {
	var b strings.Builder
	for _, rl := range logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				fmt.Fprintf(&b, "%s %s %s span %s %q\n", lr.Timestamp().AsTime().Format("15:04:05.000"), lr.SeverityText(), lr.EventName(), lr.SpanID(), lr.Body().AsString())
				var attrs []string
				for k, v := range lr.Attributes().All() {
					attrs = append(attrs, fmt.Sprintf("    %s = %q\n", k, v.AsString()))
				}
				slices.Sort(attrs)
				b.WriteString(strings.Join(attrs, ""))
			}
		}
	}
	return b.String()
}

// TestEveryFixtureGivesWholeTrees: every parent exists, each trace has one root, no span occurs twice, children are inside parents.
func TestEveryFixtureGivesWholeTrees(t *testing.T) {
	for _, path := range fixtures(t) {
		t.Run(sessionName(path), func(t *testing.T) {
			traces, logs := exportFile(t, path, goldenSettings())
			assert.Empty(t, otlpjson.Check(traces))
			for _, rs := range traces.ResourceSpans().All() {
				assert.Len(t, rs.Resource().Attributes().AsRaw(), rs.Resource().Attributes().Len(), "keys occur once")
				for _, ss := range rs.ScopeSpans().All() {
					for _, span := range ss.Spans().All() {
						assert.Len(t, span.Attributes().AsRaw(), span.Attributes().Len(), "keys of span %s occur once", span.Name())
					}
				}
			}
			uids := map[string]string{}
			for _, rl := range logs.ResourceLogs().All() {
				for _, sl := range rl.ScopeLogs().All() {
					for _, lr := range sl.LogRecords().All() {
						assert.Len(t, lr.Attributes().AsRaw(), lr.Attributes().Len(), "keys of record %s occur once", lr.EventName())
						uid, ok := lr.Attributes().Get(otlp.AttrLogRecordUID)
						require.True(t, ok)
						assert.Empty(t, uids[uid.Str()], "uid of %s %q twice", lr.EventName(), lr.Body().AsString())
						uids[uid.Str()] = lr.EventName() + lr.Body().AsString() + "."
					}
				}
			}
		})
	}
}

// TestSessionsAsTraces: with one trace per session, the runs of a fixture are side by side in it, and all is complete.
func TestSessionsAsTraces(t *testing.T) {
	settings := goldenSettings()
	settings.TraceBySession = true
	several := 0
	for _, path := range fixtures(t) {
		traces, _ := exportFile(t, path, settings)
		assert.Empty(t, otlpjson.Check(traces), path)
		roots := map[string]int{}
		for _, rs := range traces.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					if s.ParentSpanID().IsEmpty() {
						if roots[s.TraceID().String()]++; roots[s.TraceID().String()] == 2 {
							several++
						}
					}
				}
			}
		}
	}
	assert.Greater(t, several, 5, "sessions of several runs")
}
