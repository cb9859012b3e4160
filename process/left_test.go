//go:build unix

package process_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/spool"
)

// TestSpoolInUse: a spool that this process has closed is in use for as long as the child writes to it.
func TestSpoolInUse(t *testing.T) {
	dir := t.TempDir()
	over := filepath.Join(dir, "over")
	p, err := process.Start(process.Settings{
		Command: []string{"sh", "-c", `until [ -e "$0" ]; do sleep 0.01; done; echo late`, over}, Spool: spool.Settings{Dir: dir}, Grace: time.Second,
	})
	require.NoError(t, err)
	path := p.Spool().Path()
	assert.True(t, spool.InUse(path), "we have it")
	p.Spool().Keep()
	require.NoError(t, p.Close())
	assert.True(t, spool.InUse(path), "the child has it")
	require.NoError(t, os.WriteFile(over, nil, 0o600))
	<-p.Done()
	assert.False(t, spool.InUse(path))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "late\n", string(content))
	assert.False(t, spool.InUse(filepath.Join(dir, "nothing")))
}
