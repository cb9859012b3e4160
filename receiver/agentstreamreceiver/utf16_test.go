//go:build unix

package agentstreamreceiver_test

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/storagetest"
)

// inUTF16 returns a text as > of Windows PowerShell 5.1 writes it.
func inUTF16(text string) string {
	data := binary.LittleEndian.AppendUint16(nil, 0xfeff)
	for _, c := range utf16.Encode([]rune(strings.ReplaceAll(text, "\n", "\r\n"))) {
		data = binary.LittleEndian.AppendUint16(data, c)
	}
	return string(data)
}

// TestUTF16 checks that files, a document and a pipe in UTF-16 are skipped and counted, with one warning that has the way out each,
// also after a restart in the middle.
func TestUTF16(t *testing.T) {
	lines := string(textLine("s", 1)) + string(textLine("s", 2))
	cfg, fifo := piped(t)
	dir := t.TempDir()
	cfg.Stream.Include = []string{filepath.Join(dir, "*.json*")}
	cfg.Storage = &storagetest.ID
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(inUTF16(lines)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.json"), []byte(inUTF16(lines)), 0o600))
	m := newMachine()
	r := startOn(t, m, cfg, nil)
	w := openWriter(t, fifo)
	_, err := io.WriteString(w, inUTF16(lines))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	skipped := func(r *rig) int64 {
		return r.metric("otelcol_receiver_agent_stream_lines_not_parsed", "reason", "utf16")
	}
	require.Eventually(t, func() bool { return skipped(r) >= 2+1+2 && len(spools(t, cfg)) == 0 }, wait, tick)
	r.stop()
	warned := r.logged.FilterMessage("skipping input in UTF-16, as > of Windows PowerShell writes it").All()
	require.Len(t, warned, 3)
	assert.Contains(t, warned[0].ContextMap()["advice"], "cmd /c")
	assert.Len(t, warnings(r.logged), 3)
	assert.Empty(t, r.records())
	assert.Empty(t, r.spans())

	appendLines(t, filepath.Join(dir, "a.jsonl"), []byte(strings.TrimPrefix(inUTF16(string(textLine("s", 3))), "\xff\xfe")))
	r = startOn(t, m, cfg, nil)
	require.Eventually(t, func() bool { return skipped(r) == 1 }, wait, tick)
	r.stop()
	assert.Empty(t, r.records())
}
