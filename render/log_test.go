package render_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/terminaltest"
	"github.com/tailspan/tailspan/render"
)

// screen receives the output of a log.
type screen struct{ terminaltest.Buffer }

// String returns everything that was written, without the times of lines.
func (s *screen) String() string {
	var b strings.Builder
	for line := range strings.Lines(s.Buffer.String()) {
		if len(line) > 9 && line[2] == ':' && line[5] == ':' {
			line = line[9:]
		}
		b.WriteString(line)
	}
	return b.String()
}

func activity(w *screen, t render.ThrottleSettings) *render.Log {
	return render.NewLog(w, render.LogSettings{
		Settings: render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Location: time.UTC, Now: time.Now},
		Throttle: t,
	})
}

// reads emits calls of Read, one per file.
func reads(s events.Sink, files ...string) {
	for _, f := range files {
		s.Emit(use(f, "Read", f))
	}
}

// TestThrottle checks the rule of the activity style: at most one tool line per second and step, the newest wins, the
// last one always appears, everything else appears immediately after the held line of its step.
func TestThrottle(t *testing.T) {
	warn := &events.DisplayEvent{Kind: events.KindNotice, Text: "slow", Notice: events.Notice{Level: events.LevelWarn}}
	silent := []*events.DisplayEvent{answer("a", "x"), of(events.KindUsage, ""), of(events.KindMessage, ""), of(events.KindPrompt, ""),
		{Kind: events.KindNotice, Text: "fyi"}, {Kind: events.KindReasoning, Text: "hm"}, {Kind: events.KindTurnDone, End: &events.End{}}}
	tests := []struct {
		name string
		do   func(log *render.Log, see func(want string))
	}{
		{"a burst gives its first and its last", func(log *render.Log, see func(string)) {
			s := log.Open(render.Origin{Step: "a"})
			reads(s, "1", "2", "3", "4", "5")
			see("[a] Read 1\n")
			time.Sleep(999 * time.Millisecond)
			see("[a] Read 1\n")
			time.Sleep(2 * time.Millisecond)
			see("[a] Read 1\n[a] Read 5\n")
			reads(s, "6")
			see("[a] Read 1\n[a] Read 5\n")
			time.Sleep(time.Second)
			see("[a] Read 1\n[a] Read 5\n[a] Read 6\n")
			time.Sleep(time.Second)
			reads(s, "7")
			see("[a] Read 1\n[a] Read 5\n[a] Read 6\n[a] Read 7\n")
		}},
		{"slow calls pass at once", func(log *render.Log, see func(string)) {
			s := log.Open(render.Origin{})
			for _, f := range []string{"1", "2", "3"} {
				reads(s, f)
				time.Sleep(time.Second)
			}
			see("Read 1\nRead 2\nRead 3\n")
		}},
		{"others pass at once behind what waits", func(log *render.Log, see func(string)) {
			s := log.Open(render.Origin{Step: "a"})
			reads(s, "1", "2")
			s.Emit(warn)
			see("[a] Read 1\n[a] Read 2\n[a] warning: slow\n")
			s.Emit(warn)
			reads(s, "3", "4")
			s.Emit(said("Hello"))
			see("[a] Read 1\n[a] Read 2\n[a] warning: slow\n[a] warning: slow\n[a] Read 4\n[a] Hello\n")
			time.Sleep(time.Minute)
			see("[a] Read 1\n[a] Read 2\n[a] warning: slow\n[a] warning: slow\n[a] Read 4\n[a] Hello\n")
		}},
		{"what shows nothing lets nothing through", func(log *render.Log, see func(string)) {
			s := log.Open(render.Origin{})
			reads(s, "1", "2")
			for _, e := range silent {
				s.Emit(e)
			}
			see("Read 1\n")
		}},
		{"steps have an allowance each", func(log *render.Log, see func(string)) {
			a, b := log.Open(render.Origin{Step: "a"}), log.Open(render.Origin{Step: "b"})
			reads(a, "1", "2", "3")
			reads(b, "4", "5")
			b.Emit(warn)
			see("[a] Read 1\n[b] Read 4\n[b] Read 5\n[b] warning: slow\n")
			time.Sleep(time.Second)
			see("[a] Read 1\n[b] Read 4\n[b] Read 5\n[b] warning: slow\n[a] Read 3\n")
		}},
		{"streams of one step share one", func(log *render.Log, see func(string)) {
			a, b := log.Open(render.Origin{Step: "a"}), log.Open(render.Origin{Step: "a"})
			reads(a, "1")
			reads(b, "2")
			see("[a] Read 1\n")
			a.Emit(warn)
			see("[a] Read 1\n[a] Read 2\n[a] warning: slow\n")
		}},
		{"close writes what waits", func(log *render.Log, see func(string)) {
			s := log.Open(render.Origin{})
			reads(s, "1", "2")
			require.NoError(t, s.Close())
			see("Read 1\nRead 2\n")
			require.NoError(t, s.Close())
		}},
		{"lines of no parser come behind what waits", func(log *render.Log, see func(string)) {
			s := log.Open(render.Origin{})
			reads(s, "1", "2")
			s.PassThrough([]byte("words"))
			see("Read 1\nRead 2\nwords\n")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &screen{}
				log := activity(w, render.ThrottleSettings{})
				tt.do(log, func(want string) {
					synctest.Wait()
					assert.Equal(t, want, w.String())
				})
			})
		})
	}
}

