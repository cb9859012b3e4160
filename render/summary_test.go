package render_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

var nine = time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)

// at sets the time of an event, in seconds after nine o'clock.
func at(seconds float64, e *events.DisplayEvent) *events.DisplayEvent {
	timed := *e
	timed.Time = nine.Add(time.Duration(seconds * float64(time.Second)))
	return &timed
}

func used(scope events.UsageScope, in, cached, out int64, cost float64) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindUsage, Model: "demo-1", Usage: &events.Usage{
		Scope: scope, Tokens: events.Tokens{Input: in, CacheRead: cached, Output: out}, CostUSD: cost, HasCost: cost > 0,
	}}
}

// TestSummaryMeasuresOnlyWhatIsLive checks that the clock measures a live stream but not one that may have been written
// earlier, and that no duration is shown for nothing.
func TestSummaryMeasuresOnlyWhatIsLive(t *testing.T) {
	now := time.Date(2026, 11, 27, 15, 4, 5, 0, time.UTC)
	step := 2 * time.Second
	s := render.Settings{Mode: render.ModeVerbose, Summary: true, Now: func() time.Time { now = now.Add(step); return now }}
	log := func() string { return emit(s, use("t", "Read", "a.go"), answer("t", "ok")) }
	assert.Contains(t, log(), "tools     1 call, 2s\n  Read  1 call, 2s\nduration  2s\n")
	step = time.Microsecond
	assert.Contains(t, log(), "tools     1 call\n  Read  1 call\n")
	assert.NotContains(t, log(), "duration")
	s.Replay, step = true, 2*time.Second
	assert.Contains(t, log(), "tools     1 call\n  Read  1 call\n")
	assert.NotContains(t, log(), "duration")
}

// TestSummaryMeasuresByTheLines checks that events without a time take the time of their neighbors, as in spans, also if a live
// stream has a clock; only the end that is made for an ended process has the time by the clock, unless the stream is old.
func TestSummaryMeasuresByTheLines(t *testing.T) {
	start := &events.DisplayEvent{Kind: events.KindSessionStarted}
	ended := end(events.End{Error: true})
	ended.Synthetic = true
	for name, c := range map[string]struct {
		now  float64 // seconds after nine o'clock
		want string
	}{
		"live":        {20, "tools     1 call, 2s\n  Read  1 call, 2s\nduration  19s\n"},
		"played back": {1e5, "tools     1 call, 2s\n  Read  1 call, 2s\nduration  2s\n"},
	} {
		now := nine.Add(time.Duration(c.now * float64(time.Second)))
		s := render.Settings{Mode: render.ModeVerbose, Summary: true, Now: func() time.Time { return now }}
		assert.Contains(t, emit(s, start, use("t", "Read", "a.go"), at(1, said("Hi")), at(3, answer("t", "ok")), ended), c.want, name)
		assert.Contains(t, emit(s, at(1, use("t", "Read", "a.go")), at(3, said("Hi")), answer("t", "ok"), end(events.End{})),
			"tools     1 call, 2s\n  Read  1 call, 2s\nduration  2s\n", name)
	}
}

// TestSummary checks the summary at the end of a run, and that a second run starts a new one.
func TestSummary(t *testing.T) {
	s := render.Settings{Mode: render.ModeVerbose, Summary: true}
	run := []*events.DisplayEvent{
		at(0, use("1", "exec_command", "go test")), at(3, refusal("1", "FAIL")),
		at(3, use("2", "Bash", "go test")), at(5.5, answer("2", "ok")),
		at(6, use("3", "mcp__shop__find", "figs")), at(6.5, answer("3", "3 figs")),
		at(7, use("4", "Frobnicate", "")),
		answer("never seen", ""),
		used(events.UsageScopeProcess, 1000, 400, 50, 0.0123),
	}
	first := "--- Summary ---\ntools     4 calls, 2 failed, 6s\n" +
		"  exec_command     1 call, 1 failed, 3s\n  Bash             1 call, 2.5s\n  mcp__shop__find  1 call, 500ms\n  Frobnicate       1 call, 1 failed\n" +
		"tokens    1,000 in (400 cached), 50 out\ncost      $0.0123\n"
	got := emit(s, append(run, at(8, end(events.End{Duration: 9 * time.Second})))...)
	_, got, _ = strings.Cut(got, "[tool: Frobnicate]\n")
	assert.Equal(t, first+"duration  9s\n", got)

	second := []*events.DisplayEvent{at(20, use("5", "Read", "x")), at(21, answer("5", "")), used(events.UsageScopeProcess, 1500, 400, 60, 0.02), at(24, end(events.End{}))}
	got = emit(s, append(append(run, at(8, end(events.End{}))), second...)...)
	_, got, _ = strings.Cut(got, "duration  8s\n")
	assert.Equal(t, "[tool: Read(x)]\n--- Summary ---\ntools     1 call, 1s\n  Read  1 call, 1s\ntokens    500 in, 10 out\ncost      $0.0077\nduration  4s\n", got)

	assert.Contains(t, emit(s, run...), first, "a run that never ends is summed up at the close")
	assert.NotContains(t, emit(s, said("Hi"), end(events.End{})), "Summary", "nothing to sum up")
	assert.Contains(t, emit(s, use("1", "Read", "x"), end(events.End{Interrupted: true})), "  Read  1 call\n", "what the user stopped did not fail")
	copied := *use("1", "Read", "x")
	copied.Copied = true
	assert.Contains(t, emit(s, &copied, use("2", "Bash", "ls"), answer("2", "")), "tools     1 call\n  Bash  1 call\n", "another session did it")
	for _, mode := range []render.Mode{render.ModeDefault, render.ModeQuiet, render.ModeJSON} {
		assert.NotContains(t, emit(render.Settings{Mode: mode, Summary: true}, run...), "Summary", "mode %s", mode)
	}
	assert.NotContains(t, emit(render.Settings{Mode: render.ModeVerbose}, run...), "Summary", "it is asked for")
}

