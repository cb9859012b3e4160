package place_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
)

// TestEscape: an escaped name, whatever it contains, matches only itself.
func TestEscape(t *testing.T) {
	for _, name := range []string{"a[1]", "{a,b}", "a*", "a?", "[", "]", "}", "é[a-z]", "plain"} {
		if filepath.Separator == '\\' && strings.ContainsAny(name, "*?{}") {
			continue // cannot be escaped there
		}
		dir := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.Mkdir(dir, 0o700))
		file := filepath.Join(dir, name+".jsonl")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		for _, arg := range []string{dir, file} {
			var found []string
			for _, glob := range place.Named([]string{arg})[0].Globs {
				matches, err := doublestar.FilepathGlob(glob)
				require.NoError(t, err)
				found = append(found, matches...)
			}
			assert.Equal(t, []string{file}, found, arg)
		}
		home := place.Agents(func(string) string { return "" }, dir)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, ".claude", "projects", "p"), 0o700))
		session := filepath.Join(dir, ".claude", "projects", "p", "s.jsonl")
		require.NoError(t, os.WriteFile(session, nil, 0o600))
		matches, err := doublestar.FilepathGlob(home[0].Globs[0])
		require.NoError(t, err)
		assert.Equal(t, []string{session}, matches)
	}
}

// TestAgents checks where the CLIs of docs/conformance.md write their sessions and those of their sub-agents.
func TestAgents(t *testing.T) {
	home := t.TempDir()
	places := map[string]place.Place{}
	for _, p := range place.Agents(func(string) string { return "" }, home) {
		places[p.Name] = p
	}
	for _, tt := range []struct{ name, file string }{
		{"claude", ".claude/projects/-shop/0198.jsonl"},
		{"claude", ".claude/projects/-shop/0198/subagents/agent-a1.jsonl"},
		{"codex", ".codex/sessions/2026/11/29/rollout-1.jsonl"},
		{"gemini", ".gemini/tmp/shop/chats/session-1.jsonl"},
		{"gemini", ".gemini/tmp/shop/chats/0198/looker.jsonl"},
		{"opencode", ".local/share/opencode/opencode.db"},
		{"qwen", ".qwen/projects/-shop/chats/0198.jsonl"},
		{"qwen", ".qwen/projects/-shop/subagents/0198/agent-general-purpose-call_1.jsonl"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			matched := false
			for _, glob := range places[tt.name].Globs {
				ok, err := doublestar.PathMatch(glob, filepath.Join(home, filepath.FromSlash(tt.file)))
				assert.NoError(t, err)
				matched = matched || ok
			}
			assert.True(t, matched, "globs %q", places[tt.name].Globs)
		})
	}
}