// TestThrottleOfOutput checks the scope of an output: all steps share one limit.
func TestThrottleOfOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &screen{}
		log := activity(w, render.ThrottleSettings{Scope: render.ThrottleScopeOutput})
		a, b := log.Open(render.Origin{Step: "a"}), log.Open(render.Origin{Step: "b"})
		reads(a, "1", "2")
		reads(b, "3")
		a.Emit(said("text of a"))
		assert.Equal(t, "[a] Read 1\n[a] text of a\n", w.String(), "what waits is of another step")
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, "[a] Read 1\n[a] text of a\n[b] Read 3\n", w.String())
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
	})
}

// TestThrottleByEventTime checks that earlier events are throttled by their own times, and that the last line appears.
func TestThrottleByEventTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &screen{}
		s := activity(w, render.ThrottleSettings{ByEventTime: true}).Open(render.Origin{})
		start := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
		for i, millis := range []int{0, 300, 900, 1000, 1500, 2500} {
			e := use("", "Read", strconv.Itoa(i))
			e.Time = start.Add(time.Duration(millis) * time.Millisecond)
			s.Emit(e)
		}
		assert.Equal(t, "Read 0\nRead 3\nRead 5\n", w.String())
		e := use("", "Read", "last")
		e.Time = start.Add(2600 * time.Millisecond)
		s.Emit(e)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, "Read 0\nRead 3\nRead 5\nRead last\n", w.String())
	})
}

// TestThrottleWithoutTimes checks that a replay whose events have no time loses no line: the reading speed is irrelevant.
func TestThrottleWithoutTimes(t *testing.T) {
	w := &screen{}
	settings := render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Location: time.UTC, Replay: true}
	s := render.NewLog(w, render.LogSettings{Settings: settings, Throttle: render.ThrottleSettings{ByEventTime: true}}).Open(render.Origin{})
	start := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	for i, millis := range []int{-1, -1, 0, 300, -1, 1000, 1300} {
		e := use("", "Read", strconv.Itoa(i))
		if millis >= 0 {
			e.Time = start.Add(time.Duration(millis) * time.Millisecond)
		}
		s.Emit(e)
	}
	require.NoError(t, s.Close())
	assert.Equal(t, "Read 0\nRead 1\nRead 2\nRead 4\nRead 5\nRead 6\n", w.String(), "3 came too early")
}

// TestThrottleRate checks, for bursts of many steps at irregular times, that no second has more than one tool line of
// a step, and that the last call of every step appears.
func TestThrottleRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type line struct {
			at   time.Time
			text string
		}
		var mu sync.Mutex
		var lines []line
		w := writerFunc(func(p []byte) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, line{time.Now(), string(p)})
			return len(p), nil
		})
		log := render.NewLog(w, render.LogSettings{Settings: render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Now: time.Now}})
		var group sync.WaitGroup
		for step := range 5 {
			group.Go(func() {
				s := log.Open(render.Origin{Step: fmt.Sprint("s", step)})
				for i := range 200 {
					reads(s, fmt.Sprint("f", i))
					time.Sleep(time.Duration((i*37+step*11)%97) * time.Millisecond)
				}
				time.Sleep(2 * time.Second)
				assert.NoError(t, s.Close())
			})
		}
		group.Wait()
		for step := range 5 {
			var last line
			for _, l := range lines {
				if strings.Contains(l.text, fmt.Sprintf("[s%d]", step)) {
					assert.False(t, l.at.Before(last.at.Add(time.Second)), "%q %s after %q", l.text, l.at.Sub(last.at), last.text)
					last = l
				}
			}
			assert.Contains(t, last.text, "Read f199")
		}
	})
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestThrottleOff(t *testing.T) {
	w := &screen{}
	s := activity(w, render.ThrottleSettings{Interval: -1}).Open(render.Origin{})
	reads(s, "1", "2", "3")
	assert.Equal(t, "Read 1\nRead 2\nRead 3\n", w.String())
}

