package discover

import (
	"os"
	"path"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValidateGlob(t *testing.T) {
	assert.NoError(t, ValidateGlob("include", "~/.claude/projects/**/*.jsonl"))
	assert.EqualError(t, ValidateGlob("include", ""), "include: empty glob")
	err := ValidateGlob("exclude", "a/[b")
	assert.EqualError(t, err, `exclude: invalid glob "a/[b": syntax error in pattern`)
	assert.ErrorIs(t, err, doublestar.ErrBadPattern)
}

func TestGlobs(t *testing.T) {
	tests := []struct {
		name             string
		include, exclude []string
		match, noMatch   []string
		holds, holdsNone []string
	}{
		{
			name: "one folder", include: []string{"/a/*.jsonl"},
			match: []string{"/a/x.jsonl"}, noMatch: []string{"/a/b/x.jsonl", "/a/x.jsonl.tmp", "/x.jsonl"},
			holds: []string{"/a", "/"}, holdsNone: []string{"/a/b", "/b", "/ab"},
		},
		{
			name: "any folders", include: []string{"/a/**/*.jsonl"},
			match: []string{"/a/x.jsonl", "/a/b/c/x.jsonl"}, noMatch: []string{"/b/x.jsonl"},
			holds: []string{"/a", "/a/b/c"}, holdsNone: []string{"/b"},
		},
		{
			name: "named folders between", include: []string{"/a/*/chats/*.json"},
			match: []string{"/a/1/chats/x.json"}, noMatch: []string{"/a/1/x.json", "/a/1/2/chats/x.json"},
			holds: []string{"/a", "/a/1", "/a/1/chats"}, holdsNone: []string{"/a/1/logs", "/a/1/chats/2"},
		},
		{
			name: "alternatives that span folders", include: []string{"/a/{b,c/d}/*.jsonl"},
			match: []string{"/a/b/x.jsonl", "/a/c/d/x.jsonl"}, noMatch: []string{"/a/c/x.jsonl"},
			holds: []string{"/a/b", "/a/c", "/a/c/d"},
		},
		{
			name: "all there is below a folder", include: []string{"/a/*/**"},
			match: []string{"/a/b/c/d", "/a/b/c"}, noMatch: []string{"/a", "/b/c"},
			holds: []string{"/a", "/a/b", "/a/b/c"}, holdsNone: []string{"/b"},
		},
		{
			name: "a single file", include: []string{"/a/x.jsonl"},
			match: []string{"/a/x.jsonl"}, noMatch: []string{"/a/y.jsonl"},
			holds: []string{"/a"}, holdsNone: []string{"/b"},
		},
		{
			name: "exclude", include: []string{"/a/**/*.jsonl"}, exclude: []string{"/a/**/tmp/**", "/a/**/y.jsonl"},
			match: []string{"/a/x.jsonl"}, noMatch: []string{"/a/b/tmp/x.jsonl", "/a/y.jsonl"},
			holds: []string{"/a/b"}, holdsNone: []string{"/a/b/tmp", "/a/b/tmp/c"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, err := NewGlobs(onThisSystem(tt.include), onThisSystem(tt.exclude))
			require.NoError(t, err)
			for _, p := range onThisSystem(tt.match) {
				assert.True(t, g.Match(p), "matches %s", p)
			}
			for _, p := range onThisSystem(tt.noMatch) {
				assert.False(t, g.Match(p), "matches %s", p)
			}
			for _, p := range onThisSystem(tt.holds) {
				assert.True(t, g.CanHold(p), "can hold: %s", p)
			}
			for _, p := range onThisSystem(tt.holdsNone) {
				assert.False(t, g.CanHold(p), "can hold: %s", p)
			}
		})
	}
}

// onThisSystem prefixes paths with a volume on systems with volumes.
func onThisSystem(paths []string) []string {
	wd, _ := os.Getwd()
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		out = append(out, filepath.VolumeName(wd)+filepath.FromSlash(p))
	}
	return out
}

func TestGlobHomeAndWorkingFolder(t *testing.T) {
	home := filepath.Join(t.TempDir(), "a [strange] home")
	require.NoError(t, os.MkdirAll(home, 0o700))
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Chdir(home)
	g, err := NewGlobs([]string{"~/.claude/**/*.jsonl", "runs/*.jsonl"}, nil)
	require.NoError(t, err)
	assert.True(t, g.Match(filepath.Join(home, ".claude", "p", "x.jsonl")))
	assert.True(t, g.CanHold(filepath.Join(home, ".claude", "p")))
	wd, err := os.Getwd()
	require.NoError(t, err)
	assert.True(t, g.Match(filepath.Join(wd, "runs", "x.jsonl")))
	assert.False(t, g.Match(filepath.Join(wd, "other", "x.jsonl")))
}

// FuzzGlob: no pattern panics; matches are in folders that can hold them; matching folder by folder yields the same result.
func FuzzGlob(f *testing.F) {
	f.Add("/a/**/*.jsonl", "/a/b/c/x.jsonl")
	f.Add("/a/{b,c/d}/*", "/a/c/d/x")
	f.Add("/[a-c]*/?/x", "/abc/d/x")
	f.Fuzz(func(t *testing.T, pattern, file string) {
		if ValidateGlob("include", pattern) != nil || !doublestar.ValidatePattern(pattern) {
			return
		}
		if path.Clean(file) != file || file == "/" || !utf8.ValidString(pattern) || !utf8.ValidString(file) {
			return
		}
		g, err := NewGlobs([]string{pattern}, nil)
		if err != nil {
			return
		}
		folder := g.In(path.Dir(file))
		require.Equal(t, g.Match(file), folder.matches(file, path.Base(file)))
		if !g.Match(file) {
			return
		}
		for i, c := range file {
			if c == '/' && i > 0 {
				require.True(t, g.CanHold(file[:i]), "folder %q", file[:i])
			}
		}
	})
}
