package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// TestUsersResourceWins: the user's service is that of all three signals, except for pipelines and steps, which have
// their own. The user's attributes of spans and records are on all of them and change none of tailspan's own.
func TestUsersResourceWins(t *testing.T) {
	now := at(100)
	s := telemetry.NewDefaultSettings()
	s.Now = func() time.Time { return now }
	s.PipelineService = "ci"
	s.Attributes = []otlp.Attribute{{Key: "team", Value: "blue"}, {Key: otlp.AttrGenAIToolName, Value: "mine"}}
	r := telemetry.NewRegistry(s)
	identity := otlp.NewIdentity(
		otlp.Attribute{Key: otlp.AttrPipelineName, Value: "nightly"}, otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: "17"},
		otlp.Attribute{Key: otlp.AttrTaskName, Value: "fix"}, otlp.Attribute{Key: otlp.AttrTaskRunURL, Value: "https://ci.example/fix"},
		otlp.Attribute{Key: otlp.AttrServiceName, Value: "agents"}, otlp.Attribute{Key: otlp.AttrServiceVersion, Value: "2"},
		otlp.Attribute{Key: "host.name", Value: "runner-7"},
	)
	stream := r.Open(telemetry.StreamSettings{ID: "f", Identity: identity, Agent: claude})
	for i, evs := range (script{line(started()), line(use(1, "m1", "c1", "Bash", "true")), line(result(2, "c1")), line(text(3, "m2", "Done.")), line(ended(""))}) {
		stream.Feed(telemetry.Line{Offset: int64(i)}, evs)
	}
	stream.Close(otlp.CloseReasonShutdown)
	out, late := stream.Take(), r.Close()
	spans := map[string]map[string]any{}
	both := out.Traces
	late.Traces.ResourceSpans().MoveAndAppendTo(both.ResourceSpans())
	for _, rs := range both.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				spans[span.Name()] = rs.Resource().Attributes().AsRaw()
				assert.Equal(t, "blue", attr(span, "team"), span.Name())
			}
		}
	}
	assert.Equal(t, map[string]any{
		"service.name": "agents", "service.version": "2", "host.name": "runner-7", "cicd.pipeline.name": "nightly", "cicd.pipeline.run.id": "17",
		"cicd.pipeline.task.name": "fix", "cicd.pipeline.task.run.url.full": "https://ci.example/fix",
		"tailspan.provider": "claude",
	}, spans["invoke_agent claude-code"])
	assert.Equal(t, map[string]any{
		"service.name": "ci", "host.name": "runner-7", "cicd.pipeline.name": "nightly", "cicd.pipeline.run.id": "17", "cicd.pipeline.task.name": "fix",
		"cicd.pipeline.task.run.url.full": "https://ci.example/fix",
	}, spans["fix"])
	assert.Equal(t, map[string]any{
		"service.name": "ci", "host.name": "runner-7", "cicd.pipeline.name": "nightly", "cicd.pipeline.run.id": "17",
	}, spans["nightly"])
	f := &collected{}
	f.take(out)
	assert.Equal(t, "Bash", attr(f.span(t, "execute_tool Bash"), otlp.AttrGenAIToolName), "tailspan's own")

	require.NotZero(t, out.Logs.ResourceLogs().Len())
	for _, rl := range out.Logs.ResourceLogs().All() {
		assert.Equal(t, "agents", value(rl.Resource().Attributes(), "service.name"))
		for _, lr := range rl.ScopeLogs().At(0).LogRecords().All() {
			assert.Equal(t, "blue", value(lr.Attributes(), "team"), lr.EventName())
		}
	}
	for _, rm := range r.Metrics().TakeLast(now)[1].ResourceMetrics().All() {
		assert.Equal(t, "agents", value(rm.Resource().Attributes(), "service.name"))
	}
}

func value(m pcommon.Map, key string) string {
	v, _ := m.Get(key)
	return v.AsString()
}
