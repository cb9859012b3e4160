package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// named returns the records with an event name.
func (f *followed) named(name string) (list []plog.LogRecord) {
	for _, lr := range f.collected.records {
		if lr.EventName() == name {
			list = append(list, lr)
		}
	}
	return list
}

// TestStalled: a run without new lines is reported once and has no further progress records until one follows.
func TestStalled(t *testing.T) {
	f := follow(telemetry.StreamSettings{})
	f.feed(true, started())
	f.feed(true, use(1, "msg1", "t1", "Bash", "sleep 9999"))
	for range 100 {
		f.pass(10 * time.Second)
	}
	assert.Equal(t, 1, len(f.named(otlp.EventNameStalled)))
	assert.Equal(t, 1, f.collected.counts.StalledRuns)
	assert.Equal(t, 29, len(f.named(otlp.EventNameProgress)), "one each 10 s, for less than 5 min")
	f.feed(true, result(2, "t1"))
	f.pass(10 * time.Second)
	assert.Equal(t, 30, len(f.named(otlp.EventNameProgress)))
}

// TestSubAgentAtWorkIsNoStall: a run is not silent while its sub-agent writes to a separate file.
func TestSubAgentAtWorkIsNoStall(t *testing.T) {
	f := follow(telemetry.StreamSettings{})
	parent, child := twoFiles()
	for _, evs := range parent {
		f.feed(true, evs...)
	}
	sub := f.Open(telemetry.StreamSettings{ID: "sub", Agent: claude})
	write := func(offset int, evs []events.DisplayEvent) {
		sub.Feed(telemetry.Line{Offset: int64(offset), Live: true, Arrival: f.now}, evs)
		f.collected.take(sub.Take())
	}
	for i := range 60 {
		write(i, line(of("ag1", text(2+10*float64(i), "sub1", "Looking."))))
		f.pass(10 * time.Second)
	}
	assert.Zero(t, f.collected.counts.StalledRuns)
	write(60, child[len(child)-1])
	for range 60 {
		f.pass(10 * time.Second)
	}
	assert.Equal(t, 1, f.collected.counts.StalledRuns, "both are silent")
}

// TestFinishedTurnIsNoStall: an agent that has answered waits for the user, even if stall_after is shorter than end_grace, but its
// sub-agent in the background may stall.
func TestFinishedTurnIsNoStall(t *testing.T) {
	launched := result(2, "a1")
	launched.Tool.State, launched.Tool.AgentID = events.ToolStateBackground, "ag1"
	maybe := sign(text(3, "msg2", "Done."), events.Sign{Outcome: events.OutcomeOK, Weak: true})
	for _, tt := range []struct {
		name   string
		script script
		want   int
	}{
		{"last word", script{line(lastWord(3, "msg2"))}, 0},
		{"text that may be the last", script{line(maybe)}, 0},
		{"work after a text", script{line(maybe), line(use(4, "msg2", "t1", "Bash", "make"))}, 1},
		{"open call", script{line(use(1, "msg1", "t1", "Bash", "make")), line(maybe)}, 1},
		{"last word before a sub-agent", script{line(use(1, "msg1", "a1", "Agent", "Look")), line(launched), line(lastWord(3, "msg2"))}, 1},
		{"text before a sub-agent", script{line(use(1, "msg1", "a1", "Agent", "Look")), line(launched), line(maybe)}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := follow(telemetry.StreamSettings{}, func(s *telemetry.Settings) { s.StallAfter = s.EndGrace / 2 })
			f.feed(true, recorded())
			f.feed(true, prompt(0, "p1"))
			for _, evs := range tt.script {
				f.feed(true, evs...)
			}
			for range 30 {
				f.pass(time.Second)
				f.Idle()
			}
			assert.Len(t, f.named(otlp.EventNameStalled), tt.want)
		})
	}
}

// begin is when the streams of [follow] begin.
const begin = 100_000.0

// interrupted returns the notice that the user stopped the run.
func interrupted(sec float64) events.DisplayEvent {
	return sign(events.DisplayEvent{Kind: events.KindNotice, Time: at(sec), SessionID: "s1", Notice: events.Notice{Code: events.NoticeInterrupted}}, events.Sign{Outcome: events.OutcomeInterrupted})
}

