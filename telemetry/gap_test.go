package telemetry_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/telemetry"
)

// gapped returns the settings of a stream that counts as abandoned after an hour.
func gapped(state telemetry.StreamState) telemetry.StreamSettings {
	return telemetry.StreamSettings{ID: "f", Agent: claude, IdleGap: time.Hour, State: &state}
}

const hour = 3600.0

// leftAlone returns sessions with a gap of more than an hour between two lines.
var leftAlone = map[string]script{
	"a call is open": {
		line(prompt(0, "p1")), line(text(1, "msg1", "Hi.")), line(use(2, "msg1", "t1", "Bash", "sleep")),
		line(result(2*hour, "t1")), line(text(2*hour+1, "msg2", "Done.")),
	},
	"a stream whose result never came": {
		line(started()), line(text(1, "msg1", "Hi.")), line(use(2, "msg1", "t1", "Bash", "sleep")),
		line(text(2*hour, "msg2", "On.")), line(ended("")),
	},
	"a transcript between two prompts": {
		line(prompt(0, "p1")), line(lastWord(1, "msg1")),
		line(prompt(2*hour, "p2")), line(lastWord(2*hour+1, "msg2")),
	},
	"a prompt without an answer": {
		line(prompt(0, "p1")), line(lastWord(1, "msg1")), line(prompt(2, "p2")),
		line(prompt(2*hour, "p3")), line(lastWord(2*hour+1, "msg2")),
	},
	"a sub-agent is at work": {
		line(prompt(0, "p1")), line(use(1, "msg1", "a1", "Agent", "Look")), line(under("a1", use(2, "sub1", "t1", "Grep", "x"))),
		line(under("a1", result(2*hour, "t1"))), line(result(2*hour+1, "a1")), line(text(2*hour+2, "msg2", "Done.")),
	},
	"two gaps": {
		line(prompt(0, "p1")), line(use(1, "msg1", "t1", "Bash", "x")),
		line(use(2*hour, "msg2", "t2", "Bash", "y")),
		line(result(5*hour, "t1")), line(result(5*hour, "t2")), line(prompt(5*hour+1, "p2")), line(text(5*hour+2, "msg3", "Ho.")),
	},
}

// lastWord returns a text that ends its turn.
func lastWord(sec float64, message string) events.DisplayEvent {
	ev := text(sec, message, "Done.")
	ev.Sign.Outcome = events.OutcomeOK
	return ev
}

// TestGapIsReadAsItWasLived: an abandoned stream yields the same spans and records whether it is read afterwards, with
// the gap in the times of its lines, or was followed, closed by the system clock, and continued when it grew.
func TestGapIsReadAsItWasLived(t *testing.T) {
	for name, sc := range leftAlone {
		t.Run(name, func(t *testing.T) {
			afterwards := readAtOnce(sc)
			assert.ElementsMatch(t, afterwards, lived(sc))
			assert.Equal(t, hasOpen[name], strings.Contains(fmt.Sprint(afterwards), " close timeout"))
		})
	}
}

// hasOpen reports which sessions have something open that did not end by itself.
var hasOpen = map[string]bool{"a call is open": true, "a stream whose result never came": true, "a sub-agent is at work": true, "two gaps": true, "a prompt without an answer": true}

// TestGapsOfNoise checks the same with random events.
func TestGapsOfNoise(t *testing.T) {
	for seed := range uint64(200) {
		sc := noiseWithGaps(rand.New(rand.NewPCG(seed, 5)))
		requireSame(t, readAtOnce(sc), lived(sc), fmt.Sprint("seed ", seed))
	}
}

// TestGapsOverRestarts reads sessions with gaps in two processes, split at any line: what was exported before the
// restart is not repeated, and the rest is exported.
func TestGapsOverRestarts(t *testing.T) {
	all := map[string]script{}
	for name, sc := range leftAlone {
		all[name] = sc
	}
	for seed := range uint64(12) {
		all[fmt.Sprint("noise, seed ", seed)] = noiseWithGaps(rand.New(rand.NewPCG(seed, 6)))
	}
	for name, sc := range all {
		whole := readAtOnce(sc)
		for cut := range len(sc) {
			first, second := newRegistry(), newRegistry()
			stream := first.Open(gapped(telemetry.StreamState{}))
			var list []string
			for i, evs := range sc[:cut] {
				stream.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
				list = append(list, given(stream)...)
			}
			state, _ := stream.State()
			stream = second.Open(gapped(state))
			for i, evs := range sc {
				stream.Feed(telemetry.Line{Offset: int64(i), Replay: i < cut}, clone(evs))
				list = append(list, given(stream)...)
			}
			stream.Close(otlp.CloseReasonTimeout)
			requireSame(t, whole, append(list, given(stream)...), fmt.Sprintf("%s, cut before line %d", name, cut))
		}
	}
}