// TestOnlyActivityIsThrottled checks that no other style or mode loses a line.
func TestOnlyActivityIsThrottled(t *testing.T) {
	for style := render.StyleMarker; style < render.StyleActivity; style++ {
		w := &screen{}
		s := render.NewLog(w, render.LogSettings{Settings: render.Settings{Mode: render.ModeVerbose, Style: style}}).Open(render.Origin{Step: "a"})
		reads(s, "1", "2", "3")
		assert.Equal(t, 3, strings.Count(w.String(), "\n"), "style %s", style)
		assert.NotContains(t, w.String(), "[a]", "style %s", style)
	}
}

// TestHeadings checks that the styles that do not name the step show a heading whenever the stream changes, and only then.
func TestHeadings(t *testing.T) {
	steps := []string{"build", "build", "", "test", "build"}
	logOf := func(s render.Settings) string {
		var out bytes.Buffer
		log := render.NewLog(&out, render.LogSettings{Settings: s})
		for i, step := range steps {
			stream := log.Open(render.Origin{Step: step})
			stream.Emit(said(fmt.Sprint("text ", i)))
			stream.Emit(use("t", "Read", "a.go"))
			require.NoError(t, stream.Close())
		}
		return out.String()
	}
	for style, read := range map[render.Style]string{
		render.StyleMarker: "[tool: Read(a.go)]\n", render.StyleTranscript: "[Read] a.go\n", render.StyleProgress: "Reading a.go\n",
	} {
		want := "text 0\n" + read + "text 1\n" + read + "text 2\n" + read +
			"--- [test] ---\ntext 3\n" + read + "--- [build] ---\ntext 4\n" + read
		assert.Equal(t, want, logOf(render.Settings{Mode: render.ModeVerbose, Style: style}), "style %s", style)
	}
	assert.Contains(t, logOf(render.Settings{Mode: render.ModeVerbose, Color: true}), "\x1b[1m--- [test] ---\x1b[0m\n")
	assert.NotContains(t, logOf(render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity}), "---\n")
	assert.Equal(t, "text 0\ntext 1\ntext 2\ntext 3\ntext 4\n", logOf(render.Settings{}), "default mode is text alone")

	var text, lines bytes.Buffer
	log := render.NewLog(&text, render.LogSettings{Settings: render.Settings{Mode: render.ModeVerbose, Lines: &lines}})
	for _, step := range []string{"a", "b\x1b[2J::error::"} {
		reads(log.Open(render.Origin{Step: step}), "x")
		log.Open(render.Origin{Step: step}).Emit(said("words"))
	}
	assert.Equal(t, "words\nwords\n", text.String(), "text that stands alone has no heading")
	assert.Equal(t, "[tool: Read(x)]\n--- [b::error::] ---\n[tool: Read(x)]\n", lines.String())
}

