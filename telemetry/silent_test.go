package telemetry_test

import (
	"fmt"
	"slices"
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

// inTurn makes events part of a turn, which links a sub-agent's file to the run before the call names the agent.
func inTurn(sc script) script {
	for _, evs := range sc {
		for i := range evs {
			evs[i].TurnID = "turn1"
		}
	}
	return sc
}

// spawned is a run that is silent after it started a sub-agent.
func spawned() script {
	spawn := use(1, "msg1", "a1", "Agent", "Look")
	spawn.Tool.AgentType = "Explore"
	return inTurn(script{line(recorded()), line(prompt(0, "p1")), line(used(1, "msg1", 10, 1)), line(spawn)})
}

// atWork is the file of that sub-agent, with a model call each minute.
func atWork(minutes int) script {
	var sc script
	for n := range minutes {
		sec := float64(60*n + 2)
		sc = append(sc, line(of("ag1", text(sec, fmt.Sprint("sub", n), "On."))), line(of("ag1", used(sec, fmt.Sprint("sub", n), 100, 1))))
	}
	return inTurn(sc)
}

// silentWorld reads a run and its sub-agent; both streams are idle after ten minutes without a line.
type silentWorld struct {
	*linkedWorld
	written map[string]time.Time
}

const silentGap = 10 * time.Minute

func newSilentWorld(t *testing.T, files map[string]script) *silentWorld {
	w := &silentWorld{newLinkedWorld(t, files), map[string]time.Time{}}
	w.now = at(0)
	return w
}

func (w *silentWorld) open(name string, changed time.Time) {
	if w.streams[name] == nil {
		w.streams[name] = w.registry.Open(telemetry.StreamSettings{ID: name, Agent: claude, IdleGap: silentGap, FileTime: changed})
	}
}

// follow reads the lines of all files as they are written, and closes streams that are idle, until all are.
func (w *silentWorld) follow() {
	for len(w.written) < len(w.files) || slices.ContainsFunc(w.names(), func(name string) bool { return w.streams[name] != nil }) {
		for _, name := range w.names() {
			w.open(name, time.Time{})
			for w.read[name] < len(w.files[name]) {
				evs := w.files[name][w.read[name]]
				if evs[0].Time.After(w.now) {
					break
				}
				w.streams[name].Feed(telemetry.Line{Offset: int64(w.read[name]), Live: true, Arrival: w.now, Read: w.now}, clone(evs))
				w.read[name]++
				w.written[name] = w.now
			}
			w.streams[name].Idle()
			w.took(w.streams[name].Take())
		}
		w.pass(10 * time.Second)
		for name, last := range w.written {
			if s := w.streams[name]; s != nil && w.now.Sub(last) >= silentGap && w.now.Sub(s.Moved()) >= silentGap {
				s.Close(otlp.CloseReasonTimeout)
				w.took(s.Take())
				delete(w.streams, name)
				w.read[name] = len(w.files[name])
			}
		}
		for name := range w.files { // closed streams have nothing to read
			if w.streams[name] == nil && w.read[name] == len(w.files[name]) {
				delete(w.files, name)
				delete(w.written, name)
			}
		}
	}
}

func (w *silentWorld) names() []string {
	var names []string
	for name := range w.files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// after reads files that have long been complete, in an order.
func (w *silentWorld) after(order []string) {
	w.now = at(100_000)
	for _, name := range order {
		w.open(name, at(50_000))
		w.lines(name, -1)
	}
	for range 5 {
		w.pass(6 * time.Second)
	}
}

// each plays files live and in both orders afterwards.
func eachRoute(t *testing.T, files func() map[string]script, check func(t *testing.T, f *collected)) {
	t.Helper()
	for name, play := range map[string]func(w *silentWorld){
		"live":                     (*silentWorld).follow,
		"afterwards":               func(w *silentWorld) { w.after([]string{"main", "ag1"}) },
		"afterwards, agents first": func(w *silentWorld) { w.after([]string{"ag1", "main"}) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newSilentWorld(t, files())
			play(w)
			assert.Contains(t, w.collected.names(), "invoke_agent claude-code", "its span waits no longer than documented")
			w.took(w.registry.Close())
			checkTree(t, &w.collected)
			check(t, &w.collected)
		})
	}
}

// TestKilledWithItsAgents: the total of a run that was killed together with its sub-agents includes their tokens, whether the
// files are followed or read afterwards, even if the sub-agents were at work long after the last line of the run.
func TestKilledWithItsAgents(t *testing.T) {
	eachRoute(t, func() map[string]script {
		return map[string]script{"main": spawned(), "ag1": atWork(3)}
	}, func(t *testing.T, f *collected) {
		t.Helper()
		run := f.span(t, "invoke_agent claude-code")
		assert.Equal(t, "310", attr(run, otlp.AttrUsageInput))
		assert.Equal(t, "true", attr(run, otlp.AttrUsageIncomplete), "its sub-agents may continue")
		assert.Equal(t, "incomplete", attr(run, otlp.AttrRunOutcome))
		assert.Equal(t, "timeout", attr(run, otlp.AttrCloseReason))
		require.Len(t, f.ends, 1)
		sum, _ := f.ends[0].Attributes().Get(otlp.AttrUsageRun)
		assert.EqualValues(t, 310, sum.Map().AsRaw()["input_tokens"])
	})
}

// TestResumedAfterItsAgentsWereKilled: the next prompt ends such a run as well.
func TestResumedAfterItsAgentsWereKilled(t *testing.T) {
	eachRoute(t, func() map[string]script {
		files := map[string]script{"main": spawned(), "ag1": atWork(1)}
		again := prompt(200, "p2")
		files["main"] = append(files["main"], line(again), line(text(201, "msg2", "Again.")), line(signsOff(202, "msg2")))
		return files
	}, func(t *testing.T, f *collected) {
		t.Helper()
		run := f.spans[slices.IndexFunc(f.spans, func(s ptrace.Span) bool {
			return s.Name() == "invoke_agent claude-code" && keyID(s) == "msg1"
		})]
		assert.Equal(t, "superseded", attr(run, otlp.AttrCloseReason))
		assert.Equal(t, "110", attr(run, otlp.AttrUsageInput))
		assert.Empty(t, attr(run, otlp.AttrUsageIncomplete))
	})
}

// TestResumedByTheProgramAfterItsAgentsWereKilled: what Claude Code 2.1 writes in the user's name before the next prompt, such as a
// local command, is no work of the killed run and does not extend it.
func TestResumedByTheProgramAfterItsAgentsWereKilled(t *testing.T) {
	eachRoute(t, func() map[string]script {
		files := map[string]script{"main": spawned(), "ag1": atWork(1)}
		command := prompt(20_000, "local-command")
		command.Synthetic = true
		files["main"] = append(files["main"], line(command), line(prompt(20_002, "p2")), line(text(20_003, "msg2", "Again.")), line(signsOff(20_004, "msg2")))
		return files
	}, func(t *testing.T, f *collected) {
		t.Helper()
		run := f.spans[slices.IndexFunc(f.spans, func(s ptrace.Span) bool {
			return s.Name() == "invoke_agent claude-code" && keyID(s) == "msg1"
		})]
		assert.Equal(t, "timeout", attr(run, otlp.AttrCloseReason))
		_, to := seconds(run)
		assert.Less(t, to, 10.0)
		assert.Equal(t, "110", attr(run, otlp.AttrUsageInput))
	})
}

// TestSilentWhileItsAgentWorks: a run is not idle while its sub-agent is at work, however long that takes.
func TestSilentWhileItsAgentWorks(t *testing.T) {
	eachRoute(t, func() map[string]script {
		files := map[string]script{"main": spawned(), "ag1": append(atWork(25), line(of("ag1", signsOff(1500, "sub-last"))))}
		answer := result(1501, "a1")
		answer.Tool.AgentID = "ag1"
		files["main"] = append(files["main"], inTurn(script{line(answer), line(text(1502, "msg2", "Done.")), line(signsOff(1503, "msg2"))})...)
		return files
	}, func(t *testing.T, f *collected) {
		t.Helper()
		run := f.span(t, "invoke_agent claude-code")
		assert.Equal(t, "ok", attr(run, otlp.AttrRunOutcome))
		assert.Equal(t, "2510", attr(run, otlp.AttrUsageInput))
		assert.Empty(t, attr(run, otlp.AttrUsageIncomplete))
		assert.Equal(t, 1, strings.Count(f.names(), "invoke_agent claude-code"))
		assert.Equal(t, "ok", attr(f.span(t, "invoke_agent Explore"), otlp.AttrRunOutcome))
		from, to := seconds(f.span(t, "execute_tool Agent"))
		assert.Equal(t, []float64{1, 1501}, []float64{from, to})
	})
}

// TestStartWhileAnAgentWorks: a collector that starts while a sub-agent is at work, and its run has long been silent, does not
// close that run, whichever file it reads first.
func TestStartWhileAnAgentWorks(t *testing.T) {
	for _, order := range [][]string{{"main", "ag1"}, {"ag1", "main"}} {
		t.Run(order[0]+" first", func(t *testing.T) {
			w := newSilentWorld(t, map[string]script{"main": spawned(), "ag1": atWork(20)})
			w.now = at(1200)
			w.open("main", at(1))
			w.open("ag1", at(1190))
			for _, name := range order {
				w.lines(name, -1)
			}
			for range 10 {
				w.pass(10 * time.Second)
			}
			assert.NotContains(t, w.collected.names(), "invoke_agent claude-code")
			answer := result(1300, "a1")
			answer.TurnID, answer.Tool.AgentID = "turn1", "ag1"
			w.files["main"] = append(w.files["main"], line(answer), line(signsOff(1301, "msg2")))
			for range 2 {
				w.streams["main"].Feed(telemetry.Line{Offset: int64(w.read["main"]), Live: true, Arrival: w.now, Read: w.now}, clone(w.files["main"][w.read["main"]]))
				w.read["main"]++
			}
			w.idle("main")
			for range 5 {
				w.pass(10 * time.Second)
			}
			run := w.span(t, "invoke_agent claude-code")
			assert.Equal(t, "ok", attr(run, otlp.AttrRunOutcome))
			assert.Equal(t, "2010", attr(run, otlp.AttrUsageInput))
		})
	}
}

// TestKilledWithAgentsInTheBackground: an agent whose call was answered, but whose work is not over, is awaited in the same way.
func TestKilledWithAgentsInTheBackground(t *testing.T) {
	eachRoute(t, func() map[string]script {
		launched := result(1.5, "a1")
		launched.Tool.State, launched.Tool.AgentID = events.ToolStateBackground, "ag1"
		return map[string]script{"main": append(spawned(), inTurn(script{line(launched), line(use(1.7, "msg1", "t1", "Bash", "sleep"))})...), "ag1": atWork(3)}
	}, func(t *testing.T, f *collected) {
		t.Helper()
		run := f.span(t, "invoke_agent claude-code")
		assert.Equal(t, "310", attr(run, otlp.AttrUsageInput))
		assert.Equal(t, "true", attr(run, otlp.AttrUsageIncomplete), "its sub-agents may continue")
		assert.Equal(t, "timeout", attr(run, otlp.AttrCloseReason))
	})
}

// TestCallOfAnAgentWithoutFile: the total of a run whose sub-agent has no file waits no longer than documented, and is marked.
func TestCallOfAnAgentWithoutFile(t *testing.T) {
	w := newSilentWorld(t, map[string]script{"main": spawned()})
	w.after([]string{"main"})
	run := w.span(t, "invoke_agent claude-code")
	assert.Equal(t, "10", attr(run, otlp.AttrUsageInput))
	assert.Equal(t, "true", attr(run, otlp.AttrUsageIncomplete))
	assert.Equal(t, events.OutcomeIncomplete.String(), attr(run, otlp.AttrRunOutcome))
}
