package agentstreamreceiver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/config"
)

// The framings of package container, for one line each; a part of 200 bytes is a line of the runtime.
var framings = map[string]func(line []byte, at time.Time) [][]byte{
	"cri": func(line []byte, at time.Time) (framed [][]byte) {
		parts := slices.Collect(slices.Chunk(bytes.TrimSpace(line), 200))
		for i, part := range parts {
			tag := "P"
			if i == len(parts)-1 {
				tag = "F"
			}
			framed = append(framed, fmt.Appendf(nil, "%s stdout %s %s\n", at.Format(time.RFC3339Nano), tag, part))
		}
		return framed
	},
	"docker": func(line []byte, at time.Time) (framed [][]byte) {
		for part := range slices.Chunk(append(bytes.TrimSpace(line), '\n'), 200) {
			quoted, _ := json.Marshal(string(part))
			framed = append(framed, fmt.Appendf(nil, `{"log":%s,"stream":"stdout","time":%q}`+"\n", quoted, at.Format(time.RFC3339Nano)))
		}
		return framed
	},
	"github": func(line []byte, at time.Time) [][]byte {
		return [][]byte{fmt.Appendf(nil, "%s %s", at.Format("2006-01-02T15:04:05.0000000Z"), line)}
	},
}

// TestContainerLogs checks that a stream yields the same spans and texts whatever wrote it to the disk, with the times of that
// writer.
func TestContainerLogs(t *testing.T) {
	lines := session(t, "claude", "parity.jsonl")
	plain := filepath.Join(t.TempDir(), "a.jsonl")
	appendLines(t, plain, lines...)
	r := start(t, configFor(plain), nil)
	require.Eventually(t, func() bool { return spansOf(r, "invoke_agent claude-code") == 1 }, wait, tick)
	r.stop()
	begin := time.Date(2026, 11, 28, 10, 0, 0, 1, time.UTC)
	for name, frame := range framings {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "0.log")
			appendLines(t, path, []byte("2026-11-28T09:59:59.0000000Z ##[group]Run claude\n"))
			for i, line := range lines {
				appendLines(t, path, frame(line, begin.Add(time.Duration(i)*time.Minute))...)
			}
			framed := start(t, configFor(path), nil)
			require.Eventually(t, func() bool { return spansOf(framed, "invoke_agent claude-code") == 1 }, wait, tick)
			framed.stop()
			assert.ElementsMatch(t, r.spanNames(), framed.spanNames())
			assert.Equal(t, r.texts(), framed.texts())
			for _, span := range framed.spans() {
				if span.Name() == "invoke_agent claude-code" {
					assert.GreaterOrEqual(t, span.EndTimestamp().AsTime(), begin.Add(time.Minute), "the runtime's time")
				}
			}
			none := configFor(path)
			none.Stream.Container = config.ContainerNone
			none.Stream.ForceFlushPeriod = tick
			raw := start(t, none, nil)
			require.Eventually(t, func() bool { return len(raw.records()) > 0 }, wait, tick)
			raw.stop()
			assert.Empty(t, raw.spans(), "container: none takes lines as they are")
		})
	}
}

// TestPartsOverARestart stops the receiver between the parts of lines: each line is processed whole, and once.
func TestPartsOverARestart(t *testing.T) {
	for _, name := range []string{"cri", "docker"} {
		t.Run(name, func(t *testing.T) {
			var framed [][]byte
			for _, line := range session(t, "claude", "parity.jsonl") {
				framed = append(framed, framings[name](line, time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC))...)
			}
			path := filepath.Join(t.TempDir(), "0.log")
			appendLines(t, path, framed...)
			m := newMachine()
			whole := startOn(t, m, stored(path), nil)
			whole.read(m, path)
			whole.stop()
			want := withoutLive(whole.list())
			require.NotEmpty(t, want)
			for cut := 3; cut < len(framed); cut += 1 + len(framed)/9 {
				require.NoError(t, os.Remove(path))
				appendLines(t, path, framed[:cut]...)
				m := newMachine()
				first := startOn(t, m, stored(path), nil)
				first.read(m, path)
				first.stop()
				appendLines(t, path, framed[cut:]...)
				second := startOn(t, m, stored(path), nil)
				second.read(m, path)
				second.stop()
				assert.ElementsMatch(t, want, withoutLive(append(first.list(), second.list()...)), "cut after %d of %d parts", cut, len(framed))
			}
		})
	}
}
