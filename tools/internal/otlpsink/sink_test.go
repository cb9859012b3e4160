package otlpsink

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

func TestHandler(t *testing.T) {
	traces := ptrace.NewTraces()
	rs := traces.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("file", "a")
	rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName("one")
	spans, err := ptraceotlp.NewExportRequestFromTraces(traces).MarshalProto()
	require.NoError(t, err)
	logs := plog.NewLogs()
	logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("two")
	records, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
	require.NoError(t, err)

	tests := []struct {
		name, path string
		body       []byte
		refuse     error
		status     int
		got        []string
	}{
		{name: "spans", path: "/v1/traces", body: spans, status: http.StatusOK, got: []string{"a one"}},
		{name: "records", path: "/v1/logs", body: records, status: http.StatusOK, got: []string{"two"}},
		{name: "refused", path: "/v1/logs", body: records, refuse: errors.New("full"), status: http.StatusServiceUnavailable, got: []string{"two"}},
		{name: "no protobuf", path: "/v1/traces", body: []byte("{"), status: http.StatusBadRequest},
		{name: "no protobuf of records", path: "/v1/logs", body: []byte("{"), status: http.StatusBadRequest},
		{name: "another signal", path: "/v1/metrics", status: http.StatusBadRequest},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			h := Handler(func(_ *http.Request, b Batch) error {
				for resource, span := range b.Spans() {
					file, _ := resource.Attributes().Get("file")
					got = append(got, file.Str()+" "+span.Name())
				}
				for _, record := range b.Records() {
					got = append(got, record.Body().Str())
				}
				return tt.refuse
			})
			answer := httptest.NewRecorder()
			h.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, tt.path, bytes.NewReader(tt.body)))
			assert.Equal(t, tt.status, answer.Code)
			assert.Equal(t, tt.got, got)
		})
	}
}
