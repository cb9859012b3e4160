package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestFolder reads a folder of OpenCode like a file of its rows, and rejects one without sessions.
func TestFolder(t *testing.T) {
	tree := filepath.Join("..", "..", "testdata", "opencode", "subagent-1.1.65.storage")
	for _, command := range []string{"events", "render"} {
		code, ofTree, stderr := tailspan("", command, tree)
		require.Equal(t, cli.ExitOK, code, stderr)
		_, ofRows, _ := tailspan("", command, tree+".jsonl")
		assert.Equal(t, ofRows, ofTree)
		assert.NotEmpty(t, ofTree)
	}
	empty := t.TempDir()
	code, _, stderr := tailspan("", "events", empty)
	assert.Equal(t, cli.ExitUsage, code)
	assert.Contains(t, stderr, "no file matches")
}

// TestExport reads a document of many lines, recognized by its name or, from standard input, by its first lines.
func TestExport(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "opencode", "parity.export.json")
	document, err := os.ReadFile(path)
	require.NoError(t, err)
	_, ofFile, _ := tailspan("", "events", path)
	_, ofStdin, _ := tailspan(string(document), "events", "-")
	assert.Equal(t, ofFile, ofStdin)
	lines := strings.Split(strings.TrimSpace(ofFile), "\n")
	var summary struct {
		Provider  string
		Lines     int
		ToolCalls int `json:"tool_calls"`
	}
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &summary))
	assert.Equal(t, "opencode", summary.Provider)
	assert.Equal(t, 1, summary.Lines)
	assert.Equal(t, 5, summary.ToolCalls)
}