// TestReplayDatesItsBeginning checks that lines before the first time of a stream get that time, in their place,
// and that none of them waits forever.
func TestReplayDatesItsBeginning(t *testing.T) {
	s := render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Location: time.UTC, Replay: true, Reasoning: true}
	dated := use("t", "Bash", "go vet")
	dated.Time = time.Date(2026, 11, 27, 15, 4, 5, 0, time.UTC)
	undated := []*events.DisplayEvent{
		{Kind: events.KindSessionStarted, Model: "demo-1"},
		{Kind: events.KindReasoning, Text: "one\n\ntwo"},
		said("--:--:-- is what a text may hold"),
		use("u", "Read", "--:--:--"),
	}
	log := func(clock string) string {
		return clock + " started · demo-1\n" + clock + " │ one\n" + clock + " │\n" + clock + " │ two\n" +
			"--:--:-- is what a text may hold\n" + clock + " Read --:--:--\n"
	}
	timeless := strings.NewReplacer("--:--:-- started", "started", "--:--:-- │", "│", "--:--:-- Read", "Read").Replace(log("--:--:--"))
	assert.Equal(t, timeless, emit(s, undated...), "there is no time at all")
	assert.Equal(t, log("15:04:05")+"15:04:05 Bash go vet\n", emit(s, append(undated, dated)...))
	s.Color = true
	assert.Contains(t, emit(s, append(undated, dated)...), "\x1b[38;5;243m15:04:05 \x1b[0m\x1b[38;5;30mRead --:--:--\x1b[0m\n")
	s.Color = false

	var out bytes.Buffer
	r := render.New(&out, s)
	line := said("words\n")
	for range 64<<10/len(line.Text) - 1 {
		r.Emit(line)
	}
	r.Emit(undated[3])
	assert.NotEmpty(t, out.String(), "only so much waits")
	r.Emit(dated)
	r.Emit(undated[3])
	assert.Contains(t, out.String(), "words\nRead --:--:--\n15:04:05 Bash go vet\n15:04:05 Read --:--:--\n")

	out.Reset()
	r = render.New(&out, s)
	r.Emit(undated[0])
	assert.Empty(t, out.String())
	r.Break()
	r.Emit(undated[3])
	assert.Equal(t, "started · demo-1\nRead --:--:--\n", out.String(), "others may write")
	s.Now = func() time.Time { return dated.Time }
	assert.Equal(t, log("15:04:05"), emit(s, undated...), "a live stream has a clock")
}

// TestLiveClock checks that the clock provides the times of a live stream's events, and not of those of a copied stream.
func TestLiveClock(t *testing.T) {
	now := time.Date(2026, 11, 27, 15, 4, 5, 0, time.UTC)
	s := render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Location: time.UTC, Now: func() time.Time { return now }}
	at := func(d time.Duration) *events.DisplayEvent {
		e := use("d", "Bash", "go vet")
		e.Time = now.Add(-d)
		return e
	}
	undated := use("u", "Read", "a.go")
	assert.Equal(t, "15:03:05 Bash go vet\n15:04:05 Read a.go\n", emit(s, at(time.Minute), undated), "read as it is written")
	assert.Equal(t, "15:04:05 Read a.go\n15:03:04 Bash go vet\n15:03:04 Read a.go\n15:04:05 Bash go vet\n15:04:05 Read a.go\n",
		emit(s, undated, at(time.Minute+time.Second), undated, at(0), undated), "written earlier, until it has caught up")
}

func TestThrottleScopeNames(t *testing.T) {
	for _, name := range []string{"step", "output"} {
		s, err := render.ParseThrottleScope(name)
		require.NoError(t, err)
		assert.Equal(t, name, s.String())
	}
	_, err := render.ParseThrottleScope("all")
	assert.EqualError(t, err, `throttle_scope must be one of step, output, got "all"`)
	assert.Equal(t, "throttle_scope(9)", render.ThrottleScope(9).String())
}

func TestActivityLines(t *testing.T) {
	s := render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Location: time.UTC}
	at := time.Date(2026, 11, 27, 15, 4, 5, 0, time.UTC)
	start := &events.DisplayEvent{Kind: events.KindSessionStarted, Time: at, Model: "demo-1"}
	log := &screen{}
	stream := render.NewLog(log, render.LogSettings{Settings: s}).Open(render.Origin{Step: "build", Agent: "reviewer"})
	stream.Emit(start)
	assert.Equal(t, "15:04:05 [build] started · demo-1 · reviewer\n", log.Buffer.String())
	stream.SetAgent("other")
	stream.Emit(start)
	assert.Contains(t, log.String(), "started · demo-1 · other\n")

	timed := use("t", "exec_command", "go vet")
	timed.Time = at
	assert.Equal(t, "15:04:05 Bash go vet\n15:04:05 Read a.go\n", emit(s, timed, use("u", "read_file", "a.go")), "no time of its own: that of the event before")
	assert.Equal(t, "--:--:-- Read a.go\n", emit(s, use("u", "Read", "a.go")), "no time at all")

	for want, got := range map[string]string{
		"finished (4.1s)":           emit(s, end(events.End{Duration: 4100 * time.Millisecond})),
		"failed: it broke":          emit(s, end(events.End{Error: true, Err: "it broke\nat line 3"})),
		"interrupted":               emit(s, end(events.End{Interrupted: true})),
		"warehouse: lookup figs":    emit(s, use("m", "mcp__warehouse__lookup", "figs")),
		"shop: find figs":           emit(s, &events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{Name: "shop_find", Server: "shop", Target: "figs"}}),
		"Frobnicate figs":           emit(s, use("f", "Frobnicate", "figs")),
		"mcp__odd figs":             emit(s, use("f", "mcp__odd", "figs")),
		"unknown x":                 emit(s, use("f", "", "x")),
		"TodoWrite":                 emit(s, use("f", "TodoWrite", "a list")),
		"retrying API call: 1 of 3": emit(s, &events.DisplayEvent{Kind: events.KindNotice, Text: "1 of 3", Notice: events.Notice{Code: events.NoticeAPIRetry}}),
	} {
		assert.Equal(t, "--:--:-- "+want+"\n", got)
	}
}

