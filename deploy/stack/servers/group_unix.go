//go:build unix

package servers

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps the terminal's Ctrl-C from the servers: [Stack.Stop] stops them in order.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