// TestSummaryOfARunThatGoesOn checks that a stopped stream shows no end, and that the stream that continues the run, and
// received only the rest of it, summarizes the whole run.
func TestSummaryOfARunThatGoesOn(t *testing.T) {
	s := render.Settings{Mode: render.ModeVerbose, Summary: true}
	for ended, want := range map[bool]string{
		false: "[tool: Read(a.go)]\n",
		true:  "[tool: Read(a.go)]\n--- Summary ---\ntools     1 call, 1 failed\n  Read  1 call, 1 failed\n",
	} {
		var out bytes.Buffer
		r := render.New(&out, s)
		r.Emit(use("1", "Read", "a.go"))
		if ended {
			r.Emit(end(events.End{}))
		}
		require.NoError(t, r.Stop())
		assert.Equal(t, want, out.String(), "ended %v", ended)
	}

	totals := &events.Totals{
		ToolCalls: 5, ToolErrors: 2, Elapsed: time.Minute,
		Usage: events.Usage{Tokens: events.Tokens{Input: 900, CacheRead: 100, Output: 70}, CostUSD: 0.5, HasCost: true},
	}
	rest := []*events.DisplayEvent{
		at(50, refusal("0", "called before")), at(50, use("1", "Read", "a.go")), at(51, answer("1", "")),
		used(events.UsageScopeSession, 5000, 0, 500, 3), at(60, end(events.End{Totals: totals})),
	}
	got := emit(s, rest...)
	_, got, _ = strings.Cut(got, "\n")
	assert.Equal(t, "--- Summary ---\ntools     5 calls, 2 failed, 1s\n  Read  1 call, 1s\n  before this log began  4 calls, 2 failed\n"+
		"tokens    900 in (100 cached), 70 out\ncost      $0.50\nduration  1m00s\n", got)

	totals.ToolCalls, totals.ToolErrors, totals.Elapsed = 1, 0, 10*time.Second
	got = emit(s, rest...)
	assert.Contains(t, got, "tools     1 call, 1s\n  Read  1 call, 1s\ntokens    900 in (100 cached), 70 out\ncost      $0.50\nduration  10s\n",
		"the end counts: a usage of the session so far is more than the run's")
	totals.Usage = events.Usage{}
	got = emit(s, rest...)
	assert.Contains(t, got, "tokens    5,000 in, 500 out\ncost      $3.00\n", "an end without usage")

	timed := answer("0", "")
	timed.Tool.Name, timed.Tool.Duration = "Agent", 3*time.Second
	totals.ToolCalls, totals.ToolErrors = 2, 0
	got = emit(s, append([]*events.DisplayEvent{timed}, rest[1:]...)...)
	assert.Contains(t, got, "tools     2 calls, 4s\n  Read   1 call, 1s\n  Agent  3s\n  before this log began  1 call\n", "called before, answered after")
}

func TestSummaryIsBounded(t *testing.T) {
	var run []*events.DisplayEvent
	for i := range 30 {
		run = append(run, use("", fmt.Sprintf("tool%02d", i), ""))
	}
	got := emit(render.Settings{Mode: render.ModeVerbose, Summary: true}, run...)
	assert.Contains(t, got, "  tool11  1 call\n  and 18 more\n")
	checkSafe(t, "", emit(render.Settings{Mode: render.ModeVerbose, Summary: true}, use("1", "e\x1b[2Jvil\n", "")))
	run = nil
	for i := range 2000 {
		run = append(run, use("", fmt.Sprint("tool", i), ""), used(events.UsageScopeCall, 1, 0, 1, 0))
		run[len(run)-1].Model = fmt.Sprint("model", i)
	}
	got = emit(render.Settings{Mode: render.ModeVerbose, Summary: true}, run...)
	assert.Contains(t, got, "  other tools  1744 calls\n")
	assert.Contains(t, got, "tokens    2,000 in, 2,000 out\n")
}

