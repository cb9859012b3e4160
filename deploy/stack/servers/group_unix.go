//go:build unix

package servers

import (
	"os/exec"
	"syscall"
)

// ownGroup protects the servers from Ctrl-C in the terminal: [Stack.Stop] stops them in order.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
