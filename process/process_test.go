//go:build unix

package process_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/spool"
)

// childVariable makes the test binary act as the child that its value names.
const childVariable = "TAILSPAN_TEST_CHILD"

func TestMain(m *testing.M) {
	if name := os.Getenv(childVariable); name != "" {
		os.Exit(children[name](os.Args[1:]))
	}
	goleak.VerifyTestMain(m)
}

// forLong is longer than any test, for a child that must not end.
func forLong() { time.Sleep(time.Hour) }

// children are the actions of the test binary as a child. Each prints "ready" when a test may continue.
var children = map[string]func(args []string) int{
	"say": func(args []string) int {
		fmt.Println(strings.Join(args[1:], " "))
		code, _ := strconv.Atoi(args[0])
		return code
	},
	"cat": func([]string) int {
		_, _ = io.Copy(os.Stdout, os.Stdin)
		return 0
	},
	"stderr": func(args []string) int {
		size, _ := strconv.Atoi(args[0])
		_, _ = os.Stderr.Write(bytes.Repeat([]byte("e"), size))
		fmt.Fprintln(os.Stderr, "\nlast words")
		fmt.Println("done")
		return 0
	},
	"flood": func(args []string) int {
		size, _ := strconv.Atoi(args[0])
		line := append(bytes.Repeat([]byte("x"), 1<<10-1), '\n')
		w := bufio.NewWriterSize(os.Stdout, 1<<16)
		for range size >> 10 {
			if _, err := w.Write(line); err != nil {
				return 9
			}
		}
		if w.Flush() != nil {
			return 9
		}
		return 0
	},
	"stubborn": func([]string) int {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT)
		fmt.Println("ready")
		forLong()
		return 0
	},
	"listen": func([]string) int {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGUSR1)
		fmt.Println("ready")
		fmt.Println(<-signals)
		return 0
	},
	"group": func([]string) int {
		return spawn("stay", false)
	},
	"orphan": func([]string) int {
		return spawn("stay", true)
	},
	"launcher": func([]string) int {
		return spawn("straggler", false)
	},
	"straggler": func([]string) int {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGINT)
		launcher := os.Getppid()
		fmt.Println("ready")
		<-signals
		for tick := time.NewTicker(time.Millisecond); os.Getppid() == launcher; {
			<-tick.C
		}
		fmt.Println("late")
		return 0
	},
	"nohup": func([]string) int {
		return spawn("stay", false)
	},
	"stay": func([]string) int {
		signal.Ignore(syscall.SIGHUP, syscall.SIGINT)
		fmt.Println("worker", os.Getpid())
		forLong()
		return 0
	},
	"rewrite": func([]string) int {
		fmt.Println("old")
		fmt.Println("ready")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		if os.Truncate("/dev/stdout", 0) != nil {
			return 9
		}
		fmt.Println("new")
		return 0
	},
	"sigpipe": func([]string) int {
		fmt.Println(signal.Ignored(syscall.SIGPIPE), signal.Ignored(syscall.SIGTTOU))
		return 0
	},
}

// spawn starts a child of the child with the same outputs, and waits for it unless it is to be left running.
func spawn(name string, leave bool) int {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childVariable+"="+name)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if c.Start() != nil {
		return 9
	}
	if !leave {
		_ = c.Wait()
	} else if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return 9
	}
	return 0
}

// run starts a child, which is ended after the test.
func run(t *testing.T, change func(*process.Settings), name string, args ...string) *process.Process {
	t.Helper()
	s := process.Settings{
		Command: append([]string{os.Args[0]}, args...),
		Env:     append(os.Environ(), childVariable+"="+name),
		Spool:   spool.Settings{Dir: t.TempDir()},
	}
	if change != nil {
		change(&s)
	}
	p, err := process.Start(s)
	require.NoError(t, err)
	t.Cleanup(func() {
		p.Signal(syscall.SIGKILL)
		p.Wait()
		assert.NoError(t, p.Close())
	})
	return p
}

// stdin is a pipe to a child.
func stdin(t *testing.T, s *process.Settings) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	s.Stdin = r
	t.Cleanup(func() { _ = r.Close(); _ = w.Close() })
	return w
}