// TestGapThatWasLived: for lines that are written while the stream is followed the system clock decides, and it closed
// nothing. So a gap between their times changes nothing, even when they are replayed after a restart. For lines that
// were written between the two processes their times decide.
func TestGapThatWasLived(t *testing.T) {
	sc := leftAlone["a call is open"]
	collect := func(stream *telemetry.Stream, from int, live bool) (list []string) {
		for i, evs := range sc {
			stream.Feed(telemetry.Line{Offset: int64(i), Replay: i < from, Live: live, Arrival: at(1)}, clone(evs))
			list = append(list, given(stream)...)
		}
		return list
	}
	whole := collect(newRegistry().Open(gapped(telemetry.StreamState{})), 0, true)
	assert.NotContains(t, fmt.Sprint(whole), "timeout")
	assert.Contains(t, fmt.Sprint(whole), "execute_tool Bash")
	for cut := 1; cut < len(sc); cut++ {
		stream := newRegistry().Open(gapped(telemetry.StreamState{}))
		var list []string
		for i, evs := range sc[:cut] {
			stream.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: at(1)}, clone(evs))
			list = append(list, given(stream)...)
		}
		state, _ := stream.State()
		requireSame(t, whole, append(slices.Clone(list), collect(newRegistry().Open(gapped(state)), cut, true)...), fmt.Sprint("followed on from line ", cut))
		later := fmt.Sprint(collect(newRegistry().Open(gapped(state)), cut, false))
		assert.Equal(t, cut <= 3, strings.Contains(later, "timeout"), "read on from line %d", cut)
	}
}

// gapInAChild is a run whose sub-agent's file has a gap.
func gapInAChild() map[string]script {
	answer := result(3*hour, "a1")
	answer.Tool.AgentID = "ag1"
	return map[string]script{
		"main": {line(started()), line(use(1, "msg1", "a1", "Agent", "Look")), line(answer), line(ended(""))},
		"sub": {
			line(of("ag1", text(2, "sub1", "Looking."))), line(of("ag1", use(3, "sub1", "t1", "Grep", "x"))),
			line(of("ag1", text(2*hour, "sub2", "Still."))), line(of("ag1", result(2*hour+1, "t1"))),
		},
	}
}

// TestGapInAChild: the file of a sub-agent with a gap still waits for its parent, and the work after the gap is late.
// Both orders of reading agree, and so does a restart while it waits.
func TestGapInAChild(t *testing.T) {
	files := gapInAChild()
	read := func(order ...string) []string {
		registry := newRegistry()
		streams, silent := map[string]*telemetry.Stream{}, map[string]bool{}
		var traces []ptrace.Traces
		var list []string
		take := func(s *telemetry.Stream) {
			out := s.Take()
			traces, list = append(traces, out.Traces), append(list, listed(out)...)
		}
		for _, name := range order {
			if name == "restart" {
				registry = newRegistry()
				for name, s := range streams {
					state, open := s.State()
					require.True(t, open)
					streams[name] = registry.Open(telemetry.StreamSettings{ID: name, Agent: claude, IdleGap: time.Hour, State: &state})
					silent[name] = true
				}
			} else if streams[name] == nil {
				streams[name] = registry.Open(telemetry.StreamSettings{ID: name, Agent: claude, IdleGap: time.Hour})
			}
			s := streams[name]
			for i, evs := range files[name] {
				s.Feed(telemetry.Line{Offset: int64(i), Replay: silent[name]}, clone(evs))
				take(s)
			}
			if s != nil {
				s.Idle()
				take(s)
			}
		}
		for _, name := range []string{"main", "sub"} {
			streams[name].Close(otlp.CloseReasonTimeout)
			take(streams[name])
		}
		assert.Empty(t, otlpjson.Check(traces...), "%v", order)
		return list
	}
	want := read("main", "sub")
	assert.Contains(t, fmt.Sprint(want), "execute_tool Grep")
	requireSame(t, want, read("sub", "main"), "the other order")
	requireSame(t, want, read("sub", "restart", "sub", "main"), "a restart between")
}

// noiseWithGaps returns random events in the order of their times, some of them hours apart.
func noiseWithGaps(rng *rand.Rand) script {
	sc := noise(rng)
	now := 0.0
	for _, evs := range sc {
		if now += float64(rng.IntN(100)); rng.IntN(8) == 0 {
			now += hour
		}
		for i := range evs {
			evs[i].Time = at(now)
			if evs[i].ParentID == "" {
				evs[i].AgentID = "" // otherwise it is a sub-agent's file and waits for its parent
			}
		}
	}
	return sc
}

// requireSame fails with the elements that only one of two lists has.
func requireSame(t *testing.T, want, got []string, what string) {
	t.Helper()
	count := map[string]int{}
	for _, s := range want {
		count[s]++
	}
	for _, s := range got {
		count[s]--
	}
	for s, n := range count {
		require.Zero(t, n, "%s: %d of %s", what, n, s)
	}
}

// readAtOnce reads a session that exists already.
func readAtOnce(sc script) []string {
	stream := newRegistry().Open(gapped(telemetry.StreamState{}))
	for i, evs := range sc {
		stream.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
	}
	stream.Close(otlp.CloseReasonTimeout)
	return given(stream)
}

