package telemetry_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

func TestTimes(t *testing.T) {
	fileTime := at(500)
	noTimes := script{line(started()), line(text(0, "msg1", "Hi.")), line(ended(""))}
	for _, l := range noTimes {
		for i := range l {
			l[i].Time = time.Time{}
		}
	}
	t.Run("nearest later, then nearest earlier", func(t *testing.T) {
		f := collect(t, parallelTools(), telemetry.StreamSettings{FileTime: fileTime}, otlp.CloseReasonShutdown)
		for _, want := range []struct {
			record int
			sec    float64
			source clock.Source
		}{{0, 1, clock.SourceCarried}, {1, 1, clock.SourceLine}, {7, 6, clock.SourceCarried}} {
			lr := f.records[want.record]
			assert.InDelta(t, want.sec, lr.Timestamp().AsTime().Sub(epoch).Seconds(), 0.001)
			v, _ := lr.Attributes().Get(otlp.AttrTimeSource)
			assert.Equal(t, want.source.String(), v.Str())
		}
	})
	t.Run("file time where no line has one", func(t *testing.T) {
		f := collect(t, noTimes, telemetry.StreamSettings{FileTime: fileTime}, otlp.CloseReasonShutdown)
		run := f.span(t, "invoke_agent claude-code")
		assert.Equal(t, fileTime, run.StartTimestamp().AsTime())
		assert.Equal(t, "file", attr(run, otlp.AttrTimeSource))
	})
	t.Run("arrival when read live", func(t *testing.T) {
		stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude, FileTime: fileTime})
		for i, evs := range noTimes {
			stream.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: at(float64(700 + i))}, clone(evs))
		}
		var f collected
		f.take(stream.Take())
		run := f.span(t, "invoke_agent claude-code")
		from, to := seconds(run)
		assert.Equal(t, []float64{700, 702}, []float64{from, to})
		assert.Equal(t, "arrival", attr(run, otlp.AttrTimeSource))
	})
	t.Run("old session written live", func(t *testing.T) {
		stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude, FileTime: fileTime})
		for i, evs := range parallelTools() {
			stream.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: at(float64(700 + i))}, clone(evs))
		}
		var f collected
		f.take(stream.Take())
		from, to := seconds(f.span(t, "invoke_agent claude-code"))
		assert.Equal(t, []float64{1, 6}, []float64{from, to}, "the first line has no time of its own, but a later one has")
	})
	t.Run("nonsense is no time", func(t *testing.T) {
		sc := parallelTools()
		sc[2][0].Time = time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)
		f := collect(t, sc, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
		from, _ := seconds(f.span(t, "execute_tool Read"))
		assert.InDelta(t, 1, from, 0.001)
	})
}

// TestArrivalsOverARestart: a run that began before a restart and ends after it has the times of the first process, to
// the nanosecond.
func TestArrivalsOverARestart(t *testing.T) {
	lines := script{line(untimed(text(0, "msg1", "Hi."))), line(untimed(text(0, "msg1", "Still."))), line(ended(""))}
	came := func(i int) time.Time { return at(700 + float64(i)).Add(452_303_179) }
	first := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	for i, evs := range lines[:2] {
		first.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: came(i)}, clone(evs))
	}
	state, open := first.State()
	require.True(t, open)
	kept, err := json.Marshal(state)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(kept, &state))

	second := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude, State: &state})
	for i, evs := range lines {
		second.Feed(telemetry.Line{Offset: int64(i), Replay: i < 2, Live: i == 2, Arrival: came(i)}, clone(evs))
	}
	var f collected
	f.take(second.Take())
	run := f.span(t, "invoke_agent claude-code")
	assert.Equal(t, came(0), run.StartTimestamp().AsTime())
	assert.Equal(t, came(2), run.EndTimestamp().AsTime())
}

// lasting returns a result whose provider measured the call.
func lasting(ev events.DisplayEvent, d time.Duration) events.DisplayEvent {
	ev.Tool.Duration = d
	return ev
}

