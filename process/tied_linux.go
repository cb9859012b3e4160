package process

import (
	"os/exec"
	"runtime"
	"syscall"
)

// spawnTied starts a command that the kernel kills when this process ends. The kernel ties it to the thread that started the
// command (prctl(2), PR_SET_PDEATHSIG), so that thread is kept until over is closed.
func spawnTied(command *exec.Cmd, over <-chan struct{}) (pid int, err error) {
	command.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		pid, err = spawn(command)
		failed := err != nil
		close(started)
		if !failed {
			<-over
		}
	}()
	<-started
	return pid, err
}
