package agentstreamreceiver_test

import (
	"bytes"
	"github.com/tailspan/tailspan/otlp"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// TestIDsDoNotDependOnThePlace reads each recorded stream and transcript of each provider under two paths and identities of
// its file: every trace, span and record ID is the same (issue 13, check 15).
func TestIDsDoNotDependOnThePlace(t *testing.T) {
	for _, group := range everything(t) {
		for _, path := range group {
			t.Run(sessionName(path), func(t *testing.T) {
				here := readAt(t, path, filepath.Join("/srv/monday", path), "device 1 inode 7")
				assert.Equal(t, here, readAt(t, path, filepath.Join("/mnt/archive/tuesday", path), "device 2 inode 9"))
			})
		}
	}
}

// readAt returns the output of a file as if it were at a place.
func readAt(t *testing.T, path, place, id string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	st, err := pipeline.New(pipeline.Settings{
		Events:   pipeline.EventSettings{Provider: "auto"},
		Registry: telemetry.NewRegistry(goldenSettings()), Path: place,
		Telemetry: telemetry.StreamSettings{ID: id, FileTime: fileTime},
	})
	require.NoError(t, err)
	var e exports
	for line := range bytes.Lines(data) {
		st.Line(bytes.TrimSuffix(line, []byte("\n")))
		st.At.Offset += int64(len(line))
	}
	st.Idle()
	st.Flush()
	st.Close(otlp.CloseReasonNoResult)
	for _, out := range st.Take() {
		e.take(out)
	}
	list := e.list()
	slices.Sort(list)
	return list
}
