package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// TestSendOfHostileRequests: an invalid file that claims to be kept output ends the command with a message and does not
// reach the terminal unescaped.
func TestSendOfHostileRequests(t *testing.T) {
	plainEnvironment(t)
	deep := 4_000_000
	for name, tc := range map[string]struct{ line, want string }{
		"deep":    {`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":` + strings.Repeat(`{"arrayValue":{"values":[`, deep) + strings.Repeat(`]}}`, deep) + `}]}]}]}`, "deeper than"},
		"control": {"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"name\":\"\x1b[31m\x1b]0;title\x07\"}]}]}]}", "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kept.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(tc.line+"\n"), 0o600))
			var out, problems bytes.Buffer
			code := run([]string{"send", "--otlp", "http://127.0.0.1:1", "--timeout", "1s", path}, nil, &out, &problems)
			assert.Equal(t, cli.ExitFailure, code)
			assert.Contains(t, problems.String(), tc.want)
			assert.NotContains(t, problems.String(), "\x1b")
		})
	}
}
