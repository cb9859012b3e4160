package process

import (
	"os/exec"
	"runtime"
	"syscall"
)

// startTied starts a command that the kernel kills when this process ends. The kernel ties it to the thread that started the
// command (prctl(2), PR_SET_PDEATHSIG), so that thread is kept until over is closed.
func startTied(command *exec.Cmd, over <-chan struct{}) error {
	command.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			<-over
		}
	}()
	return <-started
}
