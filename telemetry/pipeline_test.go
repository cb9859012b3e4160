package telemetry_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

func TestPipelineAndStep(t *testing.T) {
	identity := otlp.NewIdentity(
		otlp.Attribute{Key: otlp.AttrPipelineName, Value: "nightly"},
		otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: "17"},
		otlp.Attribute{Key: otlp.AttrTaskName, Value: "fix"},
	)
	f := collect(t, parallelTools(), telemetry.StreamSettings{Identity: identity}, otlp.CloseReasonShutdown)
	pipeline, step, run := f.span(t, "nightly"), f.span(t, "fix"), f.span(t, "invoke_agent claude-code")
	assert.True(t, pipeline.ParentSpanID().IsEmpty())
	assert.Equal(t, pipeline.SpanID(), step.ParentSpanID())
	assert.Equal(t, step.SpanID(), run.ParentSpanID())
	assert.Equal(t, ptrace.SpanKindServer, pipeline.Kind())
	assert.Equal(t, "success", attr(pipeline, otlp.AttrPipelineResult))
	v, ok := f.traces[len(f.traces)-1].ResourceSpans().At(0).Resource().Attributes().Get(otlp.AttrTaskName)
	require.True(t, ok)
	assert.Equal(t, "fix", v.Str())
}

func TestPipelineSpanGoesOutOnceWhenQuiet(t *testing.T) {
	now := at(100)
	s := telemetry.NewDefaultSettings()
	s.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(s)
	identity := otlp.NewIdentity(
		otlp.Attribute{Key: otlp.AttrPipelineName, Value: "nightly"},
		otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: "17"},
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

// nightly is the identity of a step of a pipeline run.
func nightly(task string) otlp.Identity {
	return otlp.NewIdentity(
		otlp.Attribute{Key: otlp.AttrPipelineName, Value: "nightly"},
		otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: "17"},
		otlp.Attribute{Key: otlp.AttrTaskName, Value: task},
		otlp.Attribute{Key: otlp.AttrTaskRunURL, Value: "https://ci.example/" + task},
	)
}

// TestStepOfAnotherStreamsWork: a run of which a stream has only the work of a sub-agent that another stream exports has the time
// of that work, and its step too. Seed 9502610 of the pipeline fuzzer.
func TestStepOfAnotherStreamsWork(t *testing.T) {
	work := of("ag1", under("a1", result(1, "t1")))
	registry := newRegistry()
	open := func(task string, sc script) *telemetry.Stream {
		stream := registry.Open(telemetry.StreamSettings{ID: task, Agent: claude, Identity: nightly(task)})
		for i, evs := range sc {
			stream.Feed(telemetry.Line{Offset: int64(i * 100)}, clone(evs))
		}
		return stream
	}
	var f collected
	for _, stream := range []*telemetry.Stream{open("first", script{line(work), line(text(2, "msg1", "About"))}), open("second", script{line(work)})} {
		stream.Close(otlp.CloseReasonShutdown)
		f.take(stream.Take())
	}
	f.take(registry.Close())
	checkTree(t, &f)
	assert.Equal(t, 2, strings.Count(f.names(), "invoke_agent claude-code"))
	assert.Equal(t, at(1).UTC(), f.span(t, "second").StartTimestamp().AsTime())
}

// TestPipelineResult: step and pipeline have the worst result of their runs.
func TestPipelineResult(t *testing.T) {
	stopped := ended("")
	stopped.End.Interrupted = true
	good, bad, stop := ended(""), ended("no"), stopped
	for _, tt := range []struct {
		name   string
		ends   []events.DisplayEvent
		close  otlp.CloseReason
		result string
		failed string
	}{
		{"success", []events.DisplayEvent{good, good}, "", "success", ""},
		{"cancellation", []events.DisplayEvent{good, stop}, "", "cancellation", ""},
		{"failure", []events.DisplayEvent{bad, stop, good}, "", "failure", "_OTHER"},
		{"timeout", []events.DisplayEvent{good}, otlp.CloseReasonTimeout, "timeout", "timeout"},
		{"killed", nil, otlp.CloseReasonKilled, "error", "killed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var sc script
			for i, end := range tt.ends {
				end.ItemID = fmt.Sprint("i-end-", i)
				sc = append(sc, line(started()), line(text(float64(i), fmt.Sprint("msg", i), "Hi.")), line(end))
			}
			if tt.close != "" {
				sc = append(sc, line(started()), line(text(50, "msg50", "Hi.")))
			}
			f := collect(t, sc, telemetry.StreamSettings{Identity: nightly("fix")}, tt.close)
			pipeline, step := f.span(t, "nightly"), f.span(t, "fix")
			assert.Equal(t, tt.result, attr(pipeline, otlp.AttrPipelineResult))
			assert.Equal(t, tt.result, attr(step, otlp.AttrTaskRunResult))
			assert.Equal(t, tt.failed, attr(step, otlp.AttrErrorType))
			assert.Equal(t, statusIf(tt.failed != ""), pipeline.Status().Code())
			assert.Equal(t, "https://ci.example/fix", attr(step, otlp.AttrTaskRunURL))
		})
	}
}

