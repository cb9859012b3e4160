package opencode_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/parser/internal/parsertest"
	"github.com/tailspan/tailspan/parser/opencode"
)

// fixture returns the lines of a fixture, or the whole fixture as one.
func fixture(t testing.TB, name string, document bool) [][]byte {
	t.Helper()
	if !document {
		return parsertest.Lines(t, "../../testdata/opencode/"+name)
	}
	data, err := os.ReadFile("../../testdata/opencode/" + name)
	require.NoError(t, err)
	return [][]byte{data}
}

// TestDetect checks that each of our lines is detected, except for those without evidence, and none of other providers.
func TestDetect(t *testing.T) {
	all, err := filepath.Glob("../../testdata/*/*.jsonl")
	require.NoError(t, err)
	for _, file := range all {
		ours := filepath.Base(filepath.Dir(file)) == opencode.Name
		for i, line := range parsertest.Lines(t, file) {
			got := opencode.Detect([][]byte{line})
			if !ours {
				require.False(t, got, "%s line %d", file, i+1)
			} else if i == 0 && !strings.Contains(file, "noisy") {
				require.True(t, got, "%s line %d", file, i+1)
			}
		}
	}
	assert.True(t, opencode.Detect(fixture(t, "parity.export.json", true)))
	noisy := fixture(t, "case-glued-and-noisy.jsonl", false)
	assert.False(t, opencode.Detect(noisy[:1]))
	assert.True(t, opencode.Detect(noisy[:2]))
}

func TestDetectRefuses(t *testing.T) {
	for _, line := range []string{
		``, `{}`, `null`, `[]`, `[{"type":"text"}]`, `{"type":"text","text":"hi"}`, `{"type":"error","error":{"message":"x"}}`,
		`{"type":"error","message":"Reconnecting"}`, `{"type":"text","timestamp":1,"sessionID":"abc","part":{"type":"text"}}`,
		`{"type":"message","sessionID":"ses_1","timestamp":1}`, `{"table":"part","id":"1"}`, `{"table":"users","id":"ses_1"}`,
		`{"info":{"id":"x"},"messages":[]}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"messages":[],"sessionId":"ses_1"}`,
		`{"type":"step_start","timestamp":1,"sessionID":"ses_1","part":{"type":"step-start"`,
	} {
		assert.False(t, opencode.Detect([][]byte{[]byte(line)}), line)
	}
	assert.False(t, opencode.Detect(bytes.Split([]byte("a\nb"), []byte("\n"))))
}
