//go:build linux || darwin

package main

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// command returns the command as a separate process.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	plainEnvironment(t)
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), mainVariable+"=1", "TERM=dumb")
	return c
}

// onTerminal starts c on a separate terminal. master is the user's end of it. shown is closed when the screen has all
// output of the terminal.
func onTerminal(t *testing.T, c *exec.Cmd) (master *os.File, screen *output, shown <-chan struct{}) {
	t.Helper()
	master, tty, err := pty.Open()
	require.NoError(t, err)
	t.Cleanup(func() { _ = master.Close() })
	c.Stdin, c.Stdout, c.Stderr = tty, tty, tty
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, c.Start())
	require.NoError(t, tty.Close())
	screen = &output{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(screen, master) // ends with an error when the terminal is closed
	}()
	return master, screen, ended
}

// TestRunLeavesSignalsAlone checks that a closed pipe ends the agent's processes as it would without us.
func TestRunLeavesSignalsAlone(t *testing.T) {
	out, err := command(t, "run", "--", "sh", "-c", `{ yes; echo "status $?" >&2; } | head -n 1`).CombinedOutput()
	require.NoError(t, err)
	assert.Contains(t, string(out), "status 141\n")
}

// TestFollowEndsByTheSecondSignal: after the first Ctrl-C, pending output is still written; the second one does not wait.
func TestFollowEndsByTheSecondSignal(t *testing.T) {
	lines := writeFile(t, filepath.Join(t.TempDir(), "lines.txt"), strings.Repeat("plain words\n", 100_000))
	for _, name := range []string{"events", "render"} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe() // nobody reads it
			require.NoError(t, err)
			defer r.Close()
			c := command(t, name, "--follow", lines)
			c.Stdout = w
			require.NoError(t, c.Start())
			require.NoError(t, w.Close())
			_, err = io.ReadFull(r, make([]byte, 1))
			require.NoError(t, err)
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			require.Eventually(t, func() bool {
				_ = c.Process.Signal(os.Interrupt) // it may have ended
				return len(ended) == 1
			}, patience, patience/1000)
			assert.ErrorContains(t, <-ended, "interrupt")
		})
	}
}

// TestStdinThatIsNotKept: if standard input is dropped, in part or all of it, the output is incomplete, and the exit code says so.
func TestStdinThatIsNotKept(t *testing.T) {
	for _, limit := range []string{"64", "0"} { // no file may exceed 32 or 64 KiB, or have any content
		for _, args := range [][]string{{"events", "-"}, {"render", "-"}, {"render", "--mode", "json", "-"}, {"report", "-"}, {"events", "-", fixtures + "parity.jsonl"}} {
			t.Run(limit+" "+strings.Join(args, " "), func(t *testing.T) {
				c := command(t, args...)
				c.Args = append([]string{"sh", "-c", "ulimit -f " + limit + `; exec "$@"`, "sh"}, c.Args...)
				c.Path = "/bin/sh"
				c.Stdin = strings.NewReader(strings.Repeat("plain words\n", 50_000))
				var stdout, stderr bytes.Buffer
				c.Stdout, c.Stderr = &stdout, &stderr
				require.Error(t, c.Run())
				assert.Equal(t, cli.ExitFailure, c.ProcessState.ExitCode())
				if args[0] != "report" {
					assert.Equal(t, limit == "64", strings.Contains(stdout.String(), "plain words"))
				}
				assert.Contains(t, stderr.String(), "standard input is no longer kept")
				assert.Regexp(t, `read standard input: \d+ bytes were dropped\n`, stderr.String())
			})
		}
	}
}

// TestRunHandsTheTerminalOver checks that an agent can read from the terminal, that keys go to the agent, and that we
// get the terminal back at the end.
func TestRunHandsTheTerminalOver(t *testing.T) {
	// A process that a shell without job control starts in the background ignores Ctrl-C, and so do its children.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	t.Cleanup(func() { signal.Stop(interrupts) })
	c := command(t, "run", "--", "sh", "-c", `echo ready >&2; read -r words; echo "got $words" >&2; read -r words`)
	master, screen, shown := onTerminal(t, c)
	screen.has(t, "ready")
	_, err := io.WriteString(master, "some words\n")
	require.NoError(t, err)
	screen.has(t, "got some words")
	_, err = io.WriteString(master, "\x03") // Ctrl-C
	require.NoError(t, err)
	var exit *exec.ExitError
	require.ErrorAs(t, c.Wait(), &exit)
	status, ok := exit.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	assert.Equal(t, syscall.SIGINT, status.Signal(), "as the agent")
	<-shown
}

