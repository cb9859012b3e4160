package cicd_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/cicd"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/outcome"
)

// resource returns the resource of a run under a step of a pipeline, or none without names.
func resource(pipeline, step string) *otlp.Resource {
	identity := otlp.NewIdentity(
		otlp.Attribute{Key: otlp.AttrPipelineName, Value: pipeline},
		otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: "1"},
		otlp.Attribute{Key: otlp.AttrTaskName, Value: step},
	)
	return otlp.NewResource(identity, "claude-code", "claude", "anthropic", otlp.NewSequencer("a"), nil)
}

func at(s int64) clock.Moment {
	return clock.Moment{At: clock.InstantOf(time.Unix(s, 0)), Source: clock.SourceLine}
}

// run starts and ends a run.
func run(tree *cicd.Tree, res *otlp.Resource, from, to int64, reason otlp.CloseReason) (late bool) {
	tree.Start(res, true)
	return tree.End(res, clock.Interval{Start: at(from), End: at(to)}, outcome.Closed(reason), time.Unix(to, 0))
}

// flush returns the names of the written spans.
func flush(tree *cicd.Tree, before int64) (written []*cicd.Node, names []string, evicted int) {
	b := otlp.NewBatch(&otlp.Writer{Semconv: otlp.SemconvV141}, "test")
	written, evicted = tree.Flush(b, time.Unix(before, 0))
	traces := b.Take().Traces
	for i := range traces.ResourceSpans().Len() {
		spans := traces.ResourceSpans().At(i).ScopeSpans().At(0).Spans()
		for j := range spans.Len() {
			names = append(names, spans.At(j).Name())
		}
	}
	return written, names, evicted
}

// TestWrittenOnceWhenQuiet checks that nothing is written while a run is active or something moved, and that a later run is late.
func TestWrittenOnceWhenQuiet(t *testing.T) {
	tree, res := cicd.New(10, "tailspan"), resource("nightly", "fix")
	below, ok := tree.Start(res, true)
	require.True(t, ok)
	_, names, _ := flush(tree, 100)
	assert.Empty(t, names, "a run is at work")
	tree.End(res, clock.Interval{Start: at(1), End: at(9)}, outcome.Closed(otlp.CloseReasonResult), time.Unix(9, 0))
	_, names, _ = flush(tree, 8)
	assert.Empty(t, names, "it moved")
	written, names, _ := flush(tree, 9)
	assert.Equal(t, []string{"fix", "nightly"}, names)
	assert.Len(t, written, 2)
	_, names, _ = flush(tree, 100)
	assert.Empty(t, names)
	again, _ := tree.Start(res, true)
	assert.Equal(t, below, again, "ids are of names")
	assert.True(t, tree.End(res, clock.Interval{Start: at(20), End: at(21)}, outcome.Closed(otlp.CloseReasonResult), time.Unix(21, 0)))
}

func TestNoPipeline(t *testing.T) {
	tree := cicd.New(10, "tailspan")
	_, ok := tree.Start(resource("", ""), true)
	assert.False(t, ok)
	assert.False(t, tree.Pending(resource("", "")))
}

// TestRestart checks that an accepted span is not written again, and an unaccepted one is.
func TestRestart(t *testing.T) {
	first, res := cicd.New(10, "tailspan"), resource("nightly", "fix")
	run(first, res, 1, 9, otlp.CloseReasonResult)
	written, _, _ := flush(first, 9)
	require.True(t, first.Pending(res))
	unaccepted := cicd.New(10, "tailspan")
	unaccepted.Restore(first.State())
	run(unaccepted, res, 1, 9, otlp.CloseReasonResult)
	_, names, _ := flush(unaccepted, 9)
	assert.Equal(t, []string{"fix", "nightly"}, names)

	first.Accept(written)
	require.False(t, first.Pending(res))
	second := cicd.New(10, "tailspan")
	second.Restore(first.State())
	assert.True(t, run(second, res, 10, 12, otlp.CloseReasonResult), "its step is out")
	_, names, _ = flush(second, 12)
	assert.Empty(t, names)
}

// TestLimit checks that the oldest pipelines are evicted once their spans were accepted.
func TestLimit(t *testing.T) {
	tree := cicd.New(2, "tailspan")
	for i := range int64(4) {
		run(tree, resource(strconv.FormatInt(i, 10), ""), i, i+1, otlp.CloseReasonResult)
	}
	written, names, evicted := flush(tree, 9)
	assert.Equal(t, []string{"0", "1", "2", "3"}, names)
	assert.Zero(t, evicted)
	tree.Accept(written)
	_, _, evicted = flush(tree, 9)
	assert.Equal(t, 2, evicted)
}

// TestStartAccount checks that a second account of a run counts in its own step, unless that is the first account's.
func TestStartAccount(t *testing.T) {
	tree := cicd.New(10, "tailspan")
	first := otlp.SpanRef{Trace: otlp.TraceID{1}, Span: otlp.SpanID{2}}
	assert.False(t, tree.StartAccount(resource("nightly", "fix"), resource("nightly", "fix"), first))
	assert.True(t, tree.StartAccount(resource("nightly", "test"), resource("nightly", "fix"), first))
	assert.True(t, tree.Pending(resource("nightly", "test")))
}

// TestIdentityNamesTheSpanAbove checks that an identity yields the parent span of its runs before that span exists.
func TestIdentityNamesTheSpanAbove(t *testing.T) {
	tree := cicd.New(10, "tailspan")
	for _, step := range []string{"fix", ""} {
		identity := otlp.NewIdentity(
			otlp.Attribute{Key: otlp.AttrPipelineName, Value: "nightly"}, otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: "1"},
			otlp.Attribute{Key: otlp.AttrTaskName, Value: step},
		)
		above, ok := tree.Start(resource("nightly", step), true)
		require.True(t, ok)
		named, ok := identity.Step()
		require.True(t, ok)
		assert.Equal(t, above, named)
		parsed, err := otlp.ParseTraceParent(named.TraceParent())
		require.NoError(t, err)
		assert.Equal(t, above, otlp.SpanRef{Trace: otlp.TraceID(parsed.TraceID), Span: otlp.SpanID(parsed.SpanID)})
	}
	_, ok := otlp.NewIdentity(otlp.Attribute{Key: otlp.AttrTaskName, Value: "fix"}).Step()
	assert.False(t, ok, "without a pipeline run there is no step's span")
}
