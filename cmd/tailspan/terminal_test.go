//go:build linux || darwin

package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/internal/terminaltest"
)

// ciVariables identify the CI system of a job.
var ciVariables = []string{"CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION", "GITLAB_CI", "BUILDKITE"}

// mainVariable makes the test binary the command itself.
const mainVariable = "TAILSPAN_TEST_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(mainVariable) != "" {
		main()
	}
	for _, name := range ciVariables { // the job that runs the tests
		_ = os.Unsetenv(name)
	}
	goleak.VerifyTestMain(m)
}

// terminalLines returns lines of a run whose calls take as long as the test requires.
var terminalLines = []string{
	`{"type":"system","subtype":"init","session_id":"s1","model":"demo-1"}`,
	`{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"text","text":"I look at the long way round, which is more than one row of a narrow terminal has."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test ./... -run TestOfAVeryLongNameThatNoNarrowTerminalShows"}}]},"session_id":"s1"}`,
	`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"session_id":"s1"}`,
	`{"type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Done."}]},"session_id":"s1"}`,
	`{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1","num_turns":1}`,
}

// TestRenderOnATerminal runs the command on a terminal of 80 columns that shrinks to 40 while a call runs: the status
// is in one row, and at the end the screen only has the log.
func TestRenderOnATerminal(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "")
	for _, style := range []string{"marker", "transcript", "progress", "activity"} {
		t.Run(style, func(t *testing.T) {
			master, tty, err := pty.Open()
			require.NoError(t, err)
			require.NoError(t, pty.Setsize(tty, &pty.Winsize{Cols: 80, Rows: 24}))
			screen := terminaltest.New(80, true)
			shown := make(chan struct{})
			go func() {
				defer close(shown)
				_, _ = io.Copy(withoutCR{screen}, master) // ends with an error when the terminal is closed
			}()
			in, stdin := io.Pipe()
			done := make(chan int)
			var stderr bytes.Buffer
			go func() {
				done <- run([]string{"render", "--mode", "verbose", "--style", style, "--step", "demo", "-"}, in, tty, &stderr)
			}()
			_, err = io.WriteString(stdin, strings.Join(terminalLines[:2], "\n")+"\n")
			require.NoError(t, err)
			waitFor(t, screen, func(last string) bool { return strings.Contains(last, "[demo] Bash go test ./... -run TestOf") })
			require.NoError(t, pty.Setsize(tty, &pty.Winsize{Cols: 40, Rows: 24}))
			screen.Resize(40)
			waitFor(t, screen, func(last string) bool {
				return strings.Contains(last, "[demo] Bash") && strings.Contains(last, "…") && len([]rune(last)) < 40
			})
			_, err = io.WriteString(stdin, strings.Join(terminalLines[2:], "\n")+"\n")
			require.NoError(t, err)
			require.NoError(t, stdin.Close())
			assert.Equal(t, cli.ExitOK, <-done, stderr.String())
			require.NoError(t, tty.Close())
			<-shown // all of it: output in transit is lost with the terminal
			require.NoError(t, master.Close())

			_, want, _ := tailspan(strings.Join(terminalLines, "\n"), "render", "--mode", "verbose", "--style", style, "--step", "demo", "-")
			got := strings.Join(screen.Lines(), "\n")
			if style == "activity" { // lines are cut to the width
				assert.Contains(t, got, "[demo] I look at the long way round")
				assert.Contains(t, got, "[demo] Bash go test ./... -run")
			} else {
				assert.Equal(t, strings.TrimRight(want, "\n"), got)
			}
			assert.NotRegexp(t, "[\u2800-\u28ff]", got, "no status is left")
			assert.Empty(t, screen.Faults())
		})
	}
}

// withoutCR undoes the terminal driver's conversion of newlines.
type withoutCR struct{ w io.Writer }

func (w withoutCR) Write(p []byte) (int, error) {
	if _, err := w.w.Write(bytes.ReplaceAll(p, []byte("\r\n"), []byte("\n"))); err != nil {
		return 0, err
	}
	return len(p), nil
}

func waitFor(t *testing.T, screen *terminaltest.Screen, ok func(last string) bool) {
	t.Helper()
	require.Eventually(t, func() bool { return ok(screen.Last()) }, patience, 5*time.Millisecond, "%s", screen.Lines())
}

// TestColorsOfTheCommand checks that a pipe gets no colors unless they are requested.
func TestColorsOfTheCommand(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("FORCE_COLOR", "")
	colored := func(args ...string) bool {
		_, stdout, _ := tailspan("", append(append([]string{"render", "--mode", "verbose"}, args...), fixtures+"parity.jsonl")...)
		return strings.Contains(stdout, "\x1b[38;5;30m[tool: Read(")
	}
	assert.False(t, colored())
	assert.True(t, colored("--color", "always"))
	t.Setenv("FORCE_COLOR", "1")
	assert.True(t, colored())
	assert.False(t, colored("--color", "never"))
	t.Setenv("NO_COLOR", "1")
	assert.False(t, colored())
}

func TestLookFlags(t *testing.T) {
	render := func(args ...string) (int, string, string) {
		return tailspan("", append(append([]string{"render"}, args...), fixtures+"parity.jsonl")...)
	}
	_, with, _ := render("--mode", "verbose")
	_, without, _ := render("--mode", "verbose", "--summary=false")
	assert.Contains(t, with, "--- Summary ---\ntools     6 calls")
	assert.Equal(t, with[:strings.Index(with, "--- Summary")], without)
	_, quiet, _ := render("--mode", "quiet", "--step", "build")
	assert.True(t, strings.HasPrefix(quiet, "[build] Run finished"), quiet)
	_, results, _ := render("--mode", "verbose", "--results")
	assert.Contains(t, results, "[result: Read(")
	_, activity, _ := render("--mode", "verbose", "--style", "activity", "--step", "build")
	assert.Contains(t, activity, "[build] started · claude-sonnet-4-5-20250929 · claude-code\n", "who writes it is found out")
	_, all, _ := render("--mode", "verbose", "--style", "activity", "--throttle-interval", "0s")
	_, few, _ := render("--mode", "verbose", "--style", "activity", "--throttle-interval", "1h")
	assert.Greater(t, strings.Count(all, "\n"), strings.Count(few, "\n"))
	for want, args := range map[string][]string{
		`color must be one of auto, always, never, got "red"`:         {"--color", "red"},
		`--throttle-scope must be one of step, output, got "all"`:     {"--throttle-scope", "all"},
		"throttle-interval must not be negative, got -1s":             {"--throttle-interval", "-1s"},
		`style must be one of marker, transcript, progress, activity`: {"--style", "x"},
	} {
		code, _, stderr := render(args...)
		assert.Equal(t, cli.ExitUsage, code)
		assert.Contains(t, stderr, want)
	}
}