// untimed returns an event whose line has no time.
func untimed(ev events.DisplayEvent) events.DisplayEvent {
	ev.Time = time.Time{}
	return ev
}

// TestProviderDurations: if the lines lack one end of a call or both, the duration gives the other. It never moves an end to an
// impossible time. If the lines have both ends and the duration is much shorter, the call waited before it ran.
func TestProviderDurations(t *testing.T) {
	const d = 2 * time.Second
	hello := line(text(1, "msg0", "Hm."))
	tests := []struct {
		name     string
		lines    script
		file     time.Time
		from, to float64
		source   clock.Source
	}{
		{"both ends known", script{hello, line(use(3, "msg1", "t1", "Bash", "x")), line(lasting(result(9, "t1"), d))}, time.Time{}, 7, 9, clock.SourceLine},
		{"both ends known, as long as measured", script{hello, line(use(3, "msg1", "t1", "Bash", "x")), line(lasting(result(5.4, "t1"), d))}, time.Time{}, 3, 5.4, clock.SourceLine},
		{"end known", script{hello, line(untimed(use(3, "msg1", "t1", "Bash", "x"))), line(lasting(result(9, "t1"), d))}, time.Time{}, 7, 9, clock.SourceDuration},
		{"start known", script{hello, line(use(3, "msg1", "t1", "Bash", "x")), line(lasting(untimed(result(9, "t1")), d))}, time.Time{}, 3, 5, clock.SourceDuration},
		{"end known, and the start by a later line", script{line(untimed(use(3, "msg1", "t1", "Bash", "x"))), line(lasting(result(9, "t1"), d))}, time.Time{}, 7, 9, clock.SourceDuration},
		{"longer than since the line before", script{hello, line(untimed(use(3, "msg1", "t1", "Bash", "x"))), line(lasting(result(2, "t1"), d))}, time.Time{}, 1, 2, clock.SourceCarried},
		{"no time at all", script{line(untimed(use(3, "msg1", "t1", "Bash", "x"))), line(lasting(untimed(result(9, "t1")), d))}, at(500), 498, 500, clock.SourceFile},
		{"beyond belief", script{hello, line(untimed(use(3, "msg1", "t1", "Bash", "x"))), line(lasting(result(9, "t1"), 8*24*time.Hour))}, time.Time{}, 1, 9, clock.SourceCarried},
		{"batch", script{hello, line(use(3, "msg1", "t1", "Bash", "x"), use(3, "msg1", "t2", "Read", "x")), line(lasting(result(9, "t1"), d), result(9, "t2"))}, time.Time{}, 3, 5, clock.SourceDuration},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := collect(t, tt.lines, telemetry.StreamSettings{FileTime: tt.file}, otlp.CloseReasonNoResult)
			call := f.span(t, "execute_tool Bash")
			from, to := seconds(call)
			assert.Equal(t, []float64{tt.from, tt.to}, []float64{from, to})
			assert.Equal(t, tt.source.String(), attr(call, otlp.AttrTimeSource))
			_, asked := call.Attributes().Get(otlp.AttrToolApprovalWait)
			assert.False(t, asked, "nobody was asked")
		})
	}
}

// TestDurationHoldsChildren: the span of a sub-agent's call covers the sub-agent, whatever its duration is.
func TestDurationHoldsChildren(t *testing.T) {
	f := collect(t, script{
		line(text(1, "msg1", "Go.")), line(untimed(use(1, "msg1", "a1", "Agent", "Look"))),
		line(under("a1", text(3, "sub1", "On it."))), line(lasting(result(9, "a1"), time.Second)),
	}, telemetry.StreamSettings{}, otlp.CloseReasonNoResult)
	from, to := seconds(f.span(t, "execute_tool Agent"))
	assert.Equal(t, []float64{1, 9}, []float64{from, to}, "its first model call began with the call")
}

// batched returns a result that its parser marks as written together with others.
func batched(sec float64, id string) events.DisplayEvent {
	ev := result(sec, id)
	ev.Tool.Batched = true
	return ev
}

