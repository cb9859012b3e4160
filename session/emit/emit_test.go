package emit_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/cicd"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/session/toolcall"
	"github.com/tailspan/tailspan/session/work"
)

// fixture is an emitter with its output.
type fixture struct {
	*emit.Emitter
	batch *otlp.Batch
	used  []emit.Used
	run   *work.Run
}

func newFixture() *fixture {
	f := &fixture{batch: otlp.NewBatch(&otlp.Writer{Semconv: otlp.SemconvV141}, "test")}
	res := otlp.NewResource(otlp.Identity{}, "claude-code", "claude", "anthropic", otlp.NewSequencer("s"), nil)
	e := emit.New(emit.Settings{
		IDs: exported.NewTable(exported.Limits{IDs: 100, Items: 100}), Pipelines: cicd.New(10, "tailspan"),
		Program: &program.Program{Agent: &program.Agent{Provider: "claude", ServiceName: "claude-code"}, Fingerprint: "f", Resource: res},
		OnUsed:  func(u emit.Used) { f.used = append(f.used, u) },
	}, metrics.New(metrics.Settings{SeriesPerMetric: 10}, otlp.SemconvV141, "test", "tailspan", time.Now))
	e.Sink, f.Emitter = f.batch, &e
	f.run = &work.Run{Resource: res}
	f.run.TraceID, f.run.SessionID, f.run.Key = otlp.TraceID{1}, "s1", "r1"
	f.run.Top = &work.Agent{Run: f.run, SpanID: otlp.SpanID{2}, Name: "claude-code", Time: during(0, 9)}
	return f
}

func at(sec int64) clock.Moment {
	return clock.Moment{At: clock.InstantOf(time.Unix(1_700_000_000+sec, 0)), Source: clock.SourceLine}
}

func during(from, to int64) clock.Interval { return clock.Interval{Start: at(from), End: at(to)} }

// take returns the numbers of spans and records written since the last call.
func (f *fixture) take() []int {
	out := f.batch.Take()
	return []int{out.Traces.SpanCount(), out.Logs.LogRecordCount()}
}

// call returns a finished call of the run.
func (f *fixture) call(id byte, time clock.Interval) *work.Call {
	c := &work.Call{Call: toolcall.New(&events.Tool{ID: "t1", Name: "Read"}, 256), Caller: f.run.Top}
	c.SpanID, c.Span = otlp.SpanID{id}, time
	return c
}

// TestOnce checks that a span is written once, and not at all if the line is replayed or another stream exports it.
func TestOnce(t *testing.T) {
	f := newFixture()
	out := outcome.OfResult(&events.Tool{}, false)
	c := f.call(3, during(1, 2))
	f.Call(c, out, false)
	f.Call(c, out, false)
	assert.Equal(t, []int{1, 0}, f.take())
	c.Elsewhere, c.SpanID = true, otlp.SpanID{4}
	f.Call(c, out, false)
	f.Suppressed = true
	f.Call(f.call(5, during(1, 2)), out, false)
	assert.Equal(t, []int{0, 0}, f.take())
	f.Suppressed = false
	f.Call(f.call(6, during(1, 2)), out, true)
	assert.Equal(t, 1, f.TakeCounts().ClampedSpans)
	assert.Zero(t, f.TakeCounts())
}

// TestRun checks that the span of a run reports the usage that no call used.
func TestRun(t *testing.T) {
	f := newFixture()
	f.run.Top.Ledger.AddTotal("m1", &events.Usage{Tokens: events.Tokens{Input: 7}})
	f.Agent(f.run.Top, outcome.Closed(otlp.CloseReasonResult), nil, nil)
	assert.Equal(t, []int{1, 0}, f.take())
	if assert.Len(t, f.used, 1) {
		assert.Equal(t, int64(7), int64(f.used[0].Tokens.Input))
		assert.Equal(t, "s1", f.used[0].Session)
	}
}

func TestRecords(t *testing.T) {
	f := newFixture()
	f.Record(f.run.Top, nil, pending.Sighting{Event: &events.DisplayEvent{Kind: events.KindText, Text: "a"}, At: at(1)}, otlp.UID{1}, time.Now())
	f.End(f.run, outcome.Closed(otlp.CloseReasonTimeout), time.Now())
	f.End(f.run, outcome.Closed(otlp.CloseReasonTimeout), time.Now())
	assert.Equal(t, []int{0, 2}, f.take(), "each once")
	f.Dropped(f.run)
	assert.Equal(t, 1, f.TakeCounts().OtherAccount)
}

// TestExit checks that a process without a run has a span, under which its exit is recorded.
func TestExit(t *testing.T) {
	f := newFixture()
	f.Exit(f.run, at(9), &outcome.Exit{}, time.Now())
	assert.Equal(t, []int{0, 1}, f.take())
	f.Exit(nil, at(9), &outcome.Exit{}, time.Now())
	assert.Equal(t, []int{1, 1}, f.take())
}