// TestMemoryIsBounded: long names, targets and IDs are not kept, however many calls are open.
func TestMemoryIsBounded(t *testing.T) {
	long := strings.Repeat("x", 1<<18)
	for style := render.StyleMarker; style.Valid(); style++ {
		log := render.NewLog(io.Discard, render.LogSettings{
			Settings: render.Settings{Mode: render.ModeVerbose, Style: style, Summary: true, Results: true},
			Throttle: render.ThrottleSettings{Interval: time.Hour},
		})
		var before, after runtime.MemStats
		s := log.Open(render.Origin{Pipeline: "p" + long, Run: long, Step: "s" + long, StepRun: long, Agent: long})
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range 48 {
			name := fmt.Sprint(i, long)
			e := use(name, name, name)
			e.ParentID, e.AgentID, e.Model, e.SessionID, e.MessageID, e.Tool.AgentType, e.Tool.Server = name, name, name, name, name, name, name
			s.Emit(e)
			s.Emit(piece(name, name, "word"))
			used := used(events.UsageScopeSession, 1, 0, 1, 0)
			used.Model = name
			s.Emit(used)
			s.Emit(&events.DisplayEvent{Kind: events.KindToolResult, Text: name, Tool: events.Tool{ID: name + "?", Output: []byte(name)}})
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		assert.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(4<<20), "style %s", style)
		require.NoError(t, s.Close())
	}
}

// TestSummaryCountsWhatTheThrottleHides checks that a call that is not shown is counted.
func TestSummaryCountsWhatTheThrottleHides(t *testing.T) {
	w := &screen{}
	s := render.NewLog(w, render.LogSettings{Settings: render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Summary: true}}).Open(render.Origin{})
	reads(s, "1", "2", "3", "4")
	s.Emit(end(events.End{}))
	assert.Equal(t, "Read 1\nRead 4\nfinished\n--- Summary ---\ntools     4 calls, 4 failed\n  Read  4 calls, 4 failed\n", w.String())
}

// TestResults checks the results that are shown if configured, with the duration of the call.
func TestResults(t *testing.T) {
	lines := &events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: "1", HasLines: true, Lines: 12}}
	bashResult := &events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: "2", Summary: "PASS", Duration: 62 * time.Second}}
	run := []*events.DisplayEvent{at(0, use("1", "Read", "src/a.go")), at(0.34, lines), at(1, use("2", "Bash", "go test")), at(2, bashResult), at(3, use("3", "Grep", "x")), refusal("3", "no such folder")}
	for style, want := range map[render.Style]string{
		render.StyleMarker: "[tool: Read(src/a.go)]\n[result: Read(src/a.go) → 12 lines (340ms)]\n[tool: Bash(go test)]\n" +
			"[result: Bash(go test) → PASS (1m02s)]\n[tool: Grep(x)]\n[result: Grep(x) → error: no such folder]\n",
		render.StyleTranscript: "[Read] a.go\n→ 12 lines (340ms)\n[Bash] $ go test\n→ PASS (1m02s)\n[Grep] \"x\"\n→ error: no such folder\n",
		render.StyleProgress:   "Reading src/a.go\nFinished reading src/a.go (340ms)\ngo test\nCommand finished (1m02s)\nSearching code for x\nSearch failed: x\n",
		render.StyleActivity: "09:00:00 Read src/a.go\n09:00:00 Read src/a.go → 12 lines (340ms)\n09:00:01 Bash go test\n" +
			"09:00:02 Bash go test → PASS (1m02s)\n09:00:03 Grep x\n09:00:03 Grep x → error: no such folder\n",
	} {
		assert.Equal(t, want, emit(render.Settings{Mode: render.ModeVerbose, Style: style, Results: true, Location: time.UTC}, run...), "style %s", style)
	}
	assert.NotContains(t, emit(render.Settings{Mode: render.ModeVerbose}, run...), "result")
	assert.Empty(t, emit(render.Settings{Results: true}, run...), "default mode is text alone")
}

