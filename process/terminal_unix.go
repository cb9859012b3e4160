//go:build unix

package process

import (
	"os"
	"os/signal"
	"syscall"
	"unsafe"
)

// terminal is one that was handed over to a child. Its methods do nothing on nil.
type terminal struct {
	fd       int
	own      int // our process group
	resumed  chan os.Signal
	released chan struct{}
}

// openTerminal returns the terminal that file is, if we are in its foreground; nil otherwise.
func openTerminal(file *os.File) *terminal {
	t := &terminal{fd: int(file.Fd()), own: syscall.Getpgrp(), resumed: make(chan os.Signal, 1), released: make(chan struct{})}
	if group, ok := t.foreground(); !ok || group != t.own {
		return nil
	}
	return t
}

// handOver begins the time in which we are in the background, where writing and taking the terminal back would stop us
// unless SIGTTOU is ignored. It comes after the child's start, which would inherit that.
func (t *terminal) handOver(c *child) {
	if t == nil {
		return
	}
	signal.Ignore(syscall.SIGTTOU)
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

// release ends it.
func (t *terminal) release() {
	if t == nil {
		return
	}
	signal.Stop(t.resumed)
	close(t.released)
	t.takeBack()
	signal.Reset(syscall.SIGTTOU)
}

// takeBack brings us to the foreground again.
func (t *terminal) takeBack() {
	if group, ok := t.foreground(); ok && group != t.own {
		t.bringForward(t.own)
	}
}

func (t *terminal) bringForward(group int) {
	g := int32(group)
	_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, uintptr(t.fd), syscall.TIOCSPGRP, uintptr(unsafe.Pointer(&g))) // the terminal may be closed
}

// foreground returns the process group in front; false if this is no terminal that controls us.
func (t *terminal) foreground() (int, bool) {
	var g int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(t.fd), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&g)))
	return int(g), errno == 0
}

// suspend stops us as the child was stopped: our whole group, as the key would have done. A child that was stopped where
// no terminal was handed over is left as it is.
func (t *terminal) suspend() {
	if t == nil {
		return
	}
	t.takeBack()
	_ = syscall.Kill(0, syscall.SIGSTOP)
}

// putInFront hands the terminal to the child if it is ours: the shell has put us in front, to go on.
func (t *terminal) putInFront(c *child) {
	if t == nil {
		return
	}
	if group, ok := t.foreground(); ok && group == t.own {
		t.bringForward(c.pid)
	}
}
