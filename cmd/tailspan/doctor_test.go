package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/telemetry"
)

// export writes a trace of two spans; the second hangs under parent.
func export(t *testing.T, parent [8]byte) string {
	t.Helper()
	td := ptrace.NewTraces()
	ss := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty()
	ss.Scope().SetName(telemetry.ScopeName)
	for i, above := range [][8]byte{{}, parent} {
		s := ss.Spans().AppendEmpty()
		s.SetTraceID([16]byte{1})
		s.SetSpanID([8]byte{byte(i + 1)})
		s.SetParentSpanID(above)
		s.SetStartTimestamp(100)
		s.SetEndTimestamp(200)
		s.Attributes().PutStr(telemetry.AttrTimeSource, "line")
	}
	raw, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "spans.jsonl")
	require.NoError(t, os.WriteFile(path, append(raw, '\n'), 0o600))
	return path
}

func TestDoctor(t *testing.T) {
	var out, errs bytes.Buffer
	assert.Equal(t, exitOK, run([]string{"doctor", "--otlp", export(t, [8]byte{1})}, nil, &out, &errs), errs.String())
	assert.Contains(t, out.String(), "no problems")
	out.Reset()
	assert.Equal(t, exitError, run([]string{"doctor", "--otlp", export(t, [8]byte{9})}, nil, &out, &errs), "an orphan")
	assert.Contains(t, out.String(), "problem: ")
	assert.Equal(t, exitUsage, run([]string{"doctor", "--otlp", "nowhere.jsonl"}, nil, &out, &errs))
	assert.Equal(t, exitUsage, run([]string{"doctor"}, nil, &out, &errs))
}
