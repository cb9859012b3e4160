package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// followed is a stream with a clock that the test controls.
type followed struct {
	*telemetry.Registry
	*telemetry.Stream
	now       time.Time
	lines     int64
	collected collected
}

func follow(set telemetry.StreamSettings, with ...func(*telemetry.Settings)) *followed {
	f := &followed{now: at(100_000)}
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return f.now }
	for _, f := range with {
		f(&settings)
	}
	f.Registry = telemetry.NewRegistry(settings)
	set.ID, set.Agent = "f", claude
	f.Stream = f.Open(set)
	return f
}

func (f *followed) feed(live bool, evs ...events.DisplayEvent) {
	f.Feed(telemetry.Line{Offset: f.lines, Live: live, Arrival: f.now}, evs)
	f.lines++
	f.collected.take(f.Stream.Take())
}

// pass lets time pass.
func (f *followed) pass(d time.Duration) {
	f.now = f.now.Add(d)
	f.collected.take(f.Registry.Take())
}

func (f *followed) runs() (all []ptrace.Span) {
	for _, s := range f.collected.spans {
		if s.Name() == "invoke_agent claude-code" {
			all = append(all, s)
		}
	}
	return all
}

func sign(ev events.DisplayEvent, s events.Sign) events.DisplayEvent {
	ev.Sign = s
	return ev
}

// TestOutcomeOfTranscripts: the last lines of a transcript decide, and nothing is a success unless a line shows it.
func TestOutcomeOfTranscripts(t *testing.T) {
	call := use(2, "msg1", "t1", "Bash", "sleep 99")
	stopped := result(3, "t1")
	stopped.Tool.Error, stopped.Tool.State = true, events.ToolStateStopped
	unauthorized := sign(text(3, "msg2", "Invalid API key"), events.Sign{Outcome: events.OutcomeError, Cause: events.CauseAuthentication})
	over := ended("")
	over.Kind, over.End.Unjudged = events.KindTurnDone, true
	weak := sign(text(3, "msg2", "Maybe."), events.Sign{Outcome: events.OutcomeOK, Weak: true})
	for _, tt := range []struct {
		name                   string
		script                 script
		outcome, reason, cause string
	}{
		{"last word", script{line(lastWord(1, "msg1"))}, "ok", "result", ""},
		{"last word and the end of the turn", script{line(lastWord(1, "msg1")), line(over)}, "ok", "result", ""},
		{"end of the turn without a last word", script{line(text(1, "msg1", "Hm.")), line(over)}, "incomplete", "no_result", "no_result"},
		{"text that may be the last", script{line(weak)}, "ok", "result", ""},
		{"text with work behind it", script{line(lastWord(1, "msg1")), line(call), line(result(3, "t1"))}, "incomplete", "timeout", "timeout"},
		{"last word with an open call", script{line(call), line(lastWord(3, "msg2"))}, "incomplete", "timeout", "timeout"},
		{"failed call of the API", script{line(unauthorized)}, "error", "result", "authentication_failed"},
		{"failed call of the API, then it goes on", script{line(unauthorized), line(lastWord(4, "msg3"))}, "ok", "result", ""},
		{"stopped by the user", script{line(call), line(stopped)}, "interrupted", "interrupted", ""},
		{"nothing that shows the end", script{line(text(1, "msg1", "Hm."))}, "incomplete", "timeout", "timeout"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := collect(t, append(script{line(prompt(0, "p1"))}, tt.script...), telemetry.StreamSettings{Identity: nightly("fix")}, otlp.CloseReasonTimeout)
			run := f.span(t, "invoke_agent claude-code")
			assert.Equal(t, tt.outcome, attr(run, otlp.AttrRunOutcome))
			assert.Equal(t, tt.reason, attr(run, otlp.AttrCloseReason))
			assert.Equal(t, tt.outcome == "error", run.Status().Message() == "Invalid API key", "the words of the failure")
			assert.Equal(t, tt.cause, attr(run, otlp.AttrErrorType))
			assert.Equal(t, tt.cause, attr(f.span(t, "fix"), otlp.AttrErrorType), "the step has the cause of its run")
			assert.Equal(t, tt.outcome == "ok", attr(f.span(t, "fix"), otlp.AttrTaskRunResult) == "success")
			if len(f.ends) > 0 { // no line ends it
				end, _ := f.ends[0].Attributes().Get(otlp.AttrRunOutcome)
				assert.Equal(t, tt.outcome, end.Str())
			}
		})
	}
}