// reader returns the output line by line.
func reader(t *testing.T, p *process.Process) *bufio.Reader {
	return bufio.NewReader(p.Tail().Reader(t.Context()))
}

func line(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	s, err := r.ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSuffix(s, "\n")
}

// bothWays runs a test with a file as the child's output and with a pipe.
func bothWays(t *testing.T, f func(t *testing.T, pipe func(*process.Settings))) {
	for name, pipe := range map[string]bool{"file": false, "pipe": true} {
		t.Run(name, func(t *testing.T) { f(t, func(s *process.Settings) { s.Pipe = pipe }) })
	}
}

func TestOutputAndExit(t *testing.T) {
	bothWays(t, func(t *testing.T, pipe func(*process.Settings)) {
		p := run(t, pipe, "say", "7", "one", "two")
		out, err := io.ReadAll(p.Tail().Reader(t.Context()))
		require.NoError(t, err)
		assert.Equal(t, "one two\n", string(out))
		exit := p.Wait()
		assert.Equal(t, 7, exit.Code)
		assert.Equal(t, 7, exit.Status())
		assert.Empty(t, exit.SignalName())
		assert.False(t, exit.Stopped)
		assert.WithinDuration(t, time.Now(), exit.At, time.Minute)
		again, err := io.ReadAll(p.Tail().Reader(t.Context()))
		require.NoError(t, err)
		assert.Equal(t, out, again, "a second reader, later")
	})
}

func TestStdinIsHandedOver(t *testing.T) {
	var in *os.File
	p := run(t, func(s *process.Settings) { in = stdin(t, s) }, "cat")
	_, err := in.WriteString("a prompt\n")
	require.NoError(t, err)
	assert.Equal(t, "a prompt", line(t, reader(t, p)), "while it runs")
	require.NoError(t, in.Close())
	assert.Zero(t, p.Wait().Code)
}

// openFiles counts the open files of this process, if the system reports them.
func openFiles(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(all)
}

// TestStderr checks that a child that writes more than a pipe holds is not blocked, that all of it is forwarded, and that
// little is kept.
func TestStderr(t *testing.T) {
	const size = 5 << 20
	var passed bytes.Buffer
	p := run(t, func(s *process.Settings) { s.Stderr, s.StderrTail = &passed, 1000 }, "stderr", strconv.Itoa(size))
	exit := p.Wait()
	assert.Len(t, exit.Stderr, 1000)
	assert.True(t, bytes.HasSuffix(exit.Stderr, []byte("ee\nlast words\n")), "%q", exit.Stderr)
	assert.Equal(t, size+len("\nlast words\n"), passed.Len())
}

func TestStderrThatNobodyTakes(t *testing.T) {
	p := run(t, func(s *process.Settings) { s.Stderr = broken{} }, "stderr", "1000000")
	exit := p.Wait()
	assert.Zero(t, exit.Code)
	assert.True(t, bytes.HasSuffix(exit.Stderr, []byte("last words\n")))
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("nobody is there") }

func TestSignalsReachTheChild(t *testing.T) {
	p := run(t, nil, "listen")
	r := reader(t, p)
	require.Equal(t, "ready", line(t, r))
	p.Signal(syscall.SIGUSR1)
	assert.Equal(t, "user defined signal 1", line(t, r))
	assert.Zero(t, p.Wait().Code)
	p.Signal(syscall.SIGKILL) // nobody receives it
}

func TestSignalledExit(t *testing.T) {
	p := run(t, nil, "listen")
	require.Equal(t, "ready", line(t, reader(t, p)))
	p.Stop(syscall.SIGTERM)
	exit := p.Wait()
	assert.Equal(t, syscall.SIGTERM, exit.Signal)
	assert.Equal(t, "SIGTERM", exit.SignalName())
	assert.Equal(t, 128+15, exit.Status())
	assert.True(t, exit.Stopped)
}

