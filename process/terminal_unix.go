//go:build unix

package process

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"
	"unsafe"
)

// terminal is our controlling terminal as far as a child uses it. Its methods do nothing on nil. After the child's start, they
// are called with the child locked.
type terminal struct {
	fd       int // -1 until it is needed
	opened   bool
	own      int // our process group
	suspend  func(stop func())
	resumed  chan os.Signal
	released chan struct{}
}

func newTerminal(suspend func(stop func())) *terminal {
	return &terminal{fd: -1, own: syscall.Getpgrp(), suspend: suspend, resumed: make(chan os.Signal, 1), released: make(chan struct{})}
}

// use reports whether file is our terminal and we are in its foreground.
func (t *terminal) use(file *os.File) bool {
	if file == nil {
		return false
	}
	t.fd = int(file.Fd())
	if t.foreground() == t.own {
		return true
	}
	t.fd = -1
	return false
}

// open opens the terminal, whatever the standard files are, and reports whether we have one.
func (t *terminal) open() bool {
	if t.fd < 0 {
		fd, err := syscall.Open("/dev/tty", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
		if err != nil {
			return false
		}
		t.fd, t.opened = fd, true
	}
	return true
}

// watch continues the child whenever we are continued. It must follow the child's start: the child would inherit the signals that
// we ignore.
func (t *terminal) watch(c *child) {
	if t == nil {
		return
	}
	if t.fd >= 0 {
		t.ignoreOutputStops()
	}
	signal.Notify(t.resumed, syscall.SIGCONT)
	go func() {
		for {
			select {
			case <-t.resumed:
				c.signal(syscall.SIGCONT)
			case <-t.released:
				return
			}
		}
	}()
}

// ignoreOutputStops begins our time in the background, in which writing and taking the terminal back would stop us.
func (t *terminal) ignoreOutputStops() { signal.Ignore(syscall.SIGTTOU) }

// release ends our time in the background, after the child has ended. It reports whether the child was in the foreground.
func (t *terminal) release(c *child) (had bool) {
	if t == nil {
		return false
	}
	had = t.foreground() == c.pid
	signal.Stop(t.resumed)
	close(t.released)
	t.takeBack(c)
	signal.Reset(syscall.SIGTTOU)
	if t.opened {
		_ = syscall.Close(t.fd) // we only asked who is in the foreground
	}
	return had
}

// takeBack brings us to the foreground in place of the child, or of a group of its that is gone. Another group there is that of a
// shell, which has continued us in the background.
func (t *terminal) takeBack(c *child) {
	front := t.foreground()
	if front > 0 && (front == c.pid || errors.Is(syscall.Kill(-front, 0), syscall.ESRCH)) {
		t.bringForward(t.own)
	}
}

func (t *terminal) bringForward(group int) {
	g := int32(group)
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, uintptr(t.fd), syscall.TIOCSPGRP, uintptr(unsafe.Pointer(&g))) // the terminal may be closed
}

// foreground returns the process group in the foreground, or 0 if we have no terminal.
func (t *terminal) foreground() int { return foreground(uintptr(t.fd)) }

func foreground(fd uintptr) int {
	var g int32
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&g))); errno != 0 {
		return 0
	}
	return int(g)
}

// InForeground reports whether we, or the program of p, are in the foreground of a terminal. p may be nil. It returns true for a
// terminal that is not our controlling one: no shell shares it with us.
func InForeground(tty *os.File, p *Process) bool {
	front := foreground(tty.Fd())
	return front == 0 || front == syscall.Getpgrp() || p != nil && front == p.child.pid
}

// putInFront hands the terminal to the child if we are in its foreground. It reports whether we were.
func (t *terminal) putInFront(c *child) bool {
	if t == nil || t.foreground() != t.own {
		return false
	}
	t.ignoreOutputStops()
	t.bringForward(c.pid)
	return true
}

// stopped acts on a stop of the child by a signal. A child that was stopped because it used the terminal from the background gets
// it, if it is ours. Otherwise we stop too, our whole group as the key would have done, so that the shell comes forward; when it
// continues us, the child continues. Without a terminal the child is left stopped: no shell waits for us to stop.
func (t *terminal) stopped(c *child, by syscall.Signal) {
	if t == nil || !t.open() {
		return
	}
	used := by == syscall.SIGTTIN || by == syscall.SIGTTOU
	if !used {
		t.takeBack(c)
	}
	switch {
	case used && t.putInFront(c), by == syscall.SIGTSTP && first() && t.putInFront(c):
		_ = syscall.Kill(-c.pid, syscall.SIGCONT)
	case used:
		t.suspend(func() { pause(0, syscall.SIGTTIN) })
	default:
		t.suspend(func() { pause(0, syscall.SIGSTOP) })
	}
}

// pausePatience is how long a signal may take to stop us. The system ignores SIGTTIN if no shell could continue us.
const pausePatience = 100 * time.Millisecond

// pause stops us or, if whom is 0, our group by a signal and returns when we are continued: another thread may handle the signal.
func pause(whom int, by syscall.Signal) {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	_ = syscall.Kill(whom, by)
	select {
	case <-continued:
	case <-time.After(pausePatience):
	}
}

// OnSuspend calls suspend when the suspend key is typed, until cancel is called. suspend calls stop, which returns when we continue.
func OnSuspend(suspend func(stop func())) (cancel func()) {
	if signal.Ignored(syscall.SIGTSTP) || first() {
		return func() {}
	}
	typed, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(typed, syscall.SIGTSTP)
	go func() {
		for {
			select {
			case <-typed:
				suspend(func() { pause(os.Getpid(), syscall.SIGSTOP) })
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(typed)
		close(done)
	}
}

// first reports whether the first process of the session is in our group. No shell could continue us then, and the system ignores
// the suspend key in this case.
func first() bool {
	session, _, errno := syscall.Syscall(syscall.SYS_GETSID, 0, 0, 0)
	return errno == 0 && int(session) == syscall.Getpgrp()
}
