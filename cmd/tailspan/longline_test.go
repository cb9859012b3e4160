package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inflate lengthens the longest text of a JSON line, wherever it is: one text is the bulk of a line.
func inflate(t *testing.T, line []byte, bulk string) (string, bool) {
	t.Helper()
	longest, from := 0, -1
	for i := 0; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		end := i + 1
		for ; end < len(line) && line[end] != '"'; end++ {
			if line[end] == '\\' {
				end++
			}
		}
		key := bytes.HasPrefix(bytes.TrimLeft(line[min(end+1, len(line)):], " "), []byte(":"))
		if !key && end-i > longest && bytes.IndexByte(line[i:min(end, len(line))], ' ') >= 0 { // IDs have no blanks
			longest, from = end-i, i
		}
		i = end
	}
	if from < 0 {
		return "", false
	}
	end := from + longest
	out := string(line[:end]) + bulk + string(line[end:])
	return out, json.Valid([]byte(strings.TrimPrefix(out, "data: ")))
}

// seen is what an overlong line must still show: its calls and results and their agents.
func seen(t *testing.T, stdout string) (all []string) {
	t.Helper()
	for line := range strings.Lines(stdout) {
		event := map[string]any{}
		require.NoError(t, json.Unmarshal([]byte(line), &event))
		if kind := event["kind"]; kind == "tool_use" || kind == "tool_result" || kind == "session_end" || kind == "usage" {
			text := fmt.Sprint(kind)
			for _, key := range []string{"id", "name", "session_id", "parent_id", "message_id", "item_id", "error", "denied", "usage"} {
				if value, ok := event[key]; ok {
					text += fmt.Sprintf(" %s=%v", key, value)
				}
			}
			all = append(all, text)
		}
	}
	return all
}

// TestLinesOverTheLimit makes each line of recorded sessions too long by its longest text, one after the other. Calls,
// results and ends must not change, for the field order of each format.
func TestLinesOverTheLimit(t *testing.T) {
	const limit = 1 << 17
	bulk := strings.Repeat("A", limit)
	for _, file := range []string{
		"claude/parity.jsonl", "claude/parallel.jsonl", "codex/parity.jsonl", "gemini/parity.jsonl", "opencode/parity.jsonl",
		"openai/parity.bodies.jsonl", "qwen/parity.stream.jsonl",
	} {
		t.Run(file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("..", "..", "testdata", file))
			require.NoError(t, err)
			lines := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
			provider := strings.Replace(filepath.Dir(file), "openai", "openai_compatible", 1)
			_, plain, _ := tailspan(string(data), "events", "--provider", provider, "-")
			want := seen(t, plain)
			require.NotEmpty(t, want)
			made := 0
			for i, line := range lines {
				if len(line) > limit {
					continue
				}
				long, ok := inflate(t, line, bulk)
				if !ok {
					continue
				}
				made++
				input := slices.Concat(lines[:i], [][]byte{[]byte(long)}, lines[i+1:])
				_, whole, _ := tailspan(string(bytes.Join(input, []byte("\n"))), "events", "--provider", provider, "-")
				_, cut, _ := tailspan(string(bytes.Join(input, []byte("\n"))), "events", "--provider", provider, "--max-line-size", "131072", "-")
				require.EqualValues(t, 1, lastLine(t, cut)["too_long"])
				assert.Equal(t, seen(t, whole), seen(t, cut), "line %d", i)
			}
			assert.Greater(t, made, len(lines)/3)
		})
	}
}

// TestTooLongIsReported: every command that reads a recording reports the number of lines that it did not read whole.
func TestTooLongIsReported(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(fixtures, "parity.jsonl"))
	require.NoError(t, err)
	const limit = 8 << 10
	lines := bytes.SplitAfter(bytes.TrimSpace(data), []byte("\n"))
	long, ok := inflate(t, lines[len(lines)-1], strings.Repeat("A", limit))
	require.True(t, ok)
	path := filepath.Join(t.TempDir(), "run.jsonl")
	require.NoError(t, os.WriteFile(path, append(bytes.Join(lines[:len(lines)-1], nil), long...), 0o600))
	for _, args := range [][]string{{"render"}, {"report"}, {"usage"}, {"send", "--otlp", newOTLPSink(t).URL}} {
		code, _, stderr := tailspan("", append(args, "--max-line-size", fmt.Sprint(limit), path)...)
		assert.Zero(t, code, args)
		assert.Contains(t, stderr, "1 line longer than 8192 bytes, read in part\n", args)
	}
}
