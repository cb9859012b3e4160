package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
)

// inUTF16 returns a text as > of Windows PowerShell 5.1 writes it.
func inUTF16(order binary.AppendByteOrder, text string) string {
	data := order.AppendUint16(nil, 0xfeff)
	for _, c := range utf16.Encode([]rune(strings.ReplaceAll(text, "\n", "\r\n"))) {
		data = order.AppendUint16(data, c)
	}
	return string(data)
}

// TestUTF16 checks that each command that reads an input names its encoding and the way out, and shows nothing of it.
func TestUTF16(t *testing.T) {
	plainEnvironment(t)
	for _, name := range []string{"run.jsonl", "run.json"} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			content := inUTF16(order, claudeLines("s1", "One."))
			path := writeFile(t, filepath.Join(t.TempDir(), name), content)
			for _, args := range [][]string{
				{"render", path}, {"render", "--provider", "claude", path}, {"events", path}, {"usage", path}, {"report", path}, {"doctor", path},
				{"send", "--otlp", "http://127.0.0.1:1", path}, {"render", "-"}, {"events", "-"}, {"run", "--", "cat", path},
			} {
				t.Run(name+" "+order.String()+" "+strings.Join(args[:len(args)-1], " "), func(t *testing.T) {
					code, out, stderr := tailspan(content, args...)
					assert.Equal(t, 1, code)
					assert.Equal(t, 1, strings.Count(out+stderr, "is UTF-16"), "%s\n%s", out, stderr)
					assert.Contains(t, out+stderr, "UTF-8")
					assert.NotContains(t, out+stderr, "One")
					assert.NotContains(t, out+stderr, "O\x00n")
				})
			}
		}
	}
}

// TestFollowUTF16 checks the same for files that are followed.
func TestFollowUTF16(t *testing.T) {
	plainEnvironment(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "run.jsonl"), inUTF16(binary.LittleEndian, claudeLines("s1", "One.")))
	writeFile(t, filepath.Join(dir, "run.json"), inUTF16(binary.LittleEndian, claudeLines("s2", "Two.")))
	writeFile(t, filepath.Join(dir, "other.jsonl"), claudeLines("s3", "Three."))
	var stdout, stderr output
	code := make(chan int, 1)
	go func() {
		code <- run([]string{"render", "--follow", filepath.Join(dir, "*.json*")}, nil, &stdout, &stderr)
	}()
	stdout.has(t, "Three.")
	require.Eventually(t, func() bool { return strings.Count(stderr.String(), "is UTF-16") == 2 }, patience, patience/1e4, "one message for each file")
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	assert.Equal(t, cli.ExitOK, <-code)
	assert.NotContains(t, stdout.String(), "One")
	assert.NotContains(t, stdout.String(), "O\x00n")
	assert.Equal(t, 2, strings.Count(stderr.String(), "\n"), stderr.String())
}
