package otlpjson_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/internal/otlpjson"
)

// twoSessions is a run with a sub-agent under a pipeline, a failed run in the same session, and a run of another agent without
// a session.
func twoSessions(t *testing.T) *otlpjson.Data {
	t.Helper()
	agent := func(conversation string, input, output int64) map[string]any { // with what no call has
		return map[string]any{
			"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": conversation,
			"gen_ai.usage.input_tokens": input, "gen_ai.usage.output_tokens": output,
		}
	}
	chat := func(asked, answered string, input, output int64) map[string]any {
		a := map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.request.model": asked,
			"gen_ai.usage.input_tokens": input, "gen_ai.usage.output_tokens": output,
		}
		if answered != "" {
			a["gen_ai.response.model"] = answered
		}
		return a
	}
	tool := func(name string) map[string]any {
		return map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
	}
	d := &otlpjson.Data{}
	d.Traces = append(d.Traces, requests(t, "claude-code",
		node{trace: 1, id: 9, parent: 8, name: "execute_tool Grep", failed: true, attributes: tool("Grep")},
		node{trace: 1, id: 8, parent: 7, name: "invoke_agent explorer", attributes: agent("", 0, 0)},
		node{trace: 1, id: 7, parent: 4, name: "execute_tool Agent", attributes: tool("Agent")},
		node{trace: 1, id: 6, parent: 4, name: "execute_tool Grep", attributes: tool("Grep")},
		node{trace: 1, id: 5, parent: 4, name: "chat", attributes: chat("sonnet", "sonnet-4-5", 100, 20)},
		node{trace: 1, id: 3, parent: 8, name: "chat", attributes: chat("sonnet", "sonnet-4-5", 50, 5)},
		node{trace: 1, id: 4, parent: 2, name: "invoke_agent", attributes: agent("5e55-1", 0, 0)},
		node{trace: 1, id: 2, parent: 1, name: "fix"},
		node{trace: 1, id: 1, name: "nightly"},
		node{trace: 2, id: 2, parent: 1, name: "chat", failed: true, attributes: chat("haiku", "", 0, 0)},
		node{trace: 2, id: 1, name: "invoke_agent", failed: true, attributes: agent("5e55-1", 7, 0)},
	)...)
	d.Traces = append(d.Traces, requests(t, "other\x1b[31m",
		node{trace: 3, id: 1, name: "invoke_agent", attributes: agent("", 1, 2)},
		node{trace: 3, id: 2, parent: 1, name: "execute_tool", attributes: tool("")},
	)...)
	d.Logs = append(d.Logs, records(plog.SeverityNumberInfo, plog.SeverityNumberWarn, plog.SeverityNumberError), records(plog.SeverityNumberFatal))
	return d
}

func TestSummarize(t *testing.T) {
	got := otlpjson.Summarize(twoSessions(t))
	want := otlpjson.Summary{
		Sessions: []otlpjson.Session{
			{Service: "claude-code", Conversation: "5e55-1", Runs: 2, FailedRuns: 1, Agents: 1, Calls: 3, Tools: 3, FailedTools: 1, Tokens: otlpjson.Tokens{Input: 157, Output: 25}},
			{Service: "other\x1b[31m", Runs: 1, Tools: 1, Tokens: otlpjson.Tokens{Input: 1, Output: 2}},
		},
		Models: []otlpjson.Model{
			{Name: "sonnet-4-5", Calls: 2, Tokens: otlpjson.Tokens{Input: 150, Output: 25}},
			{Name: "haiku", Calls: 1},
		},
		Tools:  []otlpjson.Tool{{Name: "Grep", Calls: 2, Failed: 1}, {Calls: 1}, {Name: "Agent", Calls: 1}},
		Traces: 3, Spans: 13, FailedSpans: 3, Records: 4, ErrorRecords: 2,
	}
	assert.Equal(t, want, got)
	assert.Equal(t, otlpjson.Session{Runs: 3, FailedRuns: 1, Agents: 1, Calls: 3, Tools: 4, FailedTools: 1, Tokens: otlpjson.Tokens{Input: 158, Output: 27}}, got.Total())
}

func TestSummarizeCountsARepeatedSpanOnce(t *testing.T) {
	once, twice := twoSessions(t), twoSessions(t)
	twice.Traces = append(twice.Traces, twoSessions(t).Traces...)
	assert.Equal(t, otlpjson.Summarize(once), otlpjson.Summarize(twice))
}

func TestSummarizeEndsInACircle(t *testing.T) {
	operation := map[string]any{"gen_ai.operation.name": "execute_tool"}
	got := otlpjson.Summarize(&otlpjson.Data{Traces: requests(t, "s",
		node{trace: 1, id: 1, parent: 2, attributes: operation}, node{trace: 1, id: 2, parent: 1, attributes: operation})})
	assert.Equal(t, 2, got.Total().Tools)
}

func TestTable(t *testing.T) {
	for name, d := range map[string]*otlpjson.Data{"two-sessions": twoSessions(t), "empty": {}} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			s := otlpjson.Summarize(d)
			n, err := s.WriteTo(&out)
			require.NoError(t, err)
			assert.EqualValues(t, out.Len(), n)
			goldentest.Compare(t, filepath.Join("testdata", name+".table.golden"), out.String())
		})
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestTableReportsAFailingWriter(t *testing.T) {
	full := errors.New("disk full")
	s := otlpjson.Summarize(&otlpjson.Data{})
	_, err := s.WriteTo(failingWriter{full})
	assert.ErrorIs(t, err, full)
}
