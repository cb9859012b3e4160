//go:build unix

package process

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// child is a started command, the leader of its process group.
type child struct {
	pid int
	tty *terminal // nil if the child does not get the terminal

	over chan struct{} // closed once the leader was waited for

	// mu keeps signals from being sent after the leader was waited for, when its process ID may be reused.
	mu     sync.Mutex
	waited bool
}

func startChild(command *exec.Cmd, s Settings) (*child, error) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c := &child{over: make(chan struct{})}
	if s.Terminal {
		if c.tty = newTerminal(s.Suspend); c.tty.use(s.Stdin) {
			command.SysProcAttr.Foreground, command.SysProcAttr.Ctty = true, c.tty.fd
		}
	}
	start := spawn
	if s.EndWithParent {
		start = func(command *exec.Cmd) (int, error) { return spawnTied(command, c.over) }
	}
	var err error
	c.pid, err = start(command)
	c.tty.watch(c)
	if err != nil {
		c.tty.release(c) // the child may have been in the foreground before exec failed
		return nil, err
	}
	return c, nil
}

// spawn starts a command and returns its process ID, by which it is waited for and signaled: the standard library does not report
// a stopped child. Its Start would first start another process, to find out whether it can use a descriptor instead (Go 1.26).
func spawn(command *exec.Cmd) (pid int, err error) {
	if relative := errors.Is(command.Err, exec.ErrDot) && command.Dir == ""; command.Err != nil && !relative { // shells run it too
		return 0, command.Err
	}
	stdin, ok := command.Stdin.(*os.File)
	if !ok {
		if stdin, err = os.Open(os.DevNull); err != nil {
			return 0, err
		}
		defer stdin.Close()
	}
	pid, err = syscall.ForkExec(command.Path, command.Args, &syscall.ProcAttr{
		Dir: command.Dir, Env: command.Environ(), Sys: command.SysProcAttr,
		Files: []uintptr{stdin.Fd(), command.Stdout.(*os.File).Fd(), command.Stderr.(*os.File).Fd()},
	})
	runtime.KeepAlive(command)
	if err != nil {
		return 0, &fs.PathError{Op: "exec", Path: command.Path, Err: err}
	}
	return pid, nil
}

// wait returns how the leader ended.
func (c *child) wait() Exit {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(c.pid, &status, syscall.WUNTRACED, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil: // somebody else waited for it, so its status is unknown
			c.ended()
			c.tty.release(c)
			return Exit{Code: -1}
		case status.Stopped():
			c.mu.Lock()
			c.tty.stopped(c, status.StopSignal())
			c.mu.Unlock()
			continue
		}
		c.ended()
		exit := Exit{Code: status.ExitStatus(), Foreground: c.tty.release(c)}
		if status.Signaled() {
			exit.Signal = status.Signal()
		}
		return exit
	}
}

func (c *child) ended() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.waited {
		c.waited = true
		close(c.over)
	}
}

// signal goes to the whole group. A stopped group is continued, so that it can end. A group to be continued is first brought
// to the foreground, because otherwise its first read from the terminal would stop it again, and us with it.
func (c *child) signal(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waited {
		return
	}
	if s == syscall.SIGCONT {
		c.tty.putInFront(c)
	}
	_ = syscall.Kill(-c.pid, s) // it may have exited, or run as another user
	switch s {
	case syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT:
		_ = syscall.Kill(-c.pid, syscall.SIGCONT)
	}
}

// Intervals between polls for remaining members of a group.
const (
	minClear = 2 * time.Millisecond
	maxClear = 50 * time.Millisecond
	// deadClear is how long killed processes may take to exit; after that, the system has to reap them.
	deadClear = time.Second
)

// clear ends the rest of the group after the leader has exited: it waits for the grace period and then kills. The ID of a
// group is not reused while the group has members.
func (c *child) clear(grace time.Duration) {
	if c.empty(grace) {
		return
	}
	_ = syscall.Kill(-c.pid, syscall.SIGKILL)
	c.empty(deadClear)
}

// empty waits until the group has no members, but at most for within, and reports whether it has none.
func (c *child) empty(within time.Duration) bool {
	deadline := time.After(within)
	for wait := minClear; ; wait = min(2*wait, maxClear) {
		c.reap()
		if syscall.Kill(-c.pid, 0) != nil || !groupLives(c.pid) {
			return true
		}
		select {
		case <-deadline:
			return false
		case <-time.After(wait):
		}
	}
}

// reap waits for members of the group that became our children when their parent exited, as happens when we are the first
// process of a container. Nothing else may wait for those.
func (c *child) reap() {
	for {
		pid, err := syscall.Wait4(-c.pid, nil, syscall.WNOHANG, nil)
		if pid <= 0 && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// readNow reads what is in the pipe without waiting; it returns 0 if that is nothing.
func readNow(f *os.File, buf []byte) (n int, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		for {
			n, failed = syscall.Read(int(fd), buf)
			if !errors.Is(failed, syscall.EINTR) {
				return true
			}
		}
	})
	return n, errors.Join(err, failed)
}

// unixSignalNames are further signals that end a program on Unix systems.
var unixSignalNames = map[syscall.Signal]string{
	syscall.SIGUSR1: "SIGUSR1", syscall.SIGUSR2: "SIGUSR2", syscall.SIGXCPU: "SIGXCPU", syscall.SIGXFSZ: "SIGXFSZ",
	syscall.SIGVTALRM: "SIGVTALRM", syscall.SIGPROF: "SIGPROF", syscall.SIGSYS: "SIGSYS",
}