// TestBatchTimes: results that were written together show when the last of them was ready.
func TestBatchTimes(t *testing.T) {
	calls := line(use(1, "msg1", "t1", "Read", "a"), use(1, "msg1", "t2", "Read", "b"), use(1, "msg1", "t3", "Read", "c"))
	for _, tt := range []struct {
		name  string
		lines script
		want  []string
	}{
		{"one line", script{calls, line(result(4, "t1"), result(4, "t2"), result(4, "t3"))}, []string{"batch", "batch", "batch"}},
		{"one line, times of their own", script{calls, line(result(4, "t1"), result(5, "t2"), result(6, "t3"))}, []string{"", "", ""}},
		{"beside their calls", script{line(calls[0], result(4, "t1"), calls[1], result(4, "t2")), line(calls[2]), line(result(5, "t3"))}, []string{"batch", "batch", ""}},
		{"lines of their own, as their parser says", script{calls, line(batched(4, "t1")), line(batched(4, "t2")), line(batched(4, "t3"))}, []string{"batch", "batch", "batch"}},
		{"two lines of one time", script{calls, line(result(4, "t1")), line(result(4, "t2")), line(result(5, "t3"))}, []string{"", "", ""}},
		{"one after another", script{calls, line(result(4, "t1")), line(result(5, "t2")), line(result(6, "t3"))}, []string{"", "", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := collect(t, tt.lines, telemetry.StreamSettings{}, otlp.CloseReasonNoResult)
			var sources, recorded []string
			for _, s := range f.spans {
				if s.Name() == "execute_tool Read" {
					sources = append(sources, attr(s, otlp.AttrTimeSource))
				}
			}
			for _, lr := range f.records {
				if lr.EventName() == "tailspan.tool_result" {
					v, _ := lr.Attributes().Get(otlp.AttrTimeSource)
					recorded = append(recorded, v.Str())
				}
			}
			assert.Equal(t, tt.want, sources)
			assert.Equal(t, tt.want, recorded)
		})
	}
}

// TestRunDuration: a run whose first line is its first answer has the start that its duration gives.
func TestRunDuration(t *testing.T) {
	done := ended("")
	done.End.Duration = 5 * time.Second
	prompted := prompt(0.5, "p1")
	for _, tt := range []struct {
		name   string
		lines  script
		from   float64
		source clock.Source
	}{
		{"first sign is the answer", script{line(started()), line(text(3, "msg1", "Hi.")), line(text(4, "msg2", "Ho.")), line(done)}, -1, clock.SourceDuration},
		{"a prompt between answers", script{line(started()), line(text(3, "msg1", "Cut")), line(prompt(3.5, "p1")), line(text(4, "msg2", "Ho.")), line(done)}, -1, clock.SourceDuration},
		{"the prompt has a time", script{line(prompted), line(text(3, "msg1", "Hi.")), line(done)}, 0.5, clock.SourceLine},
		{"shorter than what was seen", script{line(started()), line(text(3, "msg1", "Hi.")), line(text(14, "msg2", "Ho.")), line(done)}, 3, clock.SourceCarried},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := collect(t, tt.lines, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
			run := f.span(t, "invoke_agent claude-code")
			from, _ := seconds(run)
			assert.InDelta(t, tt.from, from, 0.001)
			assert.Equal(t, tt.source.String(), attr(run, otlp.AttrTimeSource))
		})
	}
	t.Run("not before the end of the run before", func(t *testing.T) {
		second := done
		second.ItemID = "i-end-2"
		f := collect(t, script{
			line(started()), line(text(3, "msg1", "Hi.")), line(done),
			line(started()), line(text(5, "msg2", "Ho.")), line(second),
		}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
		from, to := seconds(f.spans[len(f.spans)-1])
		assert.Equal(t, []float64{3, 5}, []float64{from, to})
	})
}

