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

// signal kills: there is no other way to ask a program to end.
func (c *child) signal(syscall.Signal) { _ = c.process.Kill() }

func (c *child) clear(time.Duration) {}

// empty does not know what the process started.
func (c *child) empty(time.Duration) bool { return true }

// readNow reads on to the end: pipes can't be asked whether they are empty.
func readNow(f *os.File, buf []byte) (int, error) {
	n, err := f.Read(buf)
	if err == io.EOF { //nolint:errorlint // the contract of io.Reader
		return 0, nil
	}
	return n, err
}
