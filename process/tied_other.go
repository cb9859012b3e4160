//go:build unix && !linux

package process

import "os/exec"

// startTied starts a command; these systems can't tie it to this process.
func startTied(command *exec.Cmd, _ <-chan struct{}) error { return command.Start() }