// TestFailedModelCall: a model call that finally failed has a separate span.
func TestFailedModelCall(t *testing.T) {
	failure := text(3, "msg2", "Invalid API key")
	failure.Synthetic, failure.Model = true, ""
	failure.Sign = events.Sign{Outcome: events.OutcomeError, Cause: events.CauseAuthentication, ModelCall: true}
	f := collect(t, script{line(prompt(1, "p1")), line(failure)}, telemetry.StreamSettings{}, otlp.CloseReasonTimeout)
	chat := f.span(t, "chat")
	from, to := seconds(chat)
	assert.Equal(t, []float64{1, 3}, []float64{from, to}, "with its retries")
	assert.Equal(t, ptrace.StatusCodeError, chat.Status().Code())
	assert.Equal(t, "Invalid API key", chat.Status().Message())
	assert.Equal(t, "authentication_failed", attr(chat, otlp.AttrErrorType))

	done := ended("Invalid API key")
	done.End.Duration = 2500 * time.Millisecond
	f = collect(t, script{line(started()), line(failure), line(done)}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	chat = f.span(t, "chat m1")
	from, to = seconds(chat)
	assert.Equal(t, []float64{0.5, 3}, []float64{from, to}, "only the duration of the run shows when its first call began")
	assert.Equal(t, "authentication_failed", attr(chat, otlp.AttrErrorType))
}

// TestEndGrace: a run that has shown its end is exported when no line follows; later lines are a run with a link to it.
func TestEndGrace(t *testing.T) {
	f := follow(telemetry.StreamSettings{IdleGap: time.Hour})
	f.feed(true, prompt(0, "p1"))
	f.feed(true, text(1, "msg1", "Hm."))
	f.pass(20 * time.Second)
	assert.Empty(t, f.runs(), "it has not shown its end")
	f.feed(true, lastWord(22, "msg2"))
	f.pass(9 * time.Second)
	assert.Empty(t, f.runs())
	f.pass(2 * time.Second)
	require.Len(t, f.runs(), 1)
	assert.Equal(t, "ok", attr(f.runs()[0], otlp.AttrRunOutcome))
	assert.Len(t, f.collected.ends, 1)

	f.feed(true, lastWord(60, "msg3"))
	f.pass(11 * time.Second)
	require.Len(t, f.runs(), 2)
	first, more := f.runs()[0], f.runs()[1]
	require.Equal(t, 1, more.Links().Len())
	assert.Equal(t, first.SpanID(), more.Links().At(0).SpanID())
	assert.Equal(t, first.TraceID(), more.Links().At(0).TraceID())
	f.feed(true, lastWord(90, "msg4"))
	f.pass(11 * time.Second)
	require.Len(t, f.runs(), 3)
	assert.Equal(t, first.SpanID(), f.runs()[2].Links().At(0).SpanID(), "the link leads to the first")
	f.feed(true, prompt(120, "p2"))
	f.feed(true, lastWord(121, "msg5"))
	f.pass(11 * time.Second)
	require.Len(t, f.runs(), 4)
	assert.Zero(t, f.runs()[3].Links().Len(), "a prompt begins anew")
}

// TestEndGraceWaits: a run is not over while a call or a sub-agent is active, nor if its format has an end line.
func TestEndGraceWaits(t *testing.T) {
	background := result(3, "a1")
	background.Tool.State, background.Tool.AgentID = events.ToolStateBackground, "agent-1"
	done := events.DisplayEvent{Kind: events.KindToolProgress, Time: at(90), Tool: events.Tool{ID: "a1", State: events.ToolStateCompleted}}
	for _, tt := range []struct {
		name   string
		before []events.DisplayEvent
		after  *events.DisplayEvent
	}{
		{"open call", []events.DisplayEvent{prompt(0, "p1"), use(1, "msg1", "t1", "Bash", "x")}, nil},
		{"sub-agent in the background", []events.DisplayEvent{prompt(0, "p1"), use(1, "msg1", "a1", "Agent", "x"), background}, &done},
		{"stream", []events.DisplayEvent{started()}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := follow(telemetry.StreamSettings{})
			for _, ev := range append(tt.before, lastWord(5, "msg2")) {
				f.feed(true, ev)
			}
			f.pass(time.Minute)
			assert.Empty(t, f.runs())
			if tt.after != nil {
				f.feed(true, *tt.after)
				f.pass(time.Minute)
				assert.Len(t, f.runs(), 1)
			}
		})
	}
}

