package telemetry_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// saying returns a session of one run whose IDs are always the same.
func saying(words, command string) script {
	return script{
		line(started()), line(itemed("a1", text(1, "msg1", words))), line(itemed("a2", use(2, "msg1", "t1", "Bash", command))),
		line(itemed("r1", result(3, "t1"))), line(ended("")),
	}
}

func itemed(id string, ev events.DisplayEvent) events.DisplayEvent {
	ev.ItemID = id
	return ev
}

// readAll feeds streams one after the other in one registry.
func readAll(t *testing.T, agent program.Agent, streams map[string]script, order ...string) *collected {
	t.Helper()
	registry, f := newRegistry(), &collected{}
	for _, id := range order {
		s := registry.Open(telemetry.StreamSettings{ID: id, Agent: agent, Fingerprint: "begins"})
		for i, evs := range streams[id] {
			s.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
		}
		s.Close(otlp.CloseReasonNoResult)
		f.take(s.Take())
	}
	f.take(registry.Close())
	require.Empty(t, otlpjson.Check(f.traces...))
	return f
}

// idsOf lists the output by its IDs.
func idsOf(f *collected) (ids []string) {
	for _, s := range f.spans {
		ids = append(ids, s.Name()+" "+attr(s, otlp.AttrToolTarget)+s.TraceID().String()+s.SpanID().String()+s.ParentSpanID().String())
	}
	for _, lr := range f.records {
		uid, _ := lr.Attributes().Get(otlp.AttrLogRecordUID)
		ids = append(ids, lr.EventName()+" "+uid.Str())
	}
	slices.Sort(ids)
	return ids
}

// TestEqualIDsOfOtherThings: two streams with the same session, message, call and line IDs and different content are
// both exported in full, with the same IDs in either order (issue 13, check 13).
func TestEqualIDsOfOtherThings(t *testing.T) {
	streams := map[string]script{"forged": saying("nothing to see", "ls"), "true": saying("I fetch it.", "curl x | sh")}
	alone := append(idsOf(readAll(t, claude, streams, "forged")), idsOf(readAll(t, claude, streams, "true"))...)
	slices.Sort(alone)
	alone = slices.Compact(alone) // the start line is the same in both
	assert.Equal(t, alone, idsOf(readAll(t, claude, streams, "forged", "true")))
	assert.Equal(t, alone, idsOf(readAll(t, claude, streams, "true", "forged")))
}

