package process

import (
	"fmt"
	"syscall"
	"time"
)

// Exit is how a process ended.
type Exit struct {
	// Code is its exit code, or -1 if a signal ended it.
	Code int
	// Signal is the signal that ended it, or 0.
	Signal syscall.Signal
	// Stopped is true if it was asked to end; StopReason is why, or empty if no reason was given.
	Stopped    bool
	StopReason string
	// Interrupted is true if SIGINT was forwarded to it.
	Interrupted bool
	// Foreground is true if it had our terminal when it ended, so that keys sent their signals to it and not to us.
	Foreground bool
	// Started is when it began, and At when it ended.
	Started, At time.Time
	// Stderr is the unmodified end of its standard error; [Clean] makes it fit for a log.
	Stderr []byte
	// Dropped is how many bytes of its output were not kept; see [Settings.Copy]. Truncated is true if it removed bytes itself.
	Dropped   int64
	Truncated bool
}

// shellSignal is what shells add to the number of the signal that ended a program.
const shellSignal = 128

// Status returns the exit status that a shell would report: the code, or 128 plus the signal.
func (e Exit) Status() int {
	if e.Signal != 0 {
		return shellSignal + int(e.Signal)
	}
	return e.Code
}

// SignalName returns the name of the signal, such as "SIGTERM", or an empty string if none ended the process.
func (e Exit) SignalName() string {
	if e.Signal == 0 {
		return ""
	}
	if name, ok := signalNames[e.Signal]; ok {
		return name
	}
	if name, ok := unixSignalNames[e.Signal]; ok {
		return name
	}
	return fmt.Sprintf("SIG%d", int(e.Signal))
}

// signalNames are the signals that end a program on all systems.
var signalNames = map[syscall.Signal]string{
	syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL",
	syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGKILL: "SIGKILL", syscall.SIGSEGV: "SIGSEGV", syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM",
	syscall.SIGTERM: "SIGTERM",
}