// TestRunIsStillSending: on a terminal, a message says that the endpoint is waited for, and after Ctrl-C another one what happens with
// the rest.
func TestRunIsStillSending(t *testing.T) {
	interrupts := make(chan os.Signal, 1) // as above
	signal.Notify(interrupts, os.Interrupt)
	t.Cleanup(func() { signal.Stop(interrupts) })
	sink := newOTLPSink(t)
	done := make(chan struct{})
	sink.answers(func(http.ResponseWriter, *http.Request) bool {
		<-done
		return true
	})
	t.Cleanup(func() { close(done) }) // before the server closes, which waits for its answers
	c := command(t, "run", "--otlp", sink.URL, "--export-timeout", "1h", "--", "cat", fixtures+"parity.jsonl")
	master, screen, shown := onTerminal(t, c)
	screen.has(t, "tailspan: still sending, for at most 1h0m0s (--export-timeout); Ctrl-C keeps the rest in a file\r\n")
	_, err := io.WriteString(master, "\x03") // Ctrl-C
	require.NoError(t, err)
	require.NoError(t, c.Wait())
	<-shown
	assert.Regexp(t, `tailspan: not everything was sent \(send traces: stopped by a signal\); 13 spans and \d+ log records are kept in ".*", tailspan send delivers them\r\n$`, screen.String())
}

// TestRunInterruptsItsScript checks that Ctrl-C ends a script whose agent it ends, and not a script whose agent handles it.
func TestRunInterruptsItsScript(t *testing.T) {
	interrupts := make(chan os.Signal, 1) // as above
	signal.Notify(interrupts, os.Interrupt)
	t.Cleanup(func() { signal.Stop(interrupts) })
	for _, tt := range []struct {
		name, agent string
		ends        bool
	}{
		{"ended by it", `echo ready >&2; read -r words`, true},
		{"handles it", `trap 'exit 3' INT; echo ready >&2; read -r words`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := command(t)
			c.Path, c.Args = "/bin/sh", []string{"sh", "-c", `"$0" run -- sh -c "$1"; echo "code $?"; "$0" run -- echo "after"`, os.Args[0], tt.agent}
			master, screen, shown := onTerminal(t, c)
			screen.has(t, "ready")
			_, err := io.WriteString(master, "\x03") // Ctrl-C
			require.NoError(t, err)
			err = c.Wait()
			<-shown
			if tt.ends {
				assert.ErrorContains(t, err, "interrupt")
				assert.NotContains(t, screen.String(), "code")
				return
			}
			require.NoError(t, err)
			assert.Contains(t, screen.String(), "code 3")
			assert.Contains(t, screen.String(), "after")
		})
	}
}

// TestRunStopsWithItsAgent checks that Ctrl-Z stops the agent and us, and that the agent continues in the foreground
// when we do.
func TestRunStopsWithItsAgent(t *testing.T) {
	// The test's shell has job control: it stops, checks, and brings the job back.
	c, master, screen, shown := onShell(t, `"$0" run -- sh -c 'echo ready >&2; read -r words; echo "got $words" >&2'; echo "shell has it"; fg >/dev/null; echo "code $?"`)
	screen.has(t, "ready")
	_, err := io.WriteString(master, "\x1a") // Ctrl-Z
	require.NoError(t, err)
	screen.has(t, "shell has it")
	_, err = io.WriteString(master, "some words\n")
	require.NoError(t, err)
	screen.has(t, "got some words")
	screen.has(t, "code 0")
	require.NoError(t, c.Wait())
	<-shown
}

// onShell runs a script in a shell with job control on a separate terminal. In the script, $0 is the command and $1 a path for a file.
func onShell(t *testing.T, script string) (c *exec.Cmd, master *os.File, screen *output, shown <-chan struct{}) {
	t.Helper()
	c = command(t)
	c.Path, c.Args = "/bin/sh", []string{"sh", "-m", "-c", script, os.Args[0], filepath.Join(t.TempDir(), "file")}
	master, screen, shown = onTerminal(t, c)
	return c, master, screen, shown
}

