package process

import (
	"fmt"
	"syscall"
	"time"
)

// Exit is how a process ended.
type Exit struct {
	// Code is what it returned; -1 if a signal ended it.
	Code int
	// Signal ended it; 0 if none did.
	Signal syscall.Signal
	// Stopped is true if we had asked it to end; StopReason is why, empty if nobody said.
	Stopped    bool
	StopReason string
	// Interrupted shows that SIGINT was forwarded to it.
	Interrupted bool
	// Started is when it began, At when it ended.
	Started, At time.Time
	// Stderr is the end of what it wrote to standard error, as it wrote it: [Clean] makes it fit for a log.
	Stderr []byte
	// Dropped is how many bytes of its output were not kept, see [Settings.Copy].
	Dropped int64
}

// shellSignal is what shells add to the number of a signal that ended a program.
const shellSignal = 128

// Status is the exit status that a shell would report: the code, or 128 and the signal.
func (e Exit) Status() int {
	if e.Signal != 0 {
		return shellSignal + int(e.Signal)
	}
	return e.Code
}

// SignalName is the name of the signal, such as "SIGTERM"; empty if none ended the process.
func (e Exit) SignalName() string {
	if e.Signal == 0 {
		return ""
	}
	if name, ok := signalNames[e.Signal]; ok {
		return name
	}
	return fmt.Sprintf("SIG%d", int(e.Signal))
}

// signalNames are those that end a program and that all systems have.
var signalNames = map[syscall.Signal]string{
	syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT", syscall.SIGILL: "SIGILL",
	syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT", syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE",
	syscall.SIGKILL: "SIGKILL", syscall.SIGSEGV: "SIGSEGV", syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM",
	syscall.SIGTERM: "SIGTERM",
}
