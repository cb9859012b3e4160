//go:build unix

package trial

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// playKilledGroup stops the collector while its child has a child of its own, which must not outlive either.
func playKilledGroup(s *stage) {
	pidFile := filepath.Join(s.dir, "worker.pid")
	s.startChild("WORKER_PID_FILE=" + pidFile)
	var worker int
	require.Eventually(s.t, func() bool {
		text, err := os.ReadFile(pidFile)
		if err == nil {
			worker, err = strconv.Atoi(strings.TrimSpace(string(text)))
		}
		return err == nil
	}, 30*time.Second, 10*time.Millisecond)
	wrapper, err := syscall.Getpgid(worker)
	require.NoError(s.t, err)
	begun := time.Now()
	s.stop()
	for _, pid := range []int{worker, wrapper} { // init reaps an orphan with a delay
		assert.Eventually(s.t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) },
			5*time.Second-time.Since(begun), 10*time.Millisecond, "process %d is there, or a zombie", pid)
	}
	s.check(true)
}
