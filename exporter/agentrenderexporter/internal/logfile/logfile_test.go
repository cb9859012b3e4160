package logfile_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/logfile"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func modeOf(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	require.NoError(t, err)
	return info.Mode()
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

func write(t *testing.T, l logfile.Location, s logfile.Settings, words ...string) error {
	t.Helper()
	f, err := logfile.Open(l, s)
	if err != nil {
		return err
	}
	for _, w := range words {
		_, err := f.Write([]byte(w))
		require.NoError(t, err)
	}
	return f.Close()
}

// TestModes: files and their folders are private unless another mode is set.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of Unix")
	}
	for mode, want := range map[fs.FileMode][2]fs.FileMode{0: {0o600, 0o700}, 0o640: {0o640, 0o750}, 0o644: {0o644, 0o755}} {
		for _, follow := range []bool{false, true} {
			dir := t.TempDir()
			require.NoError(t, write(t, logfile.Location{Folder: filepath.Join(dir, "a"), Name: "b/c.log", Follow: follow}, logfile.Settings{Mode: mode}, "x"))
			assert.Equal(t, want[0], modeOf(t, filepath.Join(dir, "a", "b", "c.log")).Perm(), "%o %t", mode, follow)
			assert.Equal(t, want[1], modeOf(t, filepath.Join(dir, "a", "b")).Perm(), "%o %t", mode, follow)
			assert.Equal(t, want[1], modeOf(t, filepath.Join(dir, "a")).Perm(), "%o %t", mode, follow)
		}
	}
}

// TestNothingIsFollowed: whatever is in the place of a folder or file below the trusted folder, nothing else is written or
// created.
func TestNothingIsFollowed(t *testing.T) {
	tests := []struct {
		name  string
		plant func(t *testing.T, logs, elsewhere string)
	}{
		{"a link to a file", func(t *testing.T, logs, elsewhere string) {
			require.NoError(t, os.Mkdir(filepath.Join(logs, "p"), 0o700))
			require.NoError(t, os.Symlink(filepath.Join(elsewhere, "victim"), filepath.Join(logs, "p", "x.log")))
		}},
		{"a link to nothing", func(t *testing.T, logs, elsewhere string) {
			require.NoError(t, os.Mkdir(filepath.Join(logs, "p"), 0o700))
			require.NoError(t, os.Symlink(filepath.Join(elsewhere, "new"), filepath.Join(logs, "p", "x.log")))
		}},
		{"a link to a file beside", func(t *testing.T, logs, _ string) {
			require.NoError(t, os.Mkdir(filepath.Join(logs, "p"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(logs, "p", "other.log"), nil, 0o600))
			require.NoError(t, os.Symlink("other.log", filepath.Join(logs, "p", "x.log")))
		}},
		{"a link to a folder", func(t *testing.T, logs, elsewhere string) {
			require.NoError(t, os.Symlink(elsewhere, filepath.Join(logs, "p")))
		}},
		{"a link to a folder beside", func(t *testing.T, logs, _ string) {
			require.NoError(t, os.Mkdir(filepath.Join(logs, "other"), 0o700))
			require.NoError(t, os.Symlink("other", filepath.Join(logs, "p")))
		}},
		{"a file for a folder", func(t *testing.T, logs, _ string) {
			require.NoError(t, os.WriteFile(filepath.Join(logs, "p"), nil, 0o600))
		}},
		{"a folder for a file", func(t *testing.T, logs, _ string) {
			require.NoError(t, os.MkdirAll(filepath.Join(logs, "p", "x.log"), 0o700))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			logs, elsewhere := filepath.Join(dir, "logs"), filepath.Join(dir, "elsewhere")
			require.NoError(t, os.MkdirAll(logs, 0o700))
			require.NoError(t, os.MkdirAll(elsewhere, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(elsewhere, "victim"), []byte("precious"), 0o600))
			tt.plant(t, logs, elsewhere)
			before := tree(t, dir)
			err := write(t, logfile.Location{Folder: logs, Name: "p/x.log"}, logfile.Settings{MaxBytes: 1}, "a", "b")
			require.ErrorIs(t, err, logfile.ErrNotRegular)
			assert.Equal(t, before, tree(t, dir))
		})
	}
}

// TestTrustedFolderMayBeALink: what the operator configured is followed.
func TestTrustedFolderMayBeALink(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "disk"), 0o700))
	require.NoError(t, os.Symlink("disk", filepath.Join(dir, "logs")))
	require.NoError(t, write(t, logfile.Location{Folder: filepath.Join(dir, "logs"), Name: "p/x.log"}, logfile.Settings{}, "a"))
	assert.Equal(t, "a", content(t, filepath.Join(dir, "disk", "p", "x.log")))
}

// tree lists a folder: names, types, sizes.
func tree(t *testing.T, dir string) (all []string) {
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		size := info.Size()
		if d.IsDir() {
			size = 0
		}
		all = append(all, fmt.Sprint(path, " ", info.Mode(), " ", size))
		return nil
	}))
	return all
}