// TestPromptStalls: an agent whose API hangs at the first call has no run yet. Its prompt is reported, unless it waits for no answer.
func TestPromptStalls(t *testing.T) {
	header, modelled, synthetic, retry := recorded(), recorded(), prompt(begin, "p0"), remark(begin)
	header.Time, modelled.Time, header.Model = at(begin-600), at(begin-600), ""
	synthetic.Synthetic, retry.Notice.Code = true, events.NoticeAPIRetry
	for _, tt := range []struct {
		name    string
		script  script
		elapsed float64 // 0 if there is no stall
	}{
		{"start of a stream", script{line(untimed(started()))}, 300},
		{"prompt after the header", script{line(header), line(prompt(begin, "p1"))}, 300},
		{"retries", script{line(prompt(begin, "p1")), line(retry)}, 300},
		{"long until the last line", script{line(prompt(begin-60, "p1")), line(remark(begin))}, 360},
		{"another prompt after a stop", script{line(prompt(begin-60, "p1")), line(interrupted(begin - 30)), line(prompt(begin, "p2"))}, 300},
		{"header", script{line(header)}, 0},
		{"header with a model", script{line(modelled)}, 0},
		{"nobody asked", script{line(header), line(remark(begin))}, 0},
		{"what the program writes in the user's name", script{line(header), line(synthetic)}, 0},
		{"the user stopped it", script{line(prompt(begin, "p1")), line(interrupted(begin + 1))}, 0},
		{"sub-agent in a separate file", script{line(of("ag1", prompt(begin, "p1")))}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := follow(telemetry.StreamSettings{})
			for _, evs := range tt.script {
				f.feed(true, evs...)
			}
			for range 60 {
				f.pass(10 * time.Second)
			}
			assert.Empty(t, f.named(otlp.EventNameProgress))
			stalls := f.named(otlp.EventNameStalled)
			assert.Equal(t, len(stalls), f.collected.counts.StalledRuns)
			if tt.elapsed == 0 {
				assert.Empty(t, stalls)
				return
			}
			require.Len(t, stalls, 1)
			assert.True(t, stalls[0].TraceID().IsEmpty() && stalls[0].SpanID().IsEmpty())
			raw := stalls[0].Attributes().AsRaw()
			assert.InDelta(t, tt.elapsed, raw[otlp.AttrElapsed], 0.001)
			assert.InDelta(t, 300, raw[otlp.AttrSilent], 0.001)
			assert.Equal(t, "s1", raw[otlp.AttrGenAIConversationID])
			assert.Equal(t, "claude-code", raw[otlp.AttrGenAIAgentName])
		})
	}
}

// TestPromptAfterAnOpenRunStalls: a prompt ends the run before it, which may still be open, and which the silence does not concern.
func TestPromptAfterAnOpenRunStalls(t *testing.T) {
	f := follow(telemetry.StreamSettings{})
	for _, ev := range []events.DisplayEvent{recorded(), prompt(begin, "p1"), lastWord(begin+1, "msg1"), prompt(begin+2, "p2")} {
		f.feed(true, ev)
	}
	for range 60 {
		f.pass(10 * time.Second)
	}
	assert.Empty(t, f.named(otlp.EventNameProgress))
	require.Len(t, f.named(otlp.EventNameStalled), 1)
	assert.True(t, f.named(otlp.EventNameStalled)[0].TraceID().IsEmpty())
	f.feed(true, text(begin+603, "msg2", "There."))
	for range 60 {
		f.pass(10 * time.Second)
	}
	assert.Len(t, f.named(otlp.EventNameProgress), 29)
	require.Len(t, f.named(otlp.EventNameStalled), 2)
	assert.False(t, f.named(otlp.EventNameStalled)[1].TraceID().IsEmpty())
}

// TestSecondAccountDoesNotStall: a transcript that waits for the end of the stream of its run is not silent by itself.
func TestSecondAccountDoesNotStall(t *testing.T) {
	f := follow(telemetry.StreamSettings{})
	transcript := f.Open(telemetry.StreamSettings{ID: "transcript", Agent: claude})
	f.feed(true, started())
	f.feed(true, text(begin, "msg1", "Hi."))
	for i, ev := range []events.DisplayEvent{recorded(), prompt(begin, "p1"), text(begin, "msg1", "Hi.")} {
		transcript.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: f.now, Read: f.now}, line(ev))
	}
	for range 60 {
		f.pass(10 * time.Second)
	}
	assert.Equal(t, 1, f.collected.counts.StalledRuns)
	assert.Len(t, f.named(otlp.EventNameStalled), 1)
}

// TestStallOfAFileThatWasFound: a file is found with the lines that were written before. A silence that began too long ago is not reported.
func TestStallOfAFileThatWasFound(t *testing.T) {
	asked := func(sec float64) script { return script{line(recorded()), line(prompt(sec, "p1"))} }
	answered := func(sec float64) script { return append(asked(sec), line(use(sec, "msg1", "t1", "Bash", "make"))) }
	for _, tt := range []struct {
		name   string
		script script
		file   float64 // when it was changed
		want   int
	}{
		{"prompt", asked(begin - 60), begin - 60, 1},
		{"run", answered(begin - 60), begin - 60, 1},
		{"old prompt", asked(begin - 600), begin - 600, 0},
		{"old run", answered(begin - 600), begin - 600, 0},
		{"copy of an old prompt", asked(begin - 600), begin, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			read := func(state *telemetry.StreamState, replay bool) *followed {
				f := follow(telemetry.StreamSettings{FileTime: at(tt.file), State: state})
				for i, evs := range tt.script {
					f.Feed(telemetry.Line{Offset: int64(i), Replay: replay}, clone(evs))
				}
				f.Idle()
				return f
			}
			f := read(nil, false)
			f.collected.take(f.Stream.Take())
			state, _ := f.Stream.State()
			again := read(&state, true)
			for _, of := range []*followed{f, again} {
				for range 60 {
					of.pass(10 * time.Second)
					of.Idle()
				}
				require.Len(t, of.named(otlp.EventNameStalled), tt.want)
			}
			if tt.want == 0 {
				return
			}
			for _, of := range []*followed{f, again} {
				silent, _ := of.named(otlp.EventNameStalled)[0].Attributes().Get(otlp.AttrSilent)
				assert.InDelta(t, 300, silent.Double(), 0.001)
			}
			uid := func(of *followed) any {
				return of.named(otlp.EventNameStalled)[0].Attributes().AsRaw()[otlp.AttrLogRecordUID]
			}
			assert.Equal(t, uid(f), uid(again), "whoever follows it then")
		})
	}
}
