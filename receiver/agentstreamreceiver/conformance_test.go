package agentstreamreceiver_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/otlp"
)

// knownNames are the string constants of otlp/names.go: all names that may be exported.
func knownNames(t *testing.T) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "otlp", "names.go"), nil, 0)
	require.NoError(t, err)
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				names[s] = true
			}
		}
		return true
	})
	require.NotEmpty(t, names)
	return names
}

// required are the attributes that each operation's span must have, by the GenAI conventions and our own design.
var required = map[string][]string{
	otlp.OperationChat:        {otlp.AttrGenAIProviderName, otlp.AttrGenAIRequestModel, otlp.AttrGenAIResponseID},
	otlp.OperationInvokeAgent: {},
	otlp.OperationExecuteTool: {otlp.AttrGenAIToolName, otlp.AttrGenAIToolType, otlp.AttrGenAIToolCallID},
}

var kinds = map[string]ptrace.SpanKind{
	otlp.OperationChat: ptrace.SpanKindClient, otlp.OperationInvokeAgent: ptrace.SpanKindInternal, otlp.OperationExecuteTool: ptrace.SpanKindInternal,
}

// TestConformance: every span of every session has its kind, its name and the attributes that the conventions require,
// error.type if and only if it failed, and no name that names.go does not list.
func TestConformance(t *testing.T) {
	names := knownNames(t)
	for _, semconv := range []otlp.Semconv{otlp.SemconvGenAI01, otlp.SemconvV141} {
		settings := goldenSettings()
		settings.Semconv = semconv
		settings.Capture = otlp.CaptureSettings{Text: true, Prompts: true, Reasoning: true, ToolInput: true, ToolOutput: true}
		for _, path := range fixtures(t) {
			t.Run(string(semconv)+"/"+sessionName(path), func(t *testing.T) {
				provider := filepath.Base(filepath.Dir(path))
				traces, logs := exportFile(t, path, settings)
				for _, rs := range traces.ResourceSpans().All() {
					assert.Equal(t, semconv.SchemaURL(), rs.SchemaUrl())
					checkNames(t, names, rs.Resource().Attributes())
					for _, ss := range rs.ScopeSpans().All() {
						for _, s := range ss.Spans().All() {
							checkNames(t, names, s.Attributes())
							checkSpan(t, provider, s)
						}
					}
				}
				checkRecords(t, provider, names, logs)
			})
		}
	}
}

// untold are attributes that a provider's formats never contain, or not in every dialect: they are required if our source
// contains them.
var untold = map[string][]string{
	"openai":   {otlp.AttrGenAIConversationID},
	"opencode": {otlp.AttrGenAIProviderName, otlp.AttrGenAIRequestModel},
	"gemini":   {otlp.AttrGenAIRequestModel},
	"codex":    {otlp.AttrGenAIConversationID, otlp.AttrGenAIRequestModel},
}

func checkSpan(t *testing.T, provider string, s ptrace.Span) {
	t.Helper()
	operation, ok := s.Attributes().Get(otlp.AttrGenAIOperationName)
	require.True(t, ok, s.Name())
	needed, known := required[operation.Str()]
	require.True(t, known, operation.Str())
	for _, key := range append([]string{otlp.AttrCloseReason, otlp.AttrGenAIConversationID}, needed...) {
		if key == otlp.AttrGenAIResponseID && s.Status().Code() == ptrace.StatusCodeError {
			continue // it had no response
		}
		v, ok := s.Attributes().Get(key)
		assert.True(t, ok && v.AsString() != "" || slices.Contains(untold[provider], key), "%s lacks %s", s.Name(), key)
	}
	assert.Equal(t, kinds[operation.Str()], s.Kind(), s.Name())
	assert.True(t, s.Name() == operation.Str() || strings.HasPrefix(s.Name(), operation.Str()+" "), s.Name())
	_, hasError := s.Attributes().Get(otlp.AttrErrorType)
	assert.Equal(t, s.Status().Code() == ptrace.StatusCodeError, hasError, "%s: error.type if and only if it failed", s.Name())
	assert.NotEqual(t, ptrace.StatusCodeOk, s.Status().Code(), "success is left unset")
}

func checkRecords(t *testing.T, provider string, names map[string]bool, logs plog.Logs) {
	t.Helper()
	for _, rl := range logs.ResourceLogs().All() {
		checkNames(t, names, rl.Resource().Attributes())
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				checkNames(t, names, lr.Attributes())
				assert.False(t, lr.TraceID().IsEmpty() || lr.SpanID().IsEmpty(), lr.EventName())
				assert.NotEqual(t, plog.SeverityNumberUnspecified, lr.SeverityNumber(), lr.EventName())
				assert.NotZero(t, lr.Timestamp(), lr.EventName())
				assert.NotZero(t, lr.ObservedTimestamp(), lr.EventName())
				for _, key := range []string{otlp.AttrLogRecordUID, otlp.AttrSequence, otlp.AttrGenAIConversationID} {
					_, ok := lr.Attributes().Get(key)
					made := key == otlp.AttrSequence && lr.EventName() == otlp.EventNameRunEnd // without an event
					assert.True(t, ok || made || slices.Contains(untold[provider], key), "%s lacks %s", lr.EventName(), key)
				}
			}
		}
	}
}

func checkNames(t *testing.T, names map[string]bool, m pcommon.Map) {
	t.Helper()
	for key, v := range m.All() {
		assert.True(t, names[key], "%s is not in names.go", key)
		if v.Type() == pcommon.ValueTypeMap {
			checkNames(t, names, v.Map())
		}
	}
}