// TestReasoning checks that reasoning is shown if configured, after a margin, and never in default mode.
func TestReasoning(t *testing.T) {
	thought := func(delta bool, text string) *events.DisplayEvent {
		return &events.DisplayEvent{Kind: events.KindReasoning, MessageID: "m", Delta: delta, Text: text}
	}
	run := []*events.DisplayEvent{thought(true, "Where\nis"), thought(true, " it?\n\nOh."), said("There."), thought(false, " \n"), thought(false, "b\x1b[2Jye")}
	for style := render.StyleMarker; style.Valid(); style++ {
		s := render.Settings{Mode: render.ModeVerbose, Style: style}
		assert.Equal(t, "There.\n", emit(s, run...))
		s.Reasoning = true
		margin := map[bool]string{true: "--:--:-- "}[style == render.StyleActivity]
		want := strings.ReplaceAll("M│ Where\nM│ is it?\nM│\nM│ Oh.\nThere.\nM│ bye\n", "M", margin)
		assert.Equal(t, want, emit(s, run...), "style %s", style)
	}
	for _, mode := range []render.Mode{render.ModeDefault, render.ModeQuiet} {
		assert.NotContains(t, emit(render.Settings{Mode: mode, Reasoning: true}, run...), "Where")
	}
}

// TestSubAgentsAreIndented checks that the lines of a sub-agent are indented, in all verbose styles.
func TestSubAgentsAreIndented(t *testing.T) {
	under := func(parent string, e *events.DisplayEvent) *events.DisplayEvent {
		e.ParentID = parent
		return e
	}
	run := func() []*events.DisplayEvent {
		return []*events.DisplayEvent{
			use("a", "Task", "look"), under("a", said("one\n\ntwo")), under("a", use("b", "Task", "deeper")),
			under("b", use("c", "Frobnicate", "")), use("d", "Frobnicate", ""),
		}
	}
	s := render.Settings{Mode: render.ModeVerbose}
	assert.Equal(t, "[tool: Task(look)]\n  one\n\n  two\n  [tool: Task(deeper)]\n    [tool: Frobnicate]\n[tool: Frobnicate]\n", emit(s, run()...))
	s.Style = render.StyleActivity
	assert.Contains(t, emit(s, run()...), "--:--:--     Frobnicate\n--:--:-- Frobnicate\n")
	assert.Equal(t, "one\n\ntwo\n", emit(render.Settings{}, run()...), "default mode is the text as it is")
}

// TestColor checks that colours are the only sequences, are on the intended lines, and end with their line.
func TestColor(t *testing.T) {
	s := render.Settings{Mode: render.ModeVerbose, Style: render.StyleTranscript, Color: true, Reasoning: true}
	got := emit(s, use("1", "Read", "a\x1b[31m.go"), refusal("1", "no such file"), said("pl\x1b[1main"), &events.DisplayEvent{Kind: events.KindReasoning, Text: "a\nb"},
		end(events.End{Result: "fine"}))
	assert.Equal(t, "\x1b[38;5;30m[Read] a.go\x1b[0m\n\x1b[38;5;160m→ error: no such file\x1b[0m\nplain\n\x1b[38;5;243m│ \x1b[0m\x1b[38;5;243ma\x1b[0m\n\x1b[38;5;243m│ \x1b[0m\x1b[38;5;243mb\x1b[0m\n"+
		"\n\x1b[38;5;28m--- Result ---\x1b[0m\nfine\n", got)
	for _, e := range oneRun() {
		plain := s
		plain.Color = false
		colored := emit(s, e)
		assert.Equal(t, emit(plain, e), withoutInks.Replace(colored))
	}
}

func TestColorWanted(t *testing.T) {
	tests := []struct {
		name     string
		choice   render.Color
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"terminal", render.ColorAuto, true, nil, true},
		{"no terminal", render.ColorAuto, false, nil, false},
		{"NO_COLOR", render.ColorAuto, true, map[string]string{"NO_COLOR": "1"}, false},
		{"empty NO_COLOR", render.ColorAuto, true, map[string]string{"NO_COLOR": ""}, true},
		{"FORCE_COLOR", render.ColorAuto, false, map[string]string{"FORCE_COLOR": "1"}, true},
		{"FORCE_COLOR=0", render.ColorAuto, false, map[string]string{"FORCE_COLOR": "0"}, false},
		{"both", render.ColorAuto, true, map[string]string{"FORCE_COLOR": "1", "NO_COLOR": "1"}, false},
		{"dumb", render.ColorAuto, true, map[string]string{"TERM": "dumb"}, false},
		{"always", render.ColorAlways, false, map[string]string{"NO_COLOR": "1"}, true},
		{"never", render.ColorNever, true, map[string]string{"FORCE_COLOR": "1"}, false},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, tt.choice.Wanted(tt.terminal, func(k string) string { return tt.env[k] }), tt.name)
	}
	for _, name := range []string{"auto", "always", "never"} {
		c, err := render.ParseColor(name)
		assert.NoError(t, err)
		assert.Equal(t, name, c.String())
	}
	_, err := render.ParseColor("yes")
	assert.EqualError(t, err, `color must be one of auto, always, never, got "yes"`)
	assert.Equal(t, "color(9)", render.Color(9).String())
}