// TestRunInTheBackground checks that a suspended run that continues in the background leaves the terminal to the shell.
func TestRunInTheBackground(t *testing.T) {
	c, master, screen, shown := onShell(t, `mkfifo "$1"; "$0" run -- sh -c 'echo ready >&2; read -r words <"$0"; echo "agent got $words" >&2' "$1"
bg >/dev/null; echo sent >"$1"; wait; echo "shell has it"; read -r words; echo "shell got $words"`)
	screen.has(t, "ready")
	_, err := io.WriteString(master, "\x1a") // Ctrl-Z
	require.NoError(t, err)
	screen.has(t, "agent got sent")
	screen.has(t, "shell has it")
	_, err = io.WriteString(master, "some words\n")
	require.NoError(t, err)
	screen.has(t, "shell got some words")
	require.NoError(t, c.Wait())
	<-shown
}

// TestStatusInTheBackground checks that a job in the background writes only its log: the status line would move the cursor of the shell.
func TestStatusInTheBackground(t *testing.T) {
	const beginStatus = "\x1b[?7l"
	text := func(words string) string {
		return `{"type":"assistant","message":{"id":"` + words + `","role":"assistant","content":[{"type":"text","text":"` + words + `"}]},"session_id":"s1"}`
	}
	for name, job := range map[string]string{
		"run":    `"$0" run -- cat "$1"`,
		"render": `cat "$1" | "$0" render --mode verbose -`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("NO_COLOR", "1")
			lines := filepath.Join(t.TempDir(), "lines")
			require.NoError(t, syscall.Mkfifo(lines, 0o600))
			feed, err := os.OpenFile(lines, os.O_RDWR, 0)
			require.NoError(t, err)
			defer feed.Close()
			write := func(to *os.File, s string) {
				_, err := io.WriteString(to, s+"\n")
				require.NoError(t, err)
			}
			c := command(t)
			c.Env = append(c.Env, "TERM=xterm")
			c.Path, c.Args = "/bin/sh", []string{
				"sh", "-m", "-c", job + `; echo "shell has it"; bg >/dev/null; read -r words; echo "shell got $words"; fg >/dev/null; echo "code $?"`, os.Args[0], lines,
			}
			master, screen, shown := onTerminal(t, c)
			write(feed, strings.Join(terminalLines[:2], "\n"))
			screen.has(t, beginStatus)
			_, err = io.WriteString(master, "\x1a") // Ctrl-Z
			require.NoError(t, err)
			screen.has(t, "shell has it")
			for _, words := range []string{"First words.", "Second words."} { // the status would be drawn right behind them
				write(feed, text(words))
				screen.has(t, words)
			}
			write(master, "some words")
			screen.has(t, "shell got some words")
			front, back, _ := strings.Cut(screen.String(), "shell has it")
			assert.True(t, strings.HasPrefix(front[strings.LastIndex(front, beginStatus):], beginStatus+" \x1b[J"), "the status is erased: %q", front)
			back, _, _ = strings.Cut(back, "shell got some words")
			assert.NotContains(t, back, "\x1b")
			require.Eventually(t, func() bool {
				_, front, _ := strings.Cut(screen.String(), "shell got some words")
				return strings.Contains(front, beginStatus)
			}, patience, 2*time.Millisecond)
			write(feed, strings.Join(terminalLines[2:], "\n"))
			require.NoError(t, feed.Close())
			screen.has(t, "code 0")
			require.NoError(t, c.Wait())
			<-shown
		})
	}
}

// TestRunStopsWhenItsAgentReads checks that a run in the background stops when its agent reads from the terminal, as the agent
// alone would, and that both continue in the foreground.
func TestRunStopsWhenItsAgentReads(t *testing.T) {
	c, master, screen, shown := onShell(t, `"$0" run -- sh -c 'read -r words; echo "got $words" >&2' &
until jobs >"$1"; grep -q Stopped "$1"; do :; done; echo "shell has it"; fg >/dev/null; echo "code $?"`)
	screen.has(t, "shell has it")
	_, err := io.WriteString(master, "some words\n")
	require.NoError(t, err)
	screen.has(t, "got some words")
	screen.has(t, "code 0")
	require.NoError(t, c.Wait())
	<-shown
}