// TestLateSteps: a run or step after its parent's span was exported is still a child of it, with a mark.
func TestLateSteps(t *testing.T) {
	now := at(100)
	s := telemetry.NewDefaultSettings()
	s.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(s)
	var f collected
	work := func(task, message string, sec float64) {
		stream := registry.Open(telemetry.StreamSettings{ID: task + message, Agent: claude, Identity: nightly(task)})
		end := ended("")
		end.ItemID = message + "-end"
		for i, evs := range (script{line(text(sec, message, "Hi.")), line(end)}) {
			stream.Feed(telemetry.Line{Offset: int64(i)}, evs)
		}
		f.take(stream.Take())
		now = now.Add(s.PipelineIdle + time.Second)
		f.take(registry.Take())
	}
	work("build", "msg1", 1)
	work("test", "msg2", 60)
	work("test", "msg3", 120)
	checkTree(t, &f)
	late := map[string]string{}
	for _, s := range f.spans {
		late[s.Name()+keyID(s)] = attr(s, otlp.AttrBackground)
	}
	assert.Equal(t, map[string]string{
		"nightly": "", "build": "", "test": "true", "chat m1": "",
		"invoke_agent claude-codemsg1": "", "invoke_agent claude-codemsg2": "", "invoke_agent claude-codemsg3": "true",
	}, late)
}

// TestPipelineOverRestart: the accepted span of a pipeline or step is not exported again when the run is replayed after
// a restart. A span that was not exported is exported, and so is one that was exported but not accepted.
func TestPipelineOverRestart(t *testing.T) {
	work := func(registry *telemetry.Registry, silent bool) telemetry.Output {
		stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude, Identity: nightly("fix")})
		for i, evs := range (script{line(started()), line(text(1, "msg1", "Hi.")), line(ended(""))}) {
			stream.Feed(telemetry.Line{Offset: int64(i), Replay: silent}, evs)
		}
		out := registry.Close()
		_, open := stream.State()
		assert.Equal(t, out.Traces.SpanCount() > 0, open, "until it is accepted")
		if !silent {
			again := registry.Close()
			assert.Zero(t, again.Traces.SpanCount(), "but it goes out once")
			assert.Empty(t, registry.State().Pipelines)
			stream.Close(otlp.CloseReasonShutdown)
		}
		return out
	}
	before := newRegistry()
	out := work(before, false)
	assert.Equal(t, 2, out.Traces.SpanCount())
	refused := newRegistry()
	refused.Restore(before.State())
	of := work(refused, true)
	assert.Equal(t, 2, of.Traces.SpanCount(), "nobody has accepted them")

	out.Accepted()
	assert.Len(t, before.State().Pipelines, 2)
	after := newRegistry()
	after.Restore(before.State())
	of = work(after, true)
	assert.Zero(t, of.Traces.SpanCount(), "exported before")
	of = work(newRegistry(), true)
	assert.Equal(t, 2, of.Traces.SpanCount(), "pending")
}

// TestBoundedPipelines: of many pipeline runs, and of many steps of one, the oldest are evicted and counted.
func TestBoundedPipelines(t *testing.T) {
	for _, tt := range []struct{ name, key string }{{"runs", otlp.AttrPipelineRunID}, {"steps", otlp.AttrTaskName}} {
		t.Run(tt.name, func(t *testing.T) {
			now := at(100)
			s := telemetry.NewDefaultSettings()
			s.Limits.Pipelines, s.Now = 3, func() time.Time { return now }
			registry := telemetry.NewRegistry(s)
			spans, evicted := 0, 0
			for i := range 10 {
				identity := otlp.NewIdentity(otlp.Attribute{Key: tt.key, Value: fmt.Sprint("n", i)}).With(nightly("fix"))
				stream := registry.Open(telemetry.StreamSettings{ID: strconv.Itoa(i), Agent: claude, Identity: identity})
				stream.Feed(telemetry.Line{}, line(text(1, fmt.Sprint("msg", i), "Hi.")))
				stream.Close(otlp.CloseReasonNoResult)
				now = now.Add(s.PipelineIdle + time.Second)
				out := registry.Take()
				spans, evicted = spans+out.Traces.SpanCount(), evicted+out.Counts.ForgottenPipelines
				out.Accepted()
			}
			assert.Equal(t, 7, evicted)
			assert.Equal(t, map[string]int{"runs": 20, "steps": 11}[tt.name], spans)
		})
	}
}

func TestOuterTrace(t *testing.T) {
	parent := otlp.Parent{TraceID: [16]byte{1, 2, 3}, SpanID: [8]byte{4, 5}}
	registry := newRegistry()
	stream := registry.Open(telemetry.StreamSettings{ID: "f", Agent: claude, Parent: parent})
	for _, evs := range parallelTools() {
		stream.Feed(telemetry.Line{}, clone(evs))
	}
	var f collected
	f.take(stream.Take())
	run := f.span(t, "invoke_agent claude-code")
	assert.Equal(t, parent.TraceID, run.TraceID())
	assert.Equal(t, parent.SpanID, run.ParentSpanID())
}