// TestRotationKeepsModes: the new file and the compressed one have the permissions that the operator gave the file.
func TestRotationKeepsModes(t *testing.T) {
	dir := t.TempDir()
	at := logfile.Location{Folder: dir, Name: "p/x.log"}
	path := filepath.Join(dir, "p", "x.log")
	require.NoError(t, write(t, at, logfile.Settings{}, "one\n"))
	require.NoError(t, os.Chmod(path, 0o640))
	require.NoError(t, write(t, at, logfile.Settings{MaxBytes: 4, Compress: true}, "two\n"))
	assert.Equal(t, "two\n", content(t, path))
	packed, err := filepath.Glob(filepath.Join(dir, "p", "x~*.log.gz"))
	require.NoError(t, err)
	require.Len(t, packed, 1)
	if runtime.GOOS != "windows" {
		assert.Equal(t, fs.FileMode(0o640), modeOf(t, path).Perm())
		assert.Equal(t, fs.FileMode(0o640), modeOf(t, packed[0]).Perm())
	}
	file, err := os.Open(packed[0])
	require.NoError(t, err)
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	require.NoError(t, err)
	data, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	assert.Equal(t, "one\n", string(data))
	entries, err := os.ReadDir(filepath.Join(dir, "p"))
	require.NoError(t, err)
	assert.Len(t, entries, 2, "what was packed is removed")
}

// TestRotationFollowsNoLink: links named like rotated, compressed or partly compressed files are not written to, nor is what
// is in the place of the file when it is rotated.
func TestRotationFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	logs, victim := filepath.Join(dir, "logs"), filepath.Join(dir, "victim")
	require.NoError(t, os.WriteFile(victim, []byte("precious"), 0o600))
	settings := logfile.Settings{MaxBytes: 4, Compress: true, MaxBackups: 10}
	f, err := logfile.Open(logfile.Location{Folder: logs, Name: "p/x.log"}, settings)
	require.NoError(t, err)
	_, err = f.Write([]byte("one\n"))
	require.NoError(t, err)
	old := time.Now().Add(-time.Hour).UTC().Format("2006-01-02T15-04-05.000")
	backup := filepath.Join(logs, "p", "x~"+old+".log")
	require.NoError(t, os.WriteFile(backup, []byte("old\n"), 0o600))
	require.NoError(t, os.Symlink(victim, backup+".gz~"))
	require.NoError(t, os.Symlink(victim, filepath.Join(logs, "p", "x~2020-01-01T00-00-00.000.log")))
	require.NoError(t, os.Remove(filepath.Join(logs, "p", "x.log")))
	require.NoError(t, os.Symlink(victim, filepath.Join(logs, "p", "x.log")))
	_, err = f.Write([]byte("two\n"))
	require.ErrorIs(t, err, logfile.ErrNotRegular)
	require.NoError(t, os.Remove(filepath.Join(logs, "p", "x.log")))
	for range 2 {
		_, err = f.Write([]byte("two\n"))
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
	assert.Equal(t, "precious", content(t, victim))
	assert.Equal(t, "two\n", content(t, filepath.Join(logs, "p", "x.log")))
}

// TestBackups: the newest are kept, and only rotated files of this file are removed.
func TestBackups(t *testing.T) {
	dir := t.TempDir()
	day := func(ago int) string {
		return "x~" + time.Now().UTC().AddDate(0, 0, -ago).Format("2006-01-02T15-04-05.000") + ".log"
	}
	kept := []string{day(1), day(2) + ".gz", "x-2020-01-01T00-00-00.000.log", "xy~2020-01-01T00-00-00.000.log", "x~notes.log", "x.log"}
	gone := []string{day(3), day(9)}
	for _, name := range append(slices.Clone(kept), gone...) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("old\n"), 0o600))
	}
	at := logfile.Location{Folder: dir, Name: "x.log"}
	require.NoError(t, write(t, at, logfile.Settings{MaxBytes: 4, MaxBackups: 3}, "new\n"))
	names := listed(t, dir)
	for _, name := range gone {
		assert.NotContains(t, names, name)
	}
	for _, name := range kept {
		assert.Contains(t, names, name)
	}
	assert.Len(t, names, len(kept)+1)
	require.NoError(t, write(t, at, logfile.Settings{MaxBytes: 4, MaxDays: 2}, "new\n"))
	assert.NotContains(t, listed(t, dir), day(2)+".gz", "two days are over")
	assert.Contains(t, listed(t, dir), kept[0])
}

func listed(t *testing.T, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestFailedCleanUp is reported, and prevents no write.
func TestFailedCleanUp(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("permissions do not bind this user")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "x~2020-01-01T00-00-00.000.log")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("x", 10)), 0o000))
	var failed []string
	settings := logfile.Settings{MaxBytes: 1, Compress: true, Failed: func(err error) { failed = append(failed, err.Error()) }}
	require.NoError(t, write(t, logfile.Location{Folder: dir, Name: "x.log"}, settings, "a", "b"))
	require.Len(t, failed, 1)
	assert.Contains(t, failed[0], "clean up rotated files of output")
}
