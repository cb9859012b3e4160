package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
)

// printed runs `tailspan events` and returns the kinds of the printed events and the summary.
func printed(t *testing.T, stdin string, args ...string) (kinds []string, summary map[string]any) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	require.Equal(t, cli.ExitOK, run(append([]string{"events"}, args...), strings.NewReader(stdin), &stdout, &stderr), stderr.String())
	for line := range strings.Lines(stdout.String()) {
		summary = map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(line), &summary))
		kinds = append(kinds, summary["kind"].(string))
	}
	return kinds[:len(kinds)-1], summary
}

// TestDocuments checks whether an input is read as one document or as lines.
func TestDocuments(t *testing.T) {
	const folder = "../../testdata/gemini/"
	document, err := os.ReadFile(folder + "case-rewritten-3.session.json")
	require.NoError(t, err)
	lines, err := os.ReadFile(folder + "case-no-final-newline.jsonl")
	require.NoError(t, err)
	ofDocument := []string{"session_start", "prompt", "text", "usage", "usage", "text", "usage"}
	ofLines := []string{"session_start", "text", "usage", "session_end"}
	write := func(name, content string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	for _, tc := range []struct {
		name, path, stdin string
		want              []string // nil if there is no event
		lines, malformed  float64
	}{
		{name: "document by its path", path: folder + "case-rewritten-3.session.json", want: ofDocument, lines: 1},
		{name: "document on standard input", path: "-", stdin: string(document), want: ofDocument, lines: 1},
		{name: "document under another name", path: write("x.txt", "\n"+string(document)+"\n"), want: ofDocument, lines: 1},
		{name: "half a document", path: write("x.json", string(document[:300])), lines: 1, malformed: 1},
		{name: "document that is too long", path: write("x.json", `{"sessionId":"`+strings.Repeat("x", int(input.DefaultMaxLine))+`"}`)},
		{name: "first line that is too long", path: "-", stdin: strings.Repeat("x", int(input.DefaultMaxLine)+1) + "\n" + string(lines), want: ofLines, lines: 4, malformed: 1},
		{name: "blank lines without end", path: "-", stdin: strings.Repeat("\n", 2*input.BufferSize) + string(lines), want: ofLines, lines: 2*input.BufferSize + 3},
		{name: "empty document", path: write("x.json", "")},
		{name: "lines", path: "-", stdin: string(lines), want: ofLines, lines: 3},
		{name: "lines with a torn first", path: "-", stdin: `{"type":"mess` + "\n" + string(lines), want: ofLines, lines: 4, malformed: 1},
		{name: "lines with a first of one brace", path: "-", stdin: "{\n" + string(lines), want: ofLines, lines: 4, malformed: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			kinds, summary := printed(t, tc.stdin, "--provider", "gemini", tc.path)
			assert.Equal(t, tc.want, append([]string(nil), kinds...))
			assert.Equal(t, tc.lines, summary["lines"])
			assert.Equal(t, tc.malformed, summary["malformed"])
		})
	}
}

// TestRenderDocument checks that a document is rendered by its content, and copied unchanged in mode json.
func TestRenderDocument(t *testing.T) {
	const path = "../../testdata/gemini/case-rewritten-3.session.json"
	document, err := os.ReadFile(path)
	require.NoError(t, err)
	for mode, want := range map[string]string{"default": "Going.\nGone.\n", "json": string(document)} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, cli.ExitOK, run([]string{"render", "--mode", mode, path}, nil, &stdout, &stderr), stderr.String())
		assert.Equal(t, want, stdout.String(), mode)
	}
}
