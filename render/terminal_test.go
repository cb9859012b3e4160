package render_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/terminaltest"
	"github.com/tailspan/tailspan/render"
)

// live is a log on a made-up terminal.
type live struct {
	screen   *terminaltest.Screen
	width    atomic.Int64
	terminal *render.Terminal
	log      *render.Log
}

func onTerminal(width int, reflow bool, s render.Settings) *live {
	l := &live{screen: terminaltest.New(width, reflow)}
	l.width.Store(int64(width))
	l.terminal = render.NewTerminal(l.screen, render.TerminalSettings{Width: func() int { return int(l.width.Load()) }, Color: true})
	l.log = render.NewLog(l.terminal.Wrap(l.screen), render.LogSettings{Settings: s, Terminal: l.terminal})
	return l
}

// status returns the status line without its spinner.
func (l *live) status() string {
	last := []rune(l.screen.Last())
	if len(last) < 3 || last[0] != ' ' || last[1] < 0x2800 || last[1] > 0x28ff {
		return ""
	}
	return string(last[3:])
}

var verbose = render.Settings{Mode: render.ModeVerbose}

func TestStatusLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := onTerminal(80, true, verbose)
		s := l.log.Open(render.Origin{Step: "build"})
		tick := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		tick(time.Second)
		assert.Empty(t, l.screen.Lines(), "nothing runs")
		s.Emit(&events.DisplayEvent{Kind: events.KindSessionStarted})
		tick(150 * time.Millisecond)
		assert.Equal(t, "[build] thinking", l.status())
		s.Emit(use("1", "exec_command", "go test ./...\x1b[2J"))
		assert.Equal(t, "[build] Bash go test ./...", l.status(), "at once, below what the call wrote")
		tick(62 * time.Second)
		assert.Equal(t, "[build] Bash go test ./... · 1m02s", l.status())
		s.Emit(used(events.UsageScopeCall, 12000, 0, 345, 0.1234))
		s.Emit(use("2", "Task", "Look around"))
		tick(150 * time.Millisecond)
		assert.Equal(t, "[build] Task Look around · 1m02s · 12.3k tokens · $0.1234 · 1 sub-agent", l.status())
		s.Emit(answer("2", "done"))
		tick(150 * time.Millisecond)
		assert.Equal(t, "[build] Bash go test ./... · 1m02s · 12.3k tokens · $0.1234", l.status(), "the older call still runs")
		other := l.log.Open(render.Origin{Step: "test"})
		other.Emit(use("1", "mcp__shop__find", "figs"))
		tick(150 * time.Millisecond)
		assert.Equal(t, "[test] shop: find figs · 1m02s · 12.3k tokens · $0.1234 · 2 steps", l.status())
		other.Emit(&events.DisplayEvent{Kind: events.KindApprovalRequest, Approval: &events.Approval{Tool: "Bash", Subject: "rm -r build"}})
		tick(150 * time.Millisecond)
		assert.Contains(t, l.status(), "[test] waiting for approval: Bas… · 1m02s")
		require.NoError(t, other.Close())
		assert.Equal(t, "[build] Bash go test ./... · 1m02s · 12.3k tokens · $0.1234", l.status())
		s.Emit(end(events.End{}))
		tick(150 * time.Millisecond)
		assert.Empty(t, l.status(), "nothing runs any more")
		s.Emit(use("9", "Read", "x"))
		assert.Equal(t, "[build] Read x · 12.3k tokens · $0.1234", l.status(), "a second run begins anew")
		require.NoError(t, s.Close())
		require.NoError(t, l.terminal.Close())
		require.NoError(t, l.terminal.Close())
		assert.Equal(t, []string{"[tool: exec_command(go test ./...)]", "[tool: Task(Look around)]", "--- [test] ---", "[tool: mcp__shop__find(figs)]", "[approval: Bash: rm -r build]", "--- [build] ---", "[tool: Read(x)]"}, l.screen.Lines())
		assert.Empty(t, l.screen.Faults())
	})
}

// TestStatusLineFits checks that the status takes one row at any width, measured in cells.
func TestStatusLineFits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for width := 1; width < 90; width++ {
			var out bytes.Buffer
			terminal := render.NewTerminal(&out, render.TerminalSettings{Width: func() int { return width }})
			s := render.NewLog(terminal.Wrap(io.Discard), render.LogSettings{Settings: verbose, Terminal: terminal}).Open(render.Origin{Step: "商品"})
			s.Emit(used(events.UsageScopeCall, 12000, 0, 345, 0.1234))
			s.Emit(use("2", "Task", "商品の値段 in a long description of what is to be done"))
			require.NoError(t, s.Close())
			require.NoError(t, terminal.Close())
			for _, drawn := range strings.Split(out.String(), "\x1b[J") {
				drawn = strings.NewReplacer("\r", "", "\x1b[?7l", "", "\x1b[?7h", "").Replace(drawn)
				cells := 0
				for _, r := range drawn {
					cells++
					if r >= 0x3000 {
						cells++
					}
				}
				assert.Less(t, cells, max(width, 1), "%q in %d cells", drawn, width)
				assert.NotContains(t, drawn, "\n")
			}
		}
	})
}