// TestInterruptedLauncher checks that the last output of an interrupted program is read although its launcher ended before.
func TestInterruptedLauncher(t *testing.T) {
	bothWays(t, func(t *testing.T, pipe func(*process.Settings)) {
		p := run(t, pipe, "launcher")
		r := reader(t, p)
		require.Equal(t, "ready", line(t, r))
		p.Signal(syscall.SIGINT)
		assert.Equal(t, syscall.SIGINT, p.Wait().Signal)
		assert.Equal(t, "late", line(t, r))
	})
}

// TestInterruptLeavesOthersAlone checks that a process that ignores an interrupt delays the end, and is not killed.
func TestInterruptLeavesOthersAlone(t *testing.T) {
	p := run(t, nil, "nohup")
	worker := workerPID(t, line(t, reader(t, p)))
	t.Cleanup(func() { _ = syscall.Kill(worker, syscall.SIGKILL) })
	p.Signal(syscall.SIGINT)
	assert.Equal(t, syscall.SIGINT, p.Wait().Signal)
	assert.NoError(t, syscall.Kill(worker, 0), "it lives on")
}

func TestStopKillsAfterTheGrace(t *testing.T) {
	const grace = 50 * time.Millisecond
	p := run(t, func(s *process.Settings) { s.Grace = grace }, "stubborn")
	require.Equal(t, "ready", line(t, reader(t, p)))
	begin := time.Now()
	p.StopFor(syscall.SIGTERM, "too slow")
	p.Stop(syscall.SIGTERM)
	exit := p.Wait()
	assert.Equal(t, "too slow", exit.StopReason)
	assert.GreaterOrEqual(t, time.Since(begin), grace)
	assert.Equal(t, "SIGKILL", exit.SignalName())
	assert.Equal(t, 128+9, exit.Status())
}

// TestSignalsEndAStoppedChild checks that a signal that ends a program also reaches one that is stopped.
func TestSignalsEndAStoppedChild(t *testing.T) {
	// A process that nohup, or a shell without job control in the background, starts ignores some signals, and so do its children.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(caught) })
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(s.String(), func(t *testing.T) {
			p := run(t, nil, "listen")
			line(t, reader(t, p))
			p.Signal(syscall.SIGSTOP)
			p.Signal(s)
			p.Wait()
		})
	}
}

// TestStopEndsTheGroup checks that processes that a child started end with it, leave no zombie, and that no others are killed.
func TestStopEndsTheGroup(t *testing.T) {
	other := run(t, nil, "stay")
	line(t, reader(t, other))
	p := run(t, func(s *process.Settings) { s.Grace = 5 * time.Second }, "group")
	worker := workerPID(t, line(t, reader(t, p)))
	require.NoError(t, syscall.Kill(worker, 0))
	p.Stop(syscall.SIGTERM)
	p.Wait()
	requireGone(t, worker)
	select {
	case <-other.Done():
		t.Error("another group was hit")
	default:
	}
}

func workerPID(t *testing.T, said string) int {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimPrefix(said, "worker "))
	require.NoError(t, err, said)
	return pid
}

// requireGone waits until a process has ended, or is a zombie that its new parent has not reaped yet.
func requireGone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil && errors.Is(err, os.ErrNotExist) || bytes.Contains(stat, []byte(") Z "))
	}, 2*time.Minute, 5*time.Millisecond, "process %d is still there", pid)
}

// TestGrandchildDoesNotHang checks that a process that has the outputs open blocks nobody when the child ends, is not killed,
// and that everything the child wrote is read.
func TestGrandchildDoesNotHang(t *testing.T) {
	bothWays(t, func(t *testing.T, pipe func(*process.Settings)) {
		var in *os.File
		p := run(t, func(s *process.Settings) { pipe(s); in = stdin(t, s) }, "orphan")
		r := reader(t, p)
		worker := workerPID(t, line(t, r))
		t.Cleanup(func() { _ = syscall.Kill(worker, syscall.SIGKILL) })
		require.NoError(t, in.Close()) // without a line, the child exits with 9
		assert.Equal(t, 9, p.Wait().Code)
		_, err := r.ReadString('\n')
		require.ErrorIs(t, err, io.EOF)
		assert.NoError(t, syscall.Kill(worker, 0), "it lives on")
	})
}