// TestRunAnswersPrompts checks that an agent whose standard input is no terminal, or a program that it starts, can ask for a
// password, and that Ctrl-Z and the end of the run give the terminal back to the shell.
func TestRunAnswersPrompts(t *testing.T) {
	c, master, screen, shown := onShell(t, `"$0" run -- sh -c 'stty -echo </dev/tty; echo ready >/dev/tty; read -r words </dev/tty; stty echo </dev/tty; echo "got $words" >&2; cat' </dev/null
echo "shell has it"; fg >/dev/null; echo "code $?"; read -r words; echo "shell got $words"`)
	screen.has(t, "ready")
	_, err := io.WriteString(master, "\x1a") // Ctrl-Z
	require.NoError(t, err)
	screen.has(t, "shell has it")
	_, err = io.WriteString(master, "some words\n")
	require.NoError(t, err)
	screen.has(t, "got some words")
	screen.has(t, "code 0")
	_, err = io.WriteString(master, "more\n")
	require.NoError(t, err)
	screen.has(t, "shell got more")
	require.NoError(t, c.Wait())
	<-shown
}

// TestRunIgnoresSuspendWithoutAShell checks that Ctrl-Z does not stop a run that no shell could continue.
func TestRunIgnoresSuspendWithoutAShell(t *testing.T) {
	c := command(t, "run", "--", "sh", "-c", `echo ready >&2; read -r words; echo "got $words" >&2`)
	master, screen, shown := onTerminal(t, c)
	screen.has(t, "ready")
	_, err := io.WriteString(master, "\x1asome words\n")
	require.NoError(t, err)
	screen.has(t, "got some words")
	require.NoError(t, c.Wait())
	<-shown
}

// statuses is what a terminal shows while there is no other output, for example on a busy machine.
var statuses = regexp.MustCompile(`\x1b\[\?7l[^\n]*?\x1b\[\?7h`)

// TestRunColoursEachOutputByItself: output to a file has no colors even if the other output is a terminal.
func TestRunColoursEachOutputByItself(t *testing.T) {
	stream := filepath.Join(t.TempDir(), "stream.jsonl")
	require.NoError(t, os.WriteFile(stream, []byte(strings.Join(terminalLines, "\n")+"\n"), 0o600))
	for _, tt := range []struct {
		name         string
		args         []string
		out, err     bool // is a terminal
		wantO, wantE bool // has colors
	}{
		{"text on a terminal", nil, true, false, false, false},
		{"lines on a terminal", nil, false, true, false, true},
		{"all on a terminal", []string{"--style", "marker"}, true, false, true, false},
		{"all in a file", []string{"--style", "marker"}, false, true, false, false},
		{"asked for", []string{"--color", "always"}, false, false, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := command(t, append(append([]string{"run", "--mode", "verbose", "--style", "activity"}, tt.args...), "--", "cat", stream)...)
			c.Env = append(c.Env, "NO_COLOR=", "FORCE_COLOR=", "TERM=xterm")
			stdout, stderr := &bytes.Buffer{}, &bytes.Buffer{}
			c.Stdout, c.Stderr = stdout, stderr
			ends := []func(){}
			onTTY := func(into *bytes.Buffer) *os.File {
				master, tty, err := pty.Open()
				require.NoError(t, err)
				shown := make(chan struct{})
				go func() {
					defer close(shown)
					_, _ = io.Copy(into, master) // ends with an error when the terminal is closed
				}()
				ends = append(ends, func() { _ = tty.Close(); <-shown; _ = master.Close() })
				return tty
			}
			if tt.out {
				c.Stdout = onTTY(stdout)
			}
			if tt.err {
				c.Stderr = onTTY(stderr)
			}
			require.NoError(t, c.Run())
			for _, end := range ends {
				end()
			}
			const colour = "\x1b[38;5;"
			hasColour := func(of *bytes.Buffer) bool {
				return strings.Contains(statuses.ReplaceAllString(of.String(), ""), colour)
			}
			assert.Contains(t, stdout.String(), "I look at the long way")
			assert.Equal(t, tt.wantO, hasColour(stdout), "%q", stdout)
			assert.Equal(t, tt.wantE, hasColour(stderr), "%q", stderr)
			if !tt.wantO && !tt.out {
				assert.NotContains(t, stdout.String(), "\x1b")
			}
			if !tt.wantE && !tt.err {
				assert.NotContains(t, stderr.String(), "\x1b")
			}
		})
	}
}