// TestEqualIDsOfOtherRequests: requests of one item ID that ask for something else are different records. Seed 9806248 of the
// pipeline fuzzer.
func TestEqualIDsOfOtherRequests(t *testing.T) {
	approval := func(subject string) events.DisplayEvent {
		return events.DisplayEvent{Kind: events.KindApprovalRequest, SessionID: "s1", ItemID: "i1", Approval: &events.Approval{ID: "p1", Tool: "bash", Subject: subject}}
	}
	ask := func(prompt string) events.DisplayEvent {
		return events.DisplayEvent{Kind: events.KindAskRequest, SessionID: "s1", ItemID: "i2", Ask: &events.Ask{ID: "q", Questions: []events.AskQuestion{{Prompt: prompt}}}}
	}
	f := collect(t, script{
		line(started(), text(1, "msg1", "I fetch it.")), line(approval("git push")), line(approval("rm a.go")), line(ask("Which?")), line(ask("When?")), line(ended("")),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	uids := map[string]int{}
	for _, lr := range f.records {
		if name := lr.EventName(); strings.HasSuffix(name, ".approval_request") || strings.HasSuffix(name, ".ask_request") {
			uid, _ := lr.Attributes().Get(otlp.AttrLogRecordUID)
			uids[uid.Str()]++
		}
	}
	assert.Len(t, uids, 4)
}

// TestCopiesNeedEvidence: history in another session is a copy only if IDs, content and times are equal.
func TestCopiesNeedEvidence(t *testing.T) {
	later := saying("I fetch it.", "ls")
	for _, evs := range later {
		for i := range evs {
			if !evs[i].Time.IsZero() {
				evs[i].Time = evs[i].Time.Add(at(60).Sub(at(0)))
			}
		}
	}
	untimed := func(sc script) script {
		for _, evs := range sc {
			for i := range evs {
				evs[i].Time = at(0).AddDate(-5000, 0, 0)
			}
		}
		return sc
	}
	calling := func(id string, sc script) script { // the same content with another ID of the call
		for _, evs := range sc {
			for i := range evs {
				if evs[i].Tool.ID != "" {
					evs[i].Tool.ID = id
				}
			}
		}
		return sc
	}
	for _, tt := range []struct {
		name           string
		agent          program.Agent
		original, fork script
		runs, copied   int
	}{
		{"the same items", claude, saying("I fetch it.", "ls"), saying("I fetch it.", "ls"), 1, 5},
		{"another text", claude, saying("I fetch it.", "ls"), saying("I send it.", "ls"), 2, 0},
		{"another second line", claude, saying("I fetch it.\nHere.", "ls"), saying("I fetch it.\nThere.", "ls"), 2, 0}, // pipeline fuzzer, seed 6101068
		{"another call", claude, saying("I fetch it.", "ls"), calling("t9", saying("I fetch it.", "ls")), 2, 2},        // pipeline fuzzer, seed 8802066
		{"another first call", claude, saying("I fetch it.", "ls")[2:], calling("t9", saying("I fetch it.", "ls")[2:]), 2, 0},
		{"a sub-agent's work before", claude, saying("I fetch it.", "ls"), slices.Insert(saying("I fetch it.", "ls"), 1, line(under("t8", use(0, "m0", "t0", "Read", "a")))), 2, 0}, // pipeline fuzzer, seed 9600352
		{"another time", claude, saying("I fetch it.", "ls"), later, 2, 0},
		{"no times, the same lines", claude, untimed(saying("I fetch it.", "ls")), untimed(saying("I fetch it.", "ls")), 1, 5},
		{"answers of a server", program.Agent{Provider: "openai_compatible", Bodies: true}, saying("OK", "ls"), saying("OK", "ls"), 2, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fork := tt.fork
			for _, evs := range fork {
				for i := range evs {
					evs[i].SessionID = "s2"
				}
			}
			f := readAll(t, tt.agent, map[string]script{"a": tt.original, "b": fork}, "a", "b")
			runs := 0
			for _, s := range f.spans {
				if attr(s, otlp.AttrRunKey) != "" {
					runs++
				}
			}
			assert.Equal(t, tt.runs, runs)
			assert.Equal(t, tt.copied, f.counts.Copied)
		})
	}
}

// TestForkInTheMiddleOfARun: what a fork does after the copied items of a run is a separate run.
func TestForkInTheMiddleOfARun(t *testing.T) {
	fork := append(saying("I fetch it.", "ls")[:4], line(text(9, "msg9", "My own.")), line(ended("")))
	for _, evs := range fork {
		for i := range evs {
			evs[i].SessionID = "s2"
		}
	}
	f := readAll(t, claude, map[string]script{"a": saying("I fetch it.", "ls"), "b": fork}, "a", "b")
	texts := []string{}
	for _, lr := range f.records {
		if lr.EventName() == "tailspan.text" {
			texts = append(texts, lr.Body().Str())
		}
	}
	assert.Equal(t, []string{"I fetch it.", "My own."}, texts)
	assert.Equal(t, 4, f.counts.Copied)
}

// TestSecondAccount: what the first account of a run lacks is exported below its run once that is over, in any order of
// reading and concurrently; its step links to the run.
func TestSecondAccount(t *testing.T) {
	cut := saying("I fetch it.", "ls")[:2] // the stream of a killed agent
	whole := saying("I fetch it.", "ls")[:4]
	for _, order := range [][]string{{"cut", "whole"}, {"whole", "cut"}} {
		registry, f := newRegistry(), &collected{}
		streams := map[string]*telemetry.Stream{}
		for _, id := range order {
			set := telemetry.StreamSettings{ID: id, Agent: claude}
			if id == "cut" {
				set.Identity = nightly("fix")
			}
			streams[id] = registry.Open(set)
		}
		for i := range 4 { // concurrently
			for _, id := range order {
				if sc := map[string]script{"cut": cut, "whole": whole}[id]; i < len(sc) {
					streams[id].Feed(telemetry.Line{Offset: int64(i)}, clone(sc[i]))
				}
			}
		}
		for _, id := range order {
			streams[id].Idle()
		}
		for _, id := range order {
			streams[id].Close(otlp.CloseReasonTimeout)
			f.take(streams[id].Take())
		}
		f.take(registry.Close())
		require.Empty(t, otlpjson.Check(f.traces...), order)
		names := map[string]int{}
		for _, s := range f.spans {
			names[s.Name()]++
		}
		assert.Equal(t, map[string]int{"nightly": 1, "fix": 1, "invoke_agent claude-code": 1, "chat m1": 1, "execute_tool Bash": 1}, names, order)
		run, step := f.span(t, "invoke_agent claude-code"), f.span(t, "fix")
		if order[0] == "whole" {
			require.Equal(t, 1, step.Links().Len(), order)
			assert.Equal(t, run.SpanID(), step.Links().At(0).SpanID())
			assert.Equal(t, run.TraceID(), step.Links().At(0).TraceID())
		} else {
			assert.Equal(t, step.SpanID(), run.ParentSpanID())
		}
	}
}

// TestSessionOfARun: a line of another session before a run does not move the run to that session. So an account
// without that line is no copy, and its additional content is exported (pipeline fuzzer, seed 5100110).
func TestSessionOfARun(t *testing.T) {
	other := result(0, "t0")
	other.SessionID = "s2"
	beyond := []events.DisplayEvent{under("unseen", itemed("b1", use(0, "msg0", "t9", "Read", "a"))), under("unseen", itemed("b2", result(0, "t9")))}
	said := saying("I fetch it.", "ls")
	streams := map[string]script{
		"mixed": append(script{line(other)}, said[1:4]...),
		"whole": append(script{said[0], line(beyond[0]), line(beyond[1])}, said[1:4]...),
	}
	for _, order := range [][]string{{"mixed", "whole"}, {"whole", "mixed"}} {
		f := readAll(t, claude, streams, order...)
		assert.Zero(t, f.counts.Copied, order)
		for _, name := range []string{"execute_tool Read", "execute_tool Bash"} {
			assert.Equal(t, "s1", attr(f.span(t, name), otlp.AttrGenAIConversationID), order)
		}
	}
}

// TestSessionOfARunThatFailed: a run in which the model said nothing has its own session, also where those of the next runs in the file are
// known before its key is, as in a stream without times.
func TestSessionOfARunThatFailed(t *testing.T) {
	in := func(session, item string, ev events.DisplayEvent) events.DisplayEvent {
		ev.Time, ev.SessionID, ev.ItemID = time.Time{}, session, item
		return ev
	}
	f := collect(t, script{
		line(in("s1", "a1", started())), line(in("s1", "a2", ended("Overloaded"))),
		line(in("s2", "b1", started())), line(in("s2", "b2", text(0, "msg1", "Done."))), line(in("s2", "b3", ended(""))),
	}, telemetry.StreamSettings{FileTime: at(5)}, otlp.CloseReasonShutdown)
	sessions := map[string]string{}
	for _, s := range f.spans {
		if strings.HasPrefix(s.Name(), "invoke_agent") {
			sessions[attr(s, otlp.AttrGenAIConversationID)] = attr(s, otlp.AttrRunOutcome)
		}
	}
	assert.Equal(t, map[string]string{"s1": "error", "s2": "ok"}, sessions)
}

// TestTwoTranscriptsInOneFile: a prompt without an answer does not go on in the session behind it.
func TestTwoTranscriptsInOneFile(t *testing.T) {
	in := func(session string, ev events.DisplayEvent) []events.DisplayEvent {
		if ev.Kind == events.KindSessionStarted {
			ev.Model, ev.Session = "", &events.Session{Recorded: true}
		}
		ev.SessionID = session
		return line(ev)
	}
	f := collect(t, script{
		in("s1", started()), in("s1", prompt(1, "p1")), in("s2", started()), in("s2", prompt(60, "p2")), in("s2", text(62, "msg1", "Done.")),
	}, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	var sessions []string
	for _, s := range f.spans {
		if strings.HasPrefix(s.Name(), "invoke_agent") {
			sessions = append(sessions, attr(s, otlp.AttrGenAIConversationID))
		}
	}
	assert.Equal(t, []string{"s1", "s2"}, sessions)
}

// TestSecondAccountOverTheLimits: of a second account that exceeds the pending limits, the end is kept.
func TestSecondAccountOverTheLimits(t *testing.T) {
	settings := telemetry.NewDefaultSettings()
	settings.Limits.PendingEvents = 8
	registry, f := telemetry.NewRegistry(settings), &collected{}
	first := registry.Open(telemetry.StreamSettings{ID: "first", Agent: claude})
	second := registry.Open(telemetry.StreamSettings{ID: "second", Agent: claude})
	sc := script{line(text(1, "msg1", "I count."))}
	for i := range 30 {
		id := fmt.Sprint("t", i)
		sc = append(sc, line(use(float64(2+2*i), "msg1", id, "Bash", id)), line(result(float64(3+2*i), id)))
	}
	feed := func(stream *telemetry.Stream, from, to int) {
		for i := from; i < to; i++ {
			stream.Feed(telemetry.Line{Offset: int64(i)}, clone(sc[i]))
		}
	}
	feed(first, 0, 1)
	feed(second, 0, len(sc)) // it is ahead
	f.take(second.Take())
	assert.Empty(t, f.spans, "it waits")
	feed(first, 1, len(sc)-2) // and ends before the last call
	second.Idle()
	first.Close(otlp.CloseReasonNoResult)
	f.take(first.Take())
	second.Close(otlp.CloseReasonNoResult)
	f.take(second.Take())
	calls := map[string]int{}
	for _, s := range f.spans {
		if s.Name() == "execute_tool Bash" {
			calls[attr(s, otlp.AttrToolTarget)]++
		}
	}
	require.Empty(t, otlpjson.Check(f.traces...))
	assert.Equal(t, 1, calls["t29"], "the last call")
	for id, n := range calls {
		assert.Equal(t, 1, n, id)
	}
	assert.Positive(t, f.counts.OtherAccount)
	assert.Zero(t, f.counts.ForcedRuns)
}

// TestRunOfAnotherAccountsTimes: a run whose start has no time begins with the first event that has one, even if
// another account has exported that event (fuzzer, seed 4100474).
func TestRunOfAnotherAccountsTimes(t *testing.T) {
	agents := under("spawn", of("a1", use(26, "m2", "c2", "Bash", "pwd")))
	streams := map[string]script{
		"first":  {line(agents), line(of("a2", text(29, "m3", "Again.")))},
		"second": {line(use(25, "m1", "c1", "Agent", "look")), line(started()), line(agents)},
	}
	f := readAll(t, claude, streams, "first", "second")
	assert.Contains(t, f.names(), "execute_tool Agent")
}

// TestTwinsOfOneSession: a stream and a transcript with different IDs of messages and calls are matched by what was
// said and done.
func TestTwinsOfOneSession(t *testing.T) {
	agent := program.Agent{Provider: "codex", ServiceName: "codex", StreamIDs: true}
	recorded := func() events.DisplayEvent {
		ev := started()
		ev.Session.Recorded, ev.ItemID = true, "row"
		return ev
	}
	account := func(start events.DisplayEvent, message, call, target string) script {
		return script{
			line(start), line(text(1, message, "I look.")), line(use(2, message, call, "shell", "ls")), line(result(3, call)),
			line(use(4, message, call+"b", "shell", target)), line(result(5, call+"b")), line(ended("")),
		}
	}
	stream, transcript := account(started(), "", "item_1", "/srv/a.go"), account(recorded(), "msg1", "call_1", "a.go")
	more := account(recorded(), "msg1", "call_1", "only here")
	for _, tt := range []struct {
		name        string
		streams     map[string]script
		order       []string
		runs, calls int
	}{
		{"stream first", map[string]script{"s": stream, "t": transcript}, []string{"s", "t"}, 1, 2},
		{"transcript first", map[string]script{"s": stream, "t": transcript}, []string{"t", "s"}, 1, 2},
		{"a call that one lacks", map[string]script{"s": stream, "t": more}, []string{"s", "t"}, 1, 3},
		{"a call of the same id for something else", map[string]script{"s": stream, "t": account(recorded(), "msg1", "item_1", "only here")}, []string{"s", "t"}, 1, 3},
		{"a copy of the transcript", map[string]script{"s": stream, "t": transcript, "u": transcript}, []string{"s", "t", "u"}, 1, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := readAll(t, agent, tt.streams, tt.order...)
			runs, calls := 0, 0
			for _, s := range f.spans {
				switch {
				case attr(s, otlp.AttrRunKey) != "":
					runs++
				case attr(s, otlp.AttrGenAIToolCallID) != "":
					calls++
				}
			}
			assert.Equal(t, tt.runs, runs, f.names())
			assert.Equal(t, tt.calls, calls, f.names())
		})
	}
}

// TestTwinsOverARestart: which of two accounts with different IDs is the first does not change, whichever is read first later.
func TestTwinsOverARestart(t *testing.T) {
	agent := program.Agent{Provider: "codex", ServiceName: "codex", StreamIDs: true}
	account := func(recorded bool, message, call string) script {
		start := started()
		start.Session.Recorded, start.ItemID = recorded, ""
		return script{
			line(start), line(text(1, message, "I look.")), line(use(2, message, call, "shell", "ls")), line(result(3, call)),
			line(use(4, message, call+"b", "shell", "make")), line(result(5, call+"b")), line(ended("")),
		}
	}
	scripts := map[string]script{"transcript": account(true, "msg1", "call_1"), "stream": account(false, "", "item_1")}
	f, states := &collected{}, map[string]telemetry.StreamState{}
	registry := newRegistry()
	for _, id := range []string{"transcript", "stream"} {
		s := registry.Open(telemetry.StreamSettings{ID: id, Agent: agent})
		for i, evs := range scripts[id][:4] {
			s.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
		}
		f.take(s.Take())
		states[id], _ = s.State()
	}
	registry = newRegistry()
	streams := map[string]*telemetry.Stream{}
	for id, state := range states {
		registry.Recall(id, &state.Ties)
	}
	for _, id := range []string{"stream", "transcript"} {
		state := states[id]
		streams[id] = registry.Open(telemetry.StreamSettings{ID: id, Agent: agent, State: &state})
		for i, evs := range scripts[id][:4] {
			streams[id].Feed(telemetry.Line{Offset: int64(i), Replay: true}, clone(evs))
		}
	}
	for _, id := range []string{"stream", "transcript"} {
		for i, evs := range scripts[id][4:] {
			streams[id].Feed(telemetry.Line{Offset: int64(4 + i)}, clone(evs))
		}
		streams[id].Idle()
	}
	for _, id := range []string{"transcript", "stream"} {
		streams[id].Close(otlp.CloseReasonNoResult)
		f.take(streams[id].Take())
	}
	f.take(registry.Close())
	require.Empty(t, otlpjson.Check(f.traces...))
	names := map[string]int{}
	for _, s := range f.spans {
		names[s.Name()]++
	}
	assert.Equal(t, map[string]int{"invoke_agent codex": 1, "chat m1": 1, "execute_tool shell": 2}, names)
}
