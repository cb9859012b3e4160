package recorded_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/recorded"
)

// TestRelated covers the places where agents keep the transcripts of sub-agents.
func TestRelated(t *testing.T) {
	const id = "0b745fee-4c1c-4c33"
	for _, tc := range []struct {
		name, session string
		others        map[string]string // path to content
		want          []string
	}{
		{"Claude Code 2.1", "p/" + id + ".jsonl", map[string]string{
			"p/" + id + "/subagents/agent-1.jsonl": `{}`, "p/" + id + "/subagents/workflows/w/agent-2.jsonl": `{}`, "p/other/subagents/agent-3.jsonl": `{}`,
			"p/" + id + "/subagents/agent-1.meta.json": `{}`, "p/" + id + "/tool-results/a.txt": `{}`,
		}, []string{"p/" + id + "/subagents/agent-1.jsonl", "p/" + id + "/subagents/agent-1.meta.json", "p/" + id + "/subagents/workflows/w/agent-2.jsonl"}},
		{"folder with brackets", "[p]{a}/" + id + ".jsonl", map[string]string{"[p]{a}/" + id + "/subagents/agent-1.jsonl": `{}`}, []string{"[p]{a}/" + id + "/subagents/agent-1.jsonl"}},
		{"Claude Code 2.0", "p/" + id + ".jsonl", map[string]string{
			"p/agent-1.jsonl": `{"sessionId":"` + id + `"}`, "p/agent-2.jsonl": `{"sessionId":"another"}`, "p/longer.jsonl": `{"sessionId":"` + id + `-2"}`,
		}, []string{"p/agent-1.jsonl"}},
		{"Codex", "27/rollout-1.jsonl", map[string]string{
			"27/rollout-2.jsonl": `{"type":"session_meta","payload":{"id":"b","parent_thread_id":"` + id + `"}}`, "27/rollout-3.jsonl": `{"type":"session_meta","payload":{"id":"c"}}`,
		}, []string{"27/rollout-2.jsonl"}},
		{"Gemini CLI", "chats/session-1.jsonl", map[string]string{
			"chats/" + id + "/a.jsonl": `{}`, "chats/another/b.jsonl": `{}`,
		}, []string{"chats/" + id + "/a.jsonl"}},
		{"Qwen Code", "f/chats/" + id + ".jsonl", map[string]string{
			"f/subagents/" + id + "/agent-1.jsonl": `{}`, "f/subagents/another/agent-2.jsonl": `{}`,
		}, []string{"f/subagents/" + id + "/agent-1.jsonl"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(name, content string) {
				path := filepath.Join(dir, filepath.FromSlash(name))
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, []byte(content+"\n"), 0o600))
			}
			write(tc.session, `{"sessionId":"`+id+`"}`)
			for name, content := range tc.others {
				write(name, content)
			}
			var got []string
			for _, path := range recorded.Related(filepath.Join(dir, tc.session), []string{id}) {
				name, err := filepath.Rel(dir, path)
				require.NoError(t, err)
				got = append(got, filepath.ToSlash(name))
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

// TestRelatedOfOddIDs has IDs that would match other files if they were used as patterns or paths.
func TestRelatedOfOddIDs(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "x", "y"), 0o700))
	for _, name := range []string{"a.jsonl", "x/b.jsonl", "c.jsonl"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte("{}\n"), 0o600))
	}
	for _, id := range []string{"*", "{x,y}", "[x]", "x/y/..", "..", "../.."} {
		assert.Empty(t, recorded.Related(filepath.Join(dir, "a.jsonl"), []string{id}), id)
	}
}
