package spooled

// Tests of dropReason, which is not exported: no test can fill a disk.

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/spool"
)

// TestDropReason: reasons for dropping input are distinguished by what can be done about them.
func TestDropReason(t *testing.T) {
	for name, tt := range map[string]struct {
		err            error
		reason, advice string
	}{
		"the limit":    {fmt.Errorf("keep input: %w", spool.ErrFull), "spool_full", "raise spool::max_size"},
		"the disk":     {&os.PathError{Op: "write", Path: "/s", Err: syscall.ENOSPC}, "disk_full", "free disk space"},
		"no right":     {&os.PathError{Op: "open", Path: "/s", Err: syscall.EACCES}, "spool_failed", "make the folder writable"},
		"and whatever": {os.ErrClosed, "spool_failed", "spool::directory"},
	} {
		t.Run(name, func(t *testing.T) {
			reason, advice := dropReason(tt.err)
			assert.Equal(t, tt.reason, reason)
			assert.Contains(t, advice, tt.advice)
		})
	}
}
