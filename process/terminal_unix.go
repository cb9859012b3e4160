//go:build unix

package process

import (
	"os"
	"os/signal"
	"syscall"
	"unsafe"
)

// terminal is a terminal that was handed over to a child. Its methods do nothing on nil.
type terminal struct {
	fd       int
	own      int // our process group
	resumed  chan os.Signal
	released chan struct{}
}

// openTerminal returns the terminal that file is, if we are in its foreground; otherwise nil.
func openTerminal(file *os.File) *terminal {
	t := &terminal{fd: int(file.Fd()), own: syscall.Getpgrp(), resumed: make(chan os.Signal, 1), released: make(chan struct{})}
	if group, ok := t.foreground(); !ok || group != t.own {
		return nil
	}
	return t
}

// handOver begins our time in the background, in which writing and taking the terminal back would stop us unless SIGTTOU is
// ignored. It must follow the child's start, because the child would inherit that.
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

// release ends our time in the background.
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

// foreground returns the process group in the foreground, or false if this is not our controlling terminal.
func (t *terminal) foreground() (int, bool) {
	var g int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(t.fd), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&g)))
	return int(g), errno == 0
}

// suspend stops us as the child was stopped: our whole group, as the key would have done. If no terminal was handed over, the
// child is left stopped.
func (t *terminal) suspend() {
	if t == nil {
		return
	}
	t.takeBack()
	_ = syscall.Kill(0, syscall.SIGSTOP)
}

// putInFront hands the terminal to the child if it is ours, because the shell has brought us to the foreground to continue.
func (t *terminal) putInFront(c *child) {
	if t == nil {
		return
	}
	if group, ok := t.foreground(); ok && group == t.own {
		t.bringForward(c.pid)
	}
}
