package telemetry_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// used is the usage of one model call.
func used(sec float64, message string, input, output int64) events.DisplayEvent {
	return events.DisplayEvent{
		Kind: events.KindUsage, Time: at(sec), MessageID: message, Model: "m1", SessionID: "s1",
		Usage: &events.Usage{Scope: events.UsageScopeCall, Tokens: events.Tokens{Input: input, Output: output}},
	}
}

// recorded is the start of a transcript.
func recorded() events.DisplayEvent {
	ev := started()
	ev.Session = &events.Session{Recorded: true}
	return ev
}

// asks returns a call that starts a sub-agent of an ID, and the line that has the ID.
func asks(sec float64, message, call, agent string) script {
	spawn := use(sec, message, call, "Agent", "Look")
	spawn.Tool.AgentType = "Explore"
	running := progress(call, events.ToolStateRunning)
	running.Tool.AgentID = agent
	return script{line(spawn), line(running)}
}

// threeFiles returns a run, a sub-agent and one that works for that, each in a separate file: 10, 200 and 3000 input tokens.
func threeFiles() map[string]script {
	return map[string]script{
		"main": slices.Concat(script{line(recorded()), line(used(1, "msg1", 10, 1))}, asks(1, "msg1", "a1", "ag1"), script{line(result(9, "a1")), line(ended(""))}),
		"ag1": slices.Concat(script{line(of("ag1", text(2, "sub1", "Looking."))), line(of("ag1", used(2, "sub1", 200, 2)))},
			ofAll("ag1", asks(3, "sub1", "a2", "ag2")), script{line(of("ag1", result(8, "a2"))), line(of("ag1", signsOff(8, "sub2")))}),
		"ag2": {line(of("ag2", text(4, "deep1", "Deeper."))), line(of("ag2", used(4, "deep1", 3000, 3))), line(of("ag2", signsOff(7, "deep2")))},
	}
}

func ofAll(agent string, sc script) script {
	for _, evs := range sc {
		for i := range evs {
			evs[i] = of(agent, evs[i])
		}
	}
	return sc
}

// signsOff returns a text that ends the turn.
func signsOff(sec float64, message string) events.DisplayEvent {
	ev := text(sec, message, "Done.")
	ev.Sign = events.Sign{Outcome: events.OutcomeOK}
	return ev
}

// linkedWorld reads files in any order, with one registry after the other.
type linkedWorld struct {
	t        *testing.T
	files    map[string]script
	now      time.Time
	registry *telemetry.Registry
	streams  map[string]*telemetry.Stream
	read     map[string]int
	list     []string
	collected
}

func newLinkedWorld(t *testing.T, files map[string]script) *linkedWorld {
	t.Helper()
	w := &linkedWorld{t: t, files: files, now: at(1000), streams: map[string]*telemetry.Stream{}, read: map[string]int{}}
	w.registry = w.newRegistry()
	return w
}

func (w *linkedWorld) newRegistry() *telemetry.Registry {
	settings := telemetry.NewDefaultSettings()
	settings.Now = func() time.Time { return w.now }
	return telemetry.NewRegistry(settings)
}

func (w *linkedWorld) took(out telemetry.Output) {
	out.Accepted()
	w.list = append(w.list, listed(out)...)
	w.take(out)
}

// lines reads the next n lines of a file, or all remaining ones with -1.
func (w *linkedWorld) lines(name string, n int) {
	s := w.streams[name]
	if s == nil {
		s = w.registry.Open(telemetry.StreamSettings{ID: name, Agent: claude})
		w.streams[name] = s
	}
	for ; w.read[name] < len(w.files[name]) && n != 0; n-- {
		s.Feed(telemetry.Line{Offset: int64(w.read[name])}, clone(w.files[name][w.read[name]]))
		w.read[name]++
		w.took(s.Take())
	}
	w.idle(name)
}

// idle marks a file that was read to its end as read.
func (w *linkedWorld) idle(name string) {
	if s := w.streams[name]; w.read[name] == len(w.files[name]) {
		s.Idle()
		w.took(s.Take())
	}
}

