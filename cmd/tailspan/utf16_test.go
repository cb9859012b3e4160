package main

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
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
