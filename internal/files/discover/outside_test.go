package discover

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
)

// The test is separate, because a Handler can't control where a link leads when it is checked.
func TestOutside(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(elements ...string) string { return filepath.Join(append([]string{root}, elements...)...) }
	for _, folder := range []string{"watched/real", "other", "also"} {
		require.NoError(t, os.MkdirAll(at(folder), 0o700))
	}
	for _, file := range []string{"watched/a.jsonl", "watched/real/b.jsonl", "other/c.jsonl", "also/d.jsonl"} {
		require.NoError(t, os.WriteFile(at(file), []byte("{}\n"), 0o600))
	}
	for link, to := range map[string]string{
		"watched/in.jsonl": at("watched/real/b.jsonl"), "watched/relative.jsonl": "real/b.jsonl", "watched/out.jsonl": at("other/c.jsonl"),
		"watched/up.jsonl": "../other/c.jsonl", "watched/folder": at("other"), "watched/twice.jsonl": at("watched/out.jsonl"),
		"watched/also.jsonl": at("also/d.jsonl"), "alias": at("watched"), "watched/dangling.jsonl": at("none"),
	} {
		require.NoError(t, os.Symlink(to, at(link)))
	}
	idAt := func(path string) fingerprint.FileID {
		info, err := os.Stat(path)
		require.NoError(t, err)
		id, _ := fingerprint.IDOf(info)
		return id
	}
	include := []string{at("watched", "**", "*.jsonl"), at("also", "*.jsonl"), at("alias", "*.jsonl")}
	for path, want := range map[string]bool{
		"watched/a.jsonl": false, "watched/real/b.jsonl": false, "watched/in.jsonl": false, "watched/relative.jsonl": false,
		"watched/out.jsonl": true, "watched/up.jsonl": true, "watched/folder/c.jsonl": true, "watched/twice.jsonl": true,
		"watched/also.jsonl": false, "alias/a.jsonl": false, "alias/out.jsonl": true,
	} {
		assert.Equal(t, want, Outside(at(path), idAt(at(path)), include), path)
	}
	assert.False(t, Outside(at("watched/out.jsonl"), fingerprint.FileID{}, []string{at("watched/out.jsonl")}), "a pattern names the link itself")
	assert.True(t, Outside(at("watched/dangling.jsonl"), fingerprint.FileID{}, include), "it leads nowhere any more")
	assert.True(t, Outside(at("watched/a.jsonl"), idAt(at("other/c.jsonl")), include), "another file was opened there")
}