// lived reads a session as it is written. The clock advances between its lines, so a run that has shown its end is closed after
// enough time without a line. After an hour without a line everything is closed, and the session is replayed when it continues.
func lived(sc script) []string {
	settings := telemetry.NewDefaultSettings()
	now := at(0)
	settings.Now, settings.ProgressInterval, settings.StallAfter = func() time.Time { return now }, 0, 0
	registry := telemetry.NewRegistry(settings)
	stream := registry.Open(gapped(telemetry.StreamState{}))
	var list []string
	var last time.Time
	for i, evs := range sc {
		now = at(0)
		if next := evs[0].Time; !last.IsZero() && next.After(last) {
			now = now.Add(next.Sub(last))
			out := registry.Take()
			list = append(list, listed(out)...)
			out.Accepted()
		}
		if now.Sub(at(0)) >= time.Hour {
			stream.Close(otlp.CloseReasonTimeout)
			out := stream.Take()
			list = append(list, listed(out)...)
			out.Accepted()
			state, _ := stream.State()
			stream = registry.Open(gapped(state))
			for j, old := range sc[:i] {
				stream.Feed(telemetry.Line{Offset: int64(j), Replay: true}, clone(old))
			}
		}
		for _, ev := range evs {
			if ev.Time.After(last) {
				last = ev.Time
			}
		}
		now = at(0)
		stream.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: at(1)}, clone(evs))
		list = append(list, given(stream)...)
	}
	stream.Close(otlp.CloseReasonTimeout)
	return append(list, given(stream)...)
}

// given takes the output of a stream and lists it.
func given(s *telemetry.Stream) []string {
	out := s.Take()
	out.Accepted()
	return listed(out)
}

// listed describes the output by everything that has to agree. It omits what is exported only live.
func listed(out telemetry.Output) []string {
	var f collected
	f.take(out)
	list := []string{}
	for _, s := range f.spans {
		list = append(list, fmt.Sprint("span ", s.Name(), s.TraceID(), s.SpanID(), s.ParentSpanID(), s.StartTimestamp(), s.EndTimestamp(), s.Attributes().AsRaw(), " close ", attr(s, otlp.AttrCloseReason)))
	}
	for _, lr := range f.records {
		if lr.EventName() != otlp.EventNameStepStarted {
			list = append(list, fmt.Sprint("record ", lr.EventName(), lr.TraceID(), lr.SpanID(), lr.Timestamp(), lr.Attributes().AsRaw()))
		}
	}
	return list
}

// TestTotalAfterGap: the end of a run that was closed in a gap reports the tokens of its first part again, whose spans and metrics
// are exported by then. Each token counts once, also if nothing but the end follows.
func TestTotalAfterGap(t *testing.T) {
	call := func(sec float64, message string, input int64) []events.DisplayEvent {
		return []events.DisplayEvent{text(sec, message, "a"), spend(sec, message, "m1", events.Usage{Tokens: events.Tokens{Input: input}, OutputUnknown: true})}
	}
	for _, tc := range []struct {
		name  string
		parts [][]events.DisplayEvent
	}{
		{name: "work follows", parts: [][]events.DisplayEvent{call(1, "msg1", 10), call(5*hour, "msg2", 20)}},
		{name: "work follows twice", parts: [][]events.DisplayEvent{call(1, "msg1", 10), call(3*hour, "msg2", 15), call(5*hour, "msg3", 5)}},
		{name: "a call that is not shown", parts: [][]events.DisplayEvent{call(1, "msg1", 10), call(5*hour, "msg2", 15)}},
		{name: "the end follows", parts: [][]events.DisplayEvent{call(1, "msg1", 10), call(2, "msg2", 20)}},
	} {
		for scope, of := range map[string]events.UsageScope{"of the run": events.UsageScopeRun, "of the session": events.UsageScopeSession} {
			t.Run(tc.name+", total "+scope, func(t *testing.T) {
				var used events.Tokens
				sc := script{line(started())}
				for _, part := range tc.parts {
					sc = append(sc, line(part...))
				}
				sc = append(sc, line(spend(5*hour, "", "m1", events.Usage{Scope: of, Tokens: events.Tokens{Input: 30, Output: 7}})), line(ended("")))
				f := collect(t, sc, telemetry.StreamSettings{IdleGap: time.Hour, OnUsed: func(u emit.Used) { used.Add(u.Tokens) }}, otlp.CloseReasonShutdown)
				assert.Equal(t, events.Tokens{Input: 30, Output: 7}, used)
				input, output := int64(0), int64(0)
				for _, span := range f.spans {
					if v, ok := span.Attributes().Get(otlp.AttrGenAIInputTokens); ok {
						input += v.Int()
					}
					if v, ok := span.Attributes().Get(otlp.AttrGenAIOutputTokens); ok {
						output += v.Int()
					}
				}
				assert.EqualValues(t, 30, input)
				assert.EqualValues(t, 7, output)
				assert.Zero(t, f.counts.LateUsage, "the span of the first part waits for what other accounts have of it")
			})
		}
	}
}