// TestFirstModelCall: the first model call of a run began with its input, even if only the duration of the run shows
// when that was.
func TestFirstModelCall(t *testing.T) {
	done := ended("")
	done.End.Duration = 5 * time.Second
	begun := started()
	begun.Time = at(0.5)
	for _, tt := range []struct {
		name   string
		lines  script
		file   time.Time
		from   float64
		source clock.Source
	}{
		{"one call", script{line(started()), line(text(3, "msg1", "Hi.")), line(done)}, time.Time{}, -2, clock.SourceCarried},
		{"several calls", script{line(started()), line(text(3, "msg1", "Hi.")), line(use(3.5, "msg1", "t1", "Read", "x")), line(result(3.7, "t1")), line(text(4, "msg2", "Ho.")), line(done)}, time.Time{}, -1, clock.SourceDuration},
		{"the start line has a time", script{line(begun), line(text(3, "msg1", "Hi.")), line(done)}, time.Time{}, 0.5, clock.SourceLine},
		{"a prompt has a time", script{line(begun), line(prompt(1, "p1")), line(text(3, "msg1", "Hi.")), line(done)}, time.Time{}, 1, clock.SourceLine},
		{"the run has no duration", script{line(started()), line(text(3, "msg1", "Hi.")), line(ended(""))}, time.Time{}, 3, clock.SourceLine},
		{"nothing shows when it ended", script{line(started()), line(untimed(text(3, "msg1", "Hi."))), line(done)}, at(500), 500, clock.SourceFile},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := collect(t, tt.lines, telemetry.StreamSettings{FileTime: tt.file}, otlp.CloseReasonShutdown)
			first := f.span(t, "chat m1")
			assert.Equal(t, "msg1", attr(first, otlp.AttrGenAIResponseID))
			from, _ := seconds(first)
			assert.InDelta(t, tt.from, from, 0.001)
			assert.Equal(t, tt.source.String(), attr(first, otlp.AttrTimeSource))
		})
	}
}

// TestUsageAfterCalls: a model call ends with the model's last output, even if its usage is reported after its calls.
func TestUsageAfterCalls(t *testing.T) {
	usage := events.DisplayEvent{
		Kind: events.KindUsage, Time: at(6), SessionID: "s1", MessageID: "msg1", ItemID: "u1",
		Usage: &events.Usage{Scope: events.UsageScopeCall, Tokens: events.Tokens{Input: 10, Output: 3}},
	}
	called := script{line(prompt(0, "p1")), line(text(1, "msg1", "Look.")), line(use(2, "msg1", "t1", "Read", "x")), line(result(5, "t1")), line(usage)}
	after, none := claude, script{line(prompt(0, "p1")), line(text(1, "msg1", "Look.")), line(usage)}
	after.UsageAfterCalls = true
	for _, tt := range []struct {
		name  string
		lines script
		agent program.Agent
		to    float64
	}{{"after its calls", called, after, 2}, {"without calls", none, after, 6}, {"with the end of the answer", called, claude, 6}} {
		t.Run(tt.name, func(t *testing.T) {
			chat := collect(t, tt.lines, telemetry.StreamSettings{Agent: tt.agent}, otlp.CloseReasonShutdown).span(t, "chat m1")
			_, to := seconds(chat)
			assert.InDelta(t, tt.to, to, 0.001)
			assert.Equal(t, "10", attr(chat, otlp.AttrGenAIInputTokens))
		})
	}
}

// TestApprovalWait: the time that a call waited for approval is not part of its duration.
func TestApprovalWait(t *testing.T) {
	call := use(3, "msg1", "t1", "Bash", "x")
	call.Tool.Asks = true
	f := collect(t, script{line(text(1, "msg0", "Hm.")), line(call), line(lasting(result(30, "t1"), 2*time.Second))}, telemetry.StreamSettings{}, otlp.CloseReasonNoResult)
	span := f.span(t, "execute_tool Bash")
	from, to := seconds(span)
	assert.Equal(t, []float64{28, 30}, []float64{from, to})
	assert.Equal(t, 25.0, span.Attributes().AsRaw()[otlp.AttrToolApprovalWait])
}
