package parser_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/parser"
)

func TestIsAgents(t *testing.T) {
	for path, want := range map[string]bool{
		"/home/u/.claude/projects/p/x.jsonl": true, `C:\Users\u\.codex\x.jsonl`: true, "/home/u/.gemini/tmp/h/checkpoint-a.json": true,
		"/home/u/.qwen/x": true, "/home/u/.local/share/opencode/log/x.log": true, "/backup/history.jsonl.gz": true, "/b/tmp/h/logs.json": true,
		"/runs/a.jsonl": false, "/runs/claude/a.jsonl": false, "/home/u/.claude-backup/a.jsonl": false, "/runs/my-history.jsonl": false,
		"/home/u/.claude": false,
	} {
		assert.Equal(t, want, parser.IsAgents(path), path)
	}
}
