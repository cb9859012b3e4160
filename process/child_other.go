//go:build !unix

package process

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// child is a started command.
type child struct {
	process *os.Process
}

func startChild(command *exec.Cmd, _ Settings) (*child, error) {
	if err := command.Start(); err != nil {
		return nil, err
	}
	return &child{process: command.Process}, nil
}

// wait returns how the process ended.
func (c *child) wait() Exit {
	state, err := c.process.Wait()
	if err != nil {
		return Exit{Code: -1}
	}
	return Exit{Code: state.ExitCode()}
}

// signal kills the process, because there is no other way to end it.
func (c *child) signal(syscall.Signal) { _ = c.process.Kill() }

func (c *child) clear(time.Duration) {}

// empty returns true, because it can't know what the process started.
func (c *child) empty(time.Duration) bool { return true }

// InForeground returns true: these systems have no jobs in the background.
func InForeground(*os.File, *Process) bool { return true }

// OnSuspend does nothing: these systems have no suspend key.
func OnSuspend(func(stop func())) (cancel func()) { return func() {} }

// readNow reads to the end, because these systems don't report whether a pipe is empty.
func readNow(f *os.File, buf []byte) (int, error) {
	n, err := f.Read(buf)
	if err == io.EOF { //nolint:errorlint // the contract of io.Reader
		return 0, nil
	}
	return n, err
}

// unixSignalNames is empty: these systems have no further signals.
var unixSignalNames map[syscall.Signal]string
