package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/checkpoint"
	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/poll/internal/source"
)

// TestDatabaseAsksForDescriptors only if a lack of them may be why it can't be read: idle files are closed then.
func TestDatabaseAsksForDescriptors(t *testing.T) {
	for name, tt := range map[string]struct {
		content string // empty: there is no file
		folders int    // above it; SQLite opens no file with a path longer than 512 bytes
		want    bool
	}{
		"not there":    {},
		"no database":  {content: "hello, this is no database"},
		"not openable": {content: "hello, this is no database", folders: 3, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for range tt.folders {
				folder = filepath.Join(folder, strings.Repeat("x", 200))
			}
			require.NoError(t, os.MkdirAll(folder, 0o700))
			path := filepath.Join(folder, "opencode.db")
			if tt.content != "" {
				require.NoError(t, os.WriteFile(path, []byte(tt.content), 0o600))
				old := time.Now().Add(-time.Hour)
				require.NoError(t, os.Chtimes(path, old, old))
			}
			descriptors := openfile.NewDescriptorsOf(100)
			d := source.NewDatabase(path, source.DatabaseSettings{
				Descriptors: descriptors,
				Known:       func(string) (*checkpoint.Checkpoint, error) { return nil, nil },
			})
			_, err := d.Next(t.Context())
			require.Error(t, err)
			assert.Equal(t, tt.want, descriptors.TakeExhausted())
			assert.Zero(t, descriptors.Held())
			require.NoError(t, d.Close())
		})
	}
}
