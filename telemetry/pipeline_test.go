package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/telemetry"
)

func TestPipelineAndStep(t *testing.T) {
	identity := telemetry.NewIdentity(
		telemetry.Attribute{Key: telemetry.AttrPipelineName, Value: "nightly"},
		telemetry.Attribute{Key: telemetry.AttrPipelineRunID, Value: "17"},
		telemetry.Attribute{Key: telemetry.AttrTaskName, Value: "fix"},
	)
	f := fold(t, parallelTools(), telemetry.StreamSettings{Identity: identity}, telemetry.CloseReasonShutdown)
	pipeline, step, run := f.span(t, "nightly"), f.span(t, "fix"), f.span(t, "invoke_agent claude-code")
	assert.True(t, pipeline.ParentSpanID().IsEmpty())
	assert.Equal(t, pipeline.SpanID(), step.ParentSpanID())
	assert.Equal(t, step.SpanID(), run.ParentSpanID())
	assert.Equal(t, ptrace.SpanKindServer, pipeline.Kind())
	assert.Equal(t, "success", attr(pipeline, telemetry.AttrPipelineResult))
	v, ok := f.traces[len(f.traces)-1].ResourceSpans().At(0).Resource().Attributes().Get(telemetry.AttrTaskName)
	require.True(t, ok)
	assert.Equal(t, "fix", v.Str())
}

func TestPipelineSpanGoesOutOnceWhenQuiet(t *testing.T) {
	now := at(100)
	s := telemetry.NewDefaultSettings()
	s.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(s)
	identity := telemetry.NewIdentity(
		telemetry.Attribute{Key: telemetry.AttrPipelineName, Value: "nightly"},
		telemetry.Attribute{Key: telemetry.AttrPipelineRunID, Value: "17"},
	)
	stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude, Identity: identity})
	feed := func(sc script) {
		for _, evs := range sc {
			stream.Feed(telemetry.Line{}, clone(evs))
		}
	}
	feed(parallelTools())
	out := registry.Take()
	assert.Zero(t, out.Traces.SpanCount(), "it may go on")
	now = now.Add(s.PipelineIdle + time.Second)
	out = registry.Take()
	assert.Equal(t, 1, out.Traces.SpanCount())
	feed(script{line(started()), line(text(20, "msg8", "Late.")), line(ended(""))})
	now = now.Add(s.PipelineIdle + time.Second)
	out = registry.Take()
	assert.Zero(t, out.Traces.SpanCount(), "never twice")
}

func TestOuterTrace(t *testing.T) {
	parent := telemetry.Parent{TraceID: [16]byte{1, 2, 3}, SpanID: [8]byte{4, 5}}
	registry := newRegistry()
	stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude, Parent: parent})
	for _, evs := range parallelTools() {
		stream.Feed(telemetry.Line{}, clone(evs))
	}
	var f folded
	f.take(stream.Take())
	run := f.span(t, "invoke_agent claude-code")
	assert.Equal(t, parent.TraceID, run.TraceID())
	assert.Equal(t, parent.SpanID, run.ParentSpanID())
}