// restart continues with another registry, which only has the states: complete streams are not replayed.
func (w *linkedWorld) restart() {
	states := map[string]telemetry.StreamState{}
	w.registry = w.newRegistry()
	again := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(w.streams)) {
		state, open := w.streams[name].State()
		states[name], again[name] = state, open || w.read[name] < len(w.files[name])
		w.registry.Recall(name, &state.Ties)
	}
	w.registry.Recalled()
	for _, name := range slices.Sorted(maps.Keys(states)) {
		delete(w.streams, name)
		if !again[name] {
			continue
		}
		state := states[name]
		s := w.registry.Open(telemetry.StreamSettings{ID: name, Agent: claude, State: &state})
		w.streams[name] = s
		for i := range w.read[name] {
			s.Feed(telemetry.Line{Offset: int64(i), Replay: true}, clone(w.files[name][i]))
			w.took(s.Take())
		}
	}
	for name := range w.streams {
		w.idle(name)
	}
}

// endRecord returns the record of the run's end.
func (w *linkedWorld) endRecord() plog.LogRecord {
	i := slices.IndexFunc(w.records, func(lr plog.LogRecord) bool { return strings.HasSuffix(lr.EventName(), "session_end") })
	require.GreaterOrEqual(w.t, i, 0)
	return w.records[i]
}

// pass lets time pass.
func (w *linkedWorld) pass(d time.Duration) {
	w.now = w.now.Add(d)
	w.took(w.registry.Take())
}

func (w *linkedWorld) end() []string {
	w.pass(5 * time.Second)
	w.pass(10 * time.Second)
	return w.list
}

// TestTotalHasLinkedAgents: the total of a run includes its sub-agents in separate files, at any depth, in whatever
// order the files are read, and over a restart at any line.
func TestTotalHasLinkedAgents(t *testing.T) {
	w := newLinkedWorld(t, threeFiles())
	for _, name := range []string{"main", "ag1", "ag2"} {
		w.lines(name, -1)
	}
	want := w.end()
	run := w.span(t, "invoke_agent claude-code")
	assert.Equal(t, "3210", attr(run, otlp.AttrUsageInput))
	assert.Empty(t, attr(run, otlp.AttrUsageIncomplete))
	var totals []string
	for _, s := range w.spans {
		if strings.HasPrefix(s.Name(), "invoke_agent Explore") {
			totals = append(totals, attr(s, otlp.AttrUsageInput))
		}
	}
	assert.ElementsMatch(t, []string{"3200", "3000"}, totals)
	assert.Empty(t, otlpjson.Check(w.traces...))
	ends := w.endRecord()
	sum, _ := ends.Attributes().Get(otlp.AttrUsageRun)
	assert.EqualValues(t, 3210, sum.Map().AsRaw()["input_tokens"])

	for _, order := range [][]string{{"main", "ag1", "ag2"}, {"ag2", "ag1", "main"}, {"ag1", "main", "ag2"}, {"ag2", "main", "ag1"}} {
		total := 0
		for _, name := range order {
			total += len(w.files[name])
		}
		for cut := range total + 1 {
			again := newLinkedWorld(t, threeFiles())
			left := cut
			for _, name := range order {
				n := min(left, len(again.files[name]))
				if left -= n; n > 0 {
					again.lines(name, n)
				}
			}
			again.restart()
			for _, name := range order {
				if again.read[name] < len(again.files[name]) {
					again.lines(name, -1)
				}
			}
			requireSame(t, want, again.end(), fmt.Sprintf("%v, restart after line %d", order, cut))
		}
	}
}

