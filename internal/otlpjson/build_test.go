package otlpjson_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// node describes a span in a test. IDs are small numbers; parent 0 is none, and so is trace 0.
type node struct {
	trace, id, parent byte
	name              string
	start, end        uint64
	failed            bool
	attributes        map[string]any
}

// requests returns one export request for each node, all of one service, like a collector without batching.
func requests(t *testing.T, service string, nodes ...node) []ptrace.Traces {
	t.Helper()
	var all []ptrace.Traces
	for _, n := range nodes {
		traces := ptrace.NewTraces()
		resource := traces.ResourceSpans().AppendEmpty()
		resource.Resource().Attributes().PutStr("service.name", service)
		s := resource.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
		s.SetName(n.name)
		s.SetTraceID(pcommon.TraceID{15: n.trace})
		s.SetSpanID(pcommon.SpanID{7: n.id})
		s.SetParentSpanID(pcommon.SpanID{7: n.parent})
		s.SetStartTimestamp(pcommon.Timestamp(n.start))
		s.SetEndTimestamp(pcommon.Timestamp(n.end))
		if n.failed {
			s.Status().SetCode(ptrace.StatusCodeError)
		}
		require.NoError(t, s.Attributes().FromRaw(n.attributes))
		all = append(all, traces)
	}
	return all
}

// records returns one request with a log record for each severity.
func records(severities ...plog.SeverityNumber) plog.Logs {
	logs := plog.NewLogs()
	scope := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	for _, severity := range severities {
		scope.LogRecords().AppendEmpty().SetSeverityNumber(severity)
	}
	return logs
}

// lines writes requests as the file exporter does.
func lines(t *testing.T, traces []ptrace.Traces, logs []plog.Logs) string {
	t.Helper()
	var out bytes.Buffer
	for _, request := range traces {
		line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(request)
		require.NoError(t, err)
		out.Write(append(line, '\n'))
	}
	for _, request := range logs {
		line, err := (&plog.JSONMarshaler{}).MarshalLogs(request)
		require.NoError(t, err)
		out.Write(append(line, '\n'))
	}
	require.NotContains(t, out.String(), "\n\n")
	return out.String()
}
