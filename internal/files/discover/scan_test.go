package discover_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/discover"
)

// TestScanWay: a scan knows which paths lead through a symbolic link. Only those may have another name that also matches.
func TestScanWay(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	at := func(elements ...string) string { return filepath.Join(append([]string{root}, elements...)...) }
	require.NoError(t, os.MkdirAll(at("real", "below"), 0o700))
	require.NoError(t, os.MkdirAll(at("elsewhere"), 0o700))
	for _, file := range []string{"real/a.jsonl", "real/below/b.jsonl", "elsewhere/c.jsonl"} {
		require.NoError(t, os.WriteFile(at(file), []byte("{}\n"), 0o600))
	}
	for link, to := range map[string]string{
		"alias": "real", "real/a-link.jsonl": "a.jsonl", "real/folder": at("elsewhere"), "real/below/up.jsonl": at("elsewhere", "c.jsonl"),
	} {
		require.NoError(t, os.Symlink(to, at(link)))
	}
	ways := func(include string, scan func(*discover.Scan)) map[string]discover.Way {
		g, err := discover.NewGlobs([]string{include}, nil)
		require.NoError(t, err)
		found := map[string]discover.Way{}
		s := &discover.Scan{Globs: &g, Yield: func(files []discover.Found) {
			for _, one := range files {
				path, err := filepath.Rel(root, one.Path)
				require.NoError(t, err)
				found[filepath.ToSlash(path)] = one.Way
			}
		}}
		scan(s)
		require.Empty(t, s.Errs)
		return found
	}
	direct, linked := discover.WayDirect, discover.WayLinked
	assert.Equal(t, map[string]discover.Way{
		"real/a.jsonl": direct, "real/below/b.jsonl": direct, "real/a-link.jsonl": linked, "real/below/up.jsonl": linked,
	}, ways(at("real", "**", "*.jsonl"), (*discover.Scan).All))
	assert.Equal(t, map[string]discover.Way{
		"alias/a.jsonl": linked, "alias/below/b.jsonl": linked, "alias/a-link.jsonl": linked, "alias/below/up.jsonl": linked,
	}, ways(at("alias", "**", "*.jsonl"), (*discover.Scan).All))
	assert.Equal(t, map[string]discover.Way{"alias/a.jsonl": linked}, ways(at("alias", "a.jsonl"), (*discover.Scan).All))
	assert.Equal(t, map[string]discover.Way{
		"real/below/b.jsonl": direct, "real/below/up.jsonl": linked, "real/folder/c.jsonl": linked,
	}, ways(at("real", "*", "*.jsonl"), (*discover.Scan).All))
	assert.Equal(t, map[string]discover.Way{"real/folder/c.jsonl": linked}, ways(at("real", "*", "*.jsonl"), func(s *discover.Scan) { s.Below(at("real", "folder")) }))
	assert.Equal(t, map[string]discover.Way{"alias/below/b.jsonl": linked, "alias/below/up.jsonl": linked},
		ways(at("alias", "**", "*.jsonl"), func(s *discover.Scan) { s.Below(at("alias", "below")) }))
}