// TestTotalLacksWhatNeverEnds: a sub-agent that is active long after its run delays the run's span no longer than
// documented, and its tokens are missing in a total that is marked. Reading afterwards yields the same total.
func TestTotalLacksWhatNeverEnds(t *testing.T) {
	late := threeFiles()
	launched := result(2, "a1")
	launched.Tool.State = events.ToolStateBackground
	late["main"] = append(late["main"][:len(late["main"])-2], line(launched), line(signsOff(9, "msg2")), line(ended("")))
	late["ag1"] = append(late["ag1"][:2:2], line(of("ag1", text(12, "sub1", "On."))), line(of("ag1", text(18, "sub1", "On."))), line(of("ag1", signsOff(41, "sub2"))))
	for _, tt := range []struct {
		name  string
		files []string
		play  func(w *linkedWorld)
	}{
		{"its file is not there", []string{"main"}, func(w *linkedWorld) { w.lines("main", -1) }},
		{"it works on", nil, func(w *linkedWorld) {
			w.lines("ag1", 2)
			w.lines("main", -1)
			for range 2 {
				w.pass(6 * time.Second)
				w.lines("ag1", 1)
			}
			w.pass(6 * time.Second)
			w.lines("ag1", -1)
		}},
		{"it is read afterwards", nil, func(w *linkedWorld) { w.lines("ag1", -1); w.lines("main", -1) }},
		{"it is read afterwards, behind the run", nil, func(w *linkedWorld) { w.lines("main", -1); w.lines("ag1", -1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newLinkedWorld(t, late)
			tt.play(w)
			w.pass(12 * time.Second)
			run := w.span(t, "invoke_agent claude-code")
			assert.Equal(t, "10", attr(run, otlp.AttrUsageInput))
			assert.Equal(t, "true", attr(run, otlp.AttrUsageIncomplete))
			incomplete, _ := w.endRecord().Attributes().Get(otlp.AttrUsageIncomplete)
			assert.True(t, incomplete.Bool())
			require.Equal(t, 1, strings.Count(w.names(), "invoke_agent claude-code"))
		})
	}
}

// TestStreamAwaitsOpenFilesAlone: a stream on standard output names its sub-agents, whose files may not exist: its run
// does not wait for one without a file, and waits for one with a file.
func TestStreamAwaitsOpenFilesAlone(t *testing.T) {
	files := threeFiles()
	files["main"][0] = line(started())
	w := newLinkedWorld(t, files)
	w.lines("main", -1)
	assert.Equal(t, "true", attr(w.span(t, "invoke_agent claude-code"), otlp.AttrUsageIncomplete))

	w = newLinkedWorld(t, files)
	w.lines("main", 4)
	w.lines("ag1", 2)
	w.lines("main", -1)
	assert.NotContains(t, w.names(), "invoke_agent claude-code")
	w.lines("ag2", -1)
	w.lines("ag1", -1)
	assert.Equal(t, "3210", attr(w.span(t, "invoke_agent claude-code"), otlp.AttrUsageInput))
}

// TestLinkedTokensCountOnce: the metrics count each token once, whatever the totals include.
func TestLinkedTokensCountOnce(t *testing.T) {
	w := newLinkedWorld(t, threeFiles())
	for _, name := range []string{"main", "ag2", "ag1"} {
		w.lines(name, -1)
	}
	w.end()
	last := 0.0
	for _, md := range w.registry.Metrics().TakeLast(w.now) {
		sum := 0.0
		eachMetric(md, func(m pmetric.Metric) {
			if m.Name() != "gen_ai.client.token.usage" {
				return
			}
			for _, p := range m.Histogram().DataPoints().All() {
				if kind, _ := p.Attributes().Get("gen_ai.token.type"); kind.Str() == "input" {
					sum += p.Sum()
				}
			}
		})
		last = max(last, sum)
	}
	assert.InDelta(t, 3210, last, 0)
}

func eachMetric(md pmetric.Metrics, f func(pmetric.Metric)) {
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				f(m)
			}
		}
	}
}

// TestStopEndsThePipelineOfWhatWaits has a run wait for a sub-agent when the registry is closed, with a running clock:
// its step and pipeline end with it.
func TestStopEndsThePipelineOfWhatWaits(t *testing.T) {
	settings, now := telemetry.NewDefaultSettings(), at(1000)
	settings.Now = func() time.Time { now = now.Add(time.Millisecond); return now }
	r := telemetry.NewRegistry(settings)
	s := r.Open(telemetry.StreamSettings{ID: "main", Agent: claude, Identity: otlp.NewIdentity(
		otlp.Attribute{Key: otlp.AttrPipelineName, Value: "nightly"}, otlp.Attribute{Key: otlp.AttrPipelineRunID, Value: "17"},
		otlp.Attribute{Key: otlp.AttrTaskName, Value: "fix"},
	)})
	var f collected
	for i, evs := range threeFiles()["main"] {
		s.Feed(telemetry.Line{Offset: int64(i)}, evs)
	}
	f.take(s.Take())
	s.Close(otlp.CloseReasonShutdown)
	f.take(s.Take())
	f.take(r.Close())
	for _, name := range []string{"nightly", "fix", "invoke_agent claude-code"} {
		f.span(t, name)
	}
}