func TestActivityFitsTheWidth(t *testing.T) {
	s := render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Width: func() int { return 24 }}
	assert.Equal(t, "--:--:-- Grep 商品の値…\n", emit(s, use("t", "Grep", "商品の値段を計算する")), "two cells a character")
	assert.Equal(t, "--:--:-- Read …/src/a.go\n", emit(s, use("t", "Read", "/home/dev/src/a.go")), "a path loses its beginning")
	assert.Equal(t, "--:--:-- NotebookEdit /…\n", emit(s, use("t", "NotebookEdit", "/home/dev/src/a.go")), "too little is left of it")
	assert.Equal(t, "--:--:-- "+strings.Repeat("x", 14)+"…\n", emit(s, use("t", strings.Repeat("x", 20), "")))
	assert.Equal(t, "--:--:-- Read a.go\n", emit(s, use("t", "Read", "a.go")))
	assert.Equal(t, strings.Repeat("word ", 20)+"\n", emit(s, said(strings.Repeat("word ", 20))), "the terminal wraps text")
}

func TestTextAlone(t *testing.T) {
	var text, lines bytes.Buffer
	s := render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Lines: &lines, Reasoning: true}
	log := render.NewLog(&text, render.LogSettings{Settings: s, Throttle: render.ThrottleSettings{Interval: -1}})
	a, b := log.Open(render.Origin{Step: "a"}), log.Open(render.Origin{Step: "b"})
	a.Emit(piece("m", "", "one "))
	a.Emit(&events.DisplayEvent{Kind: events.KindReasoning, Text: "hm"})
	b.Emit(piece("m", "", "two"))
	b.Emit(use("t", "Read", "x.go"))
	a.Emit(piece("m", "", "and more"))
	require.NoError(t, a.Close())
	require.NoError(t, b.Close())
	assert.Equal(t, "one \ntwo\nand more\n", text.String(), "as in default mode")
	assert.Equal(t, "--:--:-- [a] │ hm\n--:--:-- [b] Read x.go\n", lines.String())
}

func TestQuietNamesTheStep(t *testing.T) {
	var out bytes.Buffer
	s := render.NewLog(&out, render.LogSettings{Settings: render.Settings{Mode: render.ModeQuiet}}).Open(render.Origin{Step: "bu\x1b[2Jild"})
	reads(s, "x")
	s.Emit(end(events.End{Error: true, Err: "it broke"}))
	assert.Equal(t, "[build] Run failed: it broke (session 1a2b3c4d)\n", out.String())
}

func TestStreamError(t *testing.T) {
	full := fmt.Errorf("disk full")
	s := render.NewLog(writerFunc(func([]byte) (int, error) { return 0, full }), render.LogSettings{}).Open(render.Origin{})
	s.Emit(said("x"))
	assert.ErrorIs(t, s.Err(), full)
	assert.EqualError(t, s.Close(), "write output: disk full")
}

func TestJSONLinesOfStreams(t *testing.T) {
	w := &screen{}
	log := render.NewLog(w, render.LogSettings{Settings: render.Settings{Mode: render.ModeJSON, Style: render.StyleActivity}})
	a, b := log.Open(render.Origin{}), log.Open(render.Origin{})
	a.Raw([]byte(`{"a":1}`))
	b.Raw([]byte("{\"b\":\x1b}"))
	b.Emit(said("never"))
	assert.Equal(t, "{\"a\":1}\n{\"b\":\x1b}\n", w.String())
}
