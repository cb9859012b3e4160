package place_test

import (
	"path/filepath"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/place"
)

// TestAgents holds where the CLIs of docs/conformance.md write their sessions, and those of their sub-agents.
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