// TestOldFileClosesAtItsEnd: a file whose last change is older than the idle gap is complete. What is closed at its end
// stays closed over a restart.
func TestOldFileClosesAtItsEnd(t *testing.T) {
	old := telemetry.StreamSettings{IdleGap: time.Hour, FileTime: at(0)}
	f := follow(old)
	f.feed(false, prompt(0, "p1"))
	f.feed(false, use(1, "msg1", "t1", "Bash", "sleep 99"))
	f.Idle()
	out := f.Stream.Take()
	f.collected.take(out)
	out.Accepted()
	require.Len(t, f.runs(), 1)
	assert.Equal(t, "incomplete", attr(f.runs()[0], otlp.AttrRunOutcome))
	state, open := f.Stream.State()
	assert.False(t, open, "it need not be read again")

	again := follow(telemetry.StreamSettings{IdleGap: time.Hour, FileTime: at(0), State: &state})
	again.Feed(telemetry.Line{Offset: 0, Replay: true}, []events.DisplayEvent{prompt(0, "p1")})
	again.Feed(telemetry.Line{Offset: 1, Replay: true}, []events.DisplayEvent{use(1, "msg1", "t1", "Bash", "sleep 99")})
	again.Idle()
	again.collected.take(again.Stream.Take())
	assert.Empty(t, again.collected.spans)

	fresh := follow(telemetry.StreamSettings{IdleGap: time.Hour, FileTime: at(99_000)})
	fresh.feed(false, prompt(0, "p1"))
	fresh.Idle()
	fresh.collected.take(fresh.Stream.Take())
	assert.Empty(t, fresh.runs(), "more may come")
}

// TestClockSetBack is case 232: the clock was ahead when a run began.
func TestClockSetBack(t *testing.T) {
	end := ended("")
	end.Time, end.End.Duration = at(4), 3*time.Second
	f := collect(t, script{
		line(untimed(started())), line(use(2*hour, "msg1", "t1", "Bash", "make")), line(result(3, "t1")), line(text(4, "msg2", "Built.")), line(end),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	run := f.span(t, "invoke_agent claude-code")
	from, to := seconds(run)
	assert.Equal(t, []float64{2*hour - 2, 2*hour + 1}, []float64{from, to}, "as long as the agent measured")
	assert.Equal(t, "true", attr(run, otlp.AttrTimeClamped))
}

// TestIdleTimeBelongsToNoRun: a run whose opening line has no time does not start with the time of the run before.
func TestIdleTimeBelongsToNoRun(t *testing.T) {
	end := func(sec float64, id string) events.DisplayEvent {
		ev := ended("")
		ev.Time, ev.ItemID = at(sec), id
		return ev
	}
	f := collect(t, script{
		line(started()), line(text(1, "msg1", "One.")), line(end(2, "e1")),
		line(untimed(started())), line(prompt(60, "p2")), line(text(61, "msg2", "Two.")), line(end(62, "e2")),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	var starts []float64
	for _, s := range f.spans {
		if s.Name() == "invoke_agent claude-code" {
			from, _ := seconds(s)
			starts = append(starts, from)
		}
	}
	assert.Equal(t, []float64{1, 60}, starts)
}

// TestRunsMetric counts runs by outcome and cause.
func TestRunsMetric(t *testing.T) {
	f := follow(telemetry.StreamSettings{Identity: nightly("fix")})
	failed := ended("no")
	failed.End.Cause, failed.ItemID = events.CauseRateLimit, "e2"
	for _, ev := range []events.DisplayEvent{started(), text(1, "msg1", "One."), ended(""), started(), text(5, "msg2", "Two."), failed} {
		f.feed(false, ev)
	}
	got := map[string]int64{}
	for _, rm := range f.Metrics().TakeLast(f.now)[1].ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Name() != otlp.MetricRuns {
				continue
			}
			for _, p := range m.Sum().DataPoints().All() {
				attrs := p.Attributes().AsRaw()
				cause, _ := attrs[otlp.AttrErrorType].(string)
				got[attrs[otlp.AttrRunOutcome].(string)+" "+cause] += p.IntValue()
			}
		}
	}
	assert.Equal(t, map[string]int64{"ok ": 1, "error rate_limit": 1}, got)
}
