//go:build unix && !linux

package process

import "os/exec"

// spawnTied starts a command; these systems can't tie it to this process.
func spawnTied(command *exec.Cmd, _ <-chan struct{}) (pid int, err error) { return spawn(command) }