// TestFloodRunsAtItsOwnSpeed checks that a child that writes much ends although nobody has read a byte.
func TestFloodRunsAtItsOwnSpeed(t *testing.T) {
	const size = 32 << 20
	bothWays(t, func(t *testing.T, pipe func(*process.Settings)) {
		p := run(t, pipe, "flood", strconv.Itoa(size))
		exit := p.Wait()
		assert.Zero(t, exit.Code)
		assert.Zero(t, exit.Dropped)
		assert.EqualValues(t, size, p.Spool().Size())
		n, err := io.Copy(io.Discard, p.Tail().Reader(t.Context()))
		require.NoError(t, err)
		assert.EqualValues(t, size, n)
	})
}

// TestFullSpool checks that a child whose output is no longer kept notices nothing.
func TestFullSpool(t *testing.T) {
	var reasons []error
	p := run(t, func(s *process.Settings) {
		s.Pipe = true
		s.Copy = spool.CopySettings{MaxBytes: 100_000, Dropping: func(reason error) { reasons = append(reasons, reason) }}
	}, "flood", strconv.Itoa(1<<20))
	exit := p.Wait()
	assert.Zero(t, exit.Code)
	assert.EqualValues(t, 1<<20-100_000, exit.Dropped)
	assert.EqualValues(t, 100_000, p.Spool().Size())
	require.Len(t, reasons, 1)
	assert.ErrorIs(t, reasons[0], spool.ErrFull)
}

// TestSpoolFile checks who may read a spool, and that it is removed after use unless it is to be kept.
func TestSpoolFile(t *testing.T) {
	p := run(t, nil, "say", "0", "x")
	p.Wait()
	info, err := os.Stat(p.Spool().Path())
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	raw := filepath.Join(t.TempDir(), "raw.jsonl")
	require.NoError(t, os.WriteFile(raw, []byte("of an earlier run"), 0o600))
	s := process.Settings{Command: []string{os.Args[0], "0", "kept"}, Env: append(os.Environ(), childVariable+"=say"), Spool: spool.Settings{Path: raw}}
	p, err = process.Start(s)
	require.NoError(t, err)
	p.Wait()
	require.NoError(t, p.Close())
	data, err := os.ReadFile(raw)
	require.NoError(t, err)
	assert.Equal(t, "kept\n", string(data))

	s.Spool.Path = t.TempDir()
	_, err = process.Start(s)
	assert.ErrorContains(t, err, "not a regular file")
}

// TestRewrittenSpool is a child that truncates its own output, as `> /dev/stdout` does in a shell script.
func TestRewrittenSpool(t *testing.T) {
	if _, err := os.Stat("/dev/stdout"); err != nil {
		t.Skip("no /dev/stdout on this system")
	}
	var in *os.File
	p := run(t, func(s *process.Settings) { in = stdin(t, s) }, "rewrite")
	r := reader(t, p)
	require.Equal(t, "old", line(t, r))
	require.Equal(t, "ready", line(t, r))
	_, err := in.WriteString("go\n")
	require.NoError(t, err)
	assert.Equal(t, "new", line(t, r))
	exit := p.Wait()
	assert.Zero(t, exit.Code)
	assert.True(t, exit.Truncated)
	assert.EqualValues(t, len("old\nready\n"), exit.Dropped)
}

// TestSignalsOfTheChildAreItsOwn checks that the child inherits no ignored signal.
func TestSignalsOfTheChildAreItsOwn(t *testing.T) {
	p := run(t, nil, "sigpipe")
	assert.Equal(t, "false false", line(t, reader(t, p)))
}

// TestTailsAreIndependent has several readers, one of which gives up.
func TestTailsAreIndependent(t *testing.T) {
	p := run(t, nil, "flood", strconv.Itoa(1<<20))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			n, err := io.Copy(io.Discard, p.Tail().Reader(t.Context()))
			assert.NoError(t, err)
			assert.EqualValues(t, 1<<20, n)
		})
	}
	readers.Wait()
	waiting := run(t, nil, "stubborn").Tail().Reader(ctx)
	_, err := io.Copy(io.Discard, waiting)
	assert.ErrorIs(t, err, context.Canceled)
}