// TestStatusNeverHarmsTheLog plays logs of many streams with texts in pieces on terminals that are resized at random
// times. In the end the screen contains the log and nothing else.
func TestStatusNeverHarmsTheLog(t *testing.T) {
	for seed := range uint64(30) {
		for _, reflow := range []bool{true, false} {
			t.Run(fmt.Sprintf("seed %d, reflow %t", seed, reflow), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { playRandomLog(t, rand.New(rand.NewPCG(seed, 1)), reflow) })
			})
		}
	}
}

func playRandomLog(t *testing.T, random *rand.Rand, reflow bool) {
	settings := render.Settings{Mode: render.ModeVerbose, Style: render.Style(random.IntN(4)), Summary: true, Location: time.UTC}
	l := onTerminal(80, reflow, settings)
	var plain bytes.Buffer
	log := render.NewLog(&plain, render.LogSettings{Settings: settings})
	var streams, plains []*render.Stream
	for i := range 3 {
		o := render.Origin{Step: fmt.Sprint("s", i)}
		streams, plains = append(streams, l.log.Open(o)), append(plains, log.Open(o))
	}
	for i := range 200 {
		who := random.IntN(3)
		id := fmt.Sprintf("L%03d", i)
		var e *events.DisplayEvent
		switch random.IntN(5) {
		case 0:
			width := 20 + random.IntN(100)
			l.screen.Resize(width)
			time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond) // the program learns of it later
			synctest.Wait()
			l.width.Store(int64(width))
			continue
		case 1:
			e = piece(fmt.Sprint("m", i/9), "", id+strings.Repeat(" word", random.IntN(30)))
		case 2:
			e = said(id + " text\nof lines")
		case 3:
			e = use(id, "Bash", "echo "+id+strings.Repeat(" a", random.IntN(40)))
		default:
			e = answer(id, "ok")
		}
		streams[who].Emit(e)
		plains[who].Emit(e)
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		synctest.Wait()
	}
	for i := range streams {
		require.NoError(t, streams[i].Close())
		require.NoError(t, plains[i].Close())
	}
	require.NoError(t, l.terminal.Close())
	require.Empty(t, l.screen.Faults())
	got := strings.Join(l.screen.Lines(), "\n")
	if reflow {
		var want []string
		for line := range strings.Lines(plain.String()) {
			want = append(want, strings.TrimRight(line, " \n"))
		}
		require.Equal(t, strings.Join(want, "\n"), got)
		return
	}
	for line := range strings.Lines(plain.String()) { // the terminal itself cut off the rest
		head := line[:min(len(line)-1, 12)]
		require.Contains(t, got, strings.TrimRight(head, " "))
	}
	assert.False(t, strings.ContainsFunc(got, func(r rune) bool { return r >= 0x2800 && r <= 0x28ff }), "no status is left")
}

// TestStatusOnFirstLine checks that the status leaves nothing behind on the first line of a screen, where tmux keeps what is erased.
func TestStatusOnFirstLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := onTerminal(80, true, verbose)
		s := l.log.Open(render.Origin{})
		s.Emit(&events.DisplayEvent{Kind: events.KindSessionStarted})
		time.Sleep(3 * time.Second)
		synctest.Wait()
		assert.Equal(t, "thinking · 3s", l.status())
		s.Emit(said("Done."))
		require.NoError(t, s.Close())
		require.NoError(t, l.terminal.Close())
		assert.Equal(t, []string{"Done."}, l.screen.Lines())
	})
}

// TestTwoWritersOnOneScreen checks that a line on stderr does not continue the unfinished text on stdout, and that
// each receives exactly what was written to it.
func TestTwoWritersOnOneScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		screen := terminaltest.New(80, true)
		terminal := render.NewTerminal(screen, render.TerminalSettings{})
		var stdout, stderr bytes.Buffer
		out, lines := terminal.Wrap(io.MultiWriter(screen, &stdout)), terminal.Wrap(io.MultiWriter(screen, &stderr))
		s := render.NewLog(out, render.LogSettings{
			Settings: render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Lines: lines}, Terminal: terminal,
		}).Open(render.Origin{})
		s.Emit(piece("m", "", "I look"))
		s.Emit(use("1", "Read", "a.go"))
		s.Emit(piece("m", "", "Found"))
		require.NoError(t, s.Close())
		require.NoError(t, terminal.Close())
		assert.Equal(t, []string{"I look", "--:--:-- Read a.go", "Found"}, screen.Lines())
		assert.Equal(t, "I look\nFound\n", stdout.String())
		assert.Equal(t, "--:--:-- Read a.go\n", stderr.String())
	})
}

// TestWritersGoOnAfterClose checks that a wrapped writer needs no open terminal, and reports failed writes.
func TestWritersGoOnAfterClose(t *testing.T) {
	var out bytes.Buffer
	terminal := render.NewTerminal(&out, render.TerminalSettings{})
	w := terminal.Wrap(&out)
	require.NoError(t, terminal.Close())
	_, err := io.WriteString(w, "words\n")
	require.NoError(t, err)
	assert.Equal(t, "words\n", out.String())
	_, err = io.WriteString(terminal.Wrap(writerFunc(func([]byte) (int, error) { return 0, io.ErrClosedPipe })), "x")
	assert.ErrorIs(t, err, io.ErrClosedPipe)
}

func TestWhatIsNoTerminal(t *testing.T) {
	assert.False(t, render.IsTerminal(&bytes.Buffer{}))
	assert.Zero(t, render.WidthOf(&bytes.Buffer{})())
}
