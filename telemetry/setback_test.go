package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/telemetry"
)

// setBackFrom sets the agent's clock back by two hours before a line of a script.
func setBackFrom(first int, sc script) script {
	var all script
	for i, evs := range sc {
		evs = clone(evs)
		for j := range evs {
			if i >= first && !evs[j].Time.IsZero() {
				evs[j].Time = evs[j].Time.Add(-2 * time.Hour)
			}
		}
		all = append(all, evs)
	}
	return all
}

// withinMinutes checks that no span contains a step of the clock.
func withinMinutes(t *testing.T, f *collected, msgAndArgs ...any) {
	t.Helper()
	require.NotEmpty(t, f.spans)
	for _, s := range f.spans {
		lasts := s.EndTimestamp().AsTime().Sub(s.StartTimestamp().AsTime())
		assert.True(t, 0 <= lasts && lasts < 2*time.Minute, "%s lasts %s, %v", s.Name(), lasts, msgAndArgs)
	}
}

// TestReplayOfAClockSetBack: a restart at any line changes neither IDs nor times.
func TestReplayOfAClockSetBack(t *testing.T) {
	spawn := use(8, "msg3", "a1", "Agent", "Look")
	spawn.Tool.AgentType = "Explore"
	session := append(parallelTools()[:7:7],
		line(spawn), line(under("a1", use(9, "sub1", "t3", "Read", "y")), under("a1", text(9, "sub1", "Hm."))),
		line(under("a1", result(10, "t3"))), line(result(11, "a1")), line(text(12, "msg4", "Done.")), line(ended("")))
	for step := 1; step < len(session); step++ {
		sc := setBackFrom(step, session)
		withinMinutes(t, collect(t, sc, telemetry.StreamSettings{}, otlp.CloseReasonShutdown), "set back before line", step)
		everything := describe(t, sc, 0)
		for position := range len(sc) {
			assert.Equal(t, everything, append(describeUntil(t, sc, position), describe(t, sc, position)...), "set back before line %d, cut before line %d", step, position)
		}
	}
}

// TestClockSetBackBeforeTheLastLine: the time of the only line after the change is that of the line before, and its spans are marked.
func TestClockSetBackBeforeTheLastLine(t *testing.T) {
	session := script{line(started()), line(prompt(1, "p1")), line(use(2, "msg1", "t1", "Bash", "make")), line(result(3, "t1")), line(text(4, "msg2", "Done."))}
	for last := 3; last < len(session); last++ {
		f := collect(t, setBackFrom(last, session[:last+1]), telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
		withinMinutes(t, f, "last line", last)
		assert.Equal(t, "true", attr(f.span(t, "invoke_agent claude-code"), otlp.AttrTimeClamped), "last line %d", last)
	}
}

// TestClockSetBackBetweenRuns: the next run has its own times, and the sub-agent that the run before left in the background has the
// times of that run.
func TestClockSetBackBetweenRuns(t *testing.T) {
	launched := result(3, "a1")
	launched.Tool.State, launched.Tool.AgentID = events.ToolStateBackground, "agent-1"
	sc := script{
		line(started()), line(use(2, "msg1", "a1", "Agent", "Look")), line(under("a1", text(2.5, "sub1", "I begin."))), line(launched),
		line(text(4, "msg2", "It works.")), line(ended("")),
		line(started(), prompt(10, "p2")), line(under("a1", use(11, "sub2", "t1", "Read", "x"))), line(text(12, "msg3", "Second.")),
		line(under("a1", result(13, "t1"))), line(progress("a1", events.ToolStateCompleted)), line(ended("")),
	}
	f := collect(t, setBackFrom(6, sc), telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	withinMinutes(t, f)
	from, _ := seconds(f.span(t, "chat m1"))
	assert.InDelta(t, 2, from, 1)
	from, to := seconds(f.span(t, "execute_tool Read"))
	assert.Equal(t, 2.0, to-from)
	assert.Less(t, 0.0, from, "by the clock of its run")
	last := f.spans[len(f.spans)-1]
	require.Equal(t, "invoke_agent claude-code", last.Name())
	from, to = seconds(last)
	assert.Equal(t, []float64{10 - 2*hour, 13 - 2*hour}, []float64{from, to}, "by the clock that was right")
	assert.Empty(t, attr(last, otlp.AttrTimeClamped))
}

// TestIdleAfterAClockWasSetBack: what is silent for long is over, although its lines are before those of the start.
func TestIdleAfterAClockWasSetBack(t *testing.T) {
	sc := script{line(started()), line(use(2, "msg1", "t1", "Bash", "make")), line(result(3, "t1")), line(use(4, "msg2", "t2", "Bash", "make"))}
	sc = append(setBackFrom(2, sc), line(text(4-2*hour+30*60, "msg3", "Half an hour later.")))
	f := collect(t, sc, telemetry.StreamSettings{IdleGap: 10 * time.Minute}, otlp.CloseReasonShutdown)
	withinMinutes(t, f)
	assert.Equal(t, "timeout", attr(f.span(t, "invoke_agent claude-code"), otlp.AttrCloseReason))
}

// TestArrivalsOfAClockSetBack: in a stream without times, our own clock is set back.
func TestArrivalsOfAClockSetBack(t *testing.T) {
	for step := 1; step < len(parallelTools())-1; step++ { // the last line adds no time of its own
		f := follow(telemetry.StreamSettings{})
		for i, evs := range parallelTools() {
			if f.pass(time.Second); i == step {
				f.pass(-2 * time.Hour)
			}
			for j := range evs {
				evs[j] = untimed(evs[j])
			}
			f.feed(true, evs...)
		}
		withinMinutes(t, &f.collected, "set back before line", step)
		assert.Equal(t, "true", attr(f.runs()[0], otlp.AttrTimeClamped), "set back before line %d", step)
	}
}

// TestExitAfterAClockWasSetBack: the end of the process is by the system clock.
func TestExitAfterAClockWasSetBack(t *testing.T) {
	for _, step := range []int{2, 3} {
		f := newExitStream()
		f.feed(setBackFrom(step, script{
			line(untimed(started())), line(text(2*hour+1, "m1", "hello")), line(use(2*hour+2, "m1", "c1", "Bash", "ls")),
		}))
		f.exit(outcome.Exit{Code: -1, Signal: "killed", Incomplete: true})
		withinMinutes(t, &f.collected, "set back before line", step)
	}
}
