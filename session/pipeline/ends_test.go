package pipeline_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// streamFixtures are the recorded streams on standard output.
func streamFixtures(t *testing.T) (paths []string) {
	t.Helper()
	for _, provider := range []string{"claude", "codex", "gemini", "openai", "opencode", "qwen"} {
		all, err := filepath.Glob(filepath.Join("..", "..", "testdata", provider, "*.jsonl"))
		require.NoError(t, err)
		for _, path := range all {
			if name := filepath.Base(path); strings.Count(name, ".jsonl") == 1 && !strings.Contains(name, ".session.") {
				paths = append(paths, path)
			}
		}
	}
	require.Greater(t, len(paths), 100)
	return paths
}

// endsOf reads a stream, line by line and with a quiet time after the last one if it is followed. It returns UID and body of the records of
// the ends of its sessions.
func endsOf(t *testing.T, data []byte, live bool) (ends []string) {
	t.Helper()
	s := newStream(t, func(set *pipeline.Settings) { set.Telemetry.FileTime = time.Unix(1796000000, 0) })
	offset := int64(0)
	for line := range bytes.Lines(data) {
		s.At = telemetry.Line{Offset: offset, Arrival: time.Unix(1796000000, 0), Live: live}
		offset += int64(len(line))
		s.Line(bytes.TrimRight(line, "\n"))
		if live {
			s.Tick()
			s.Idle()
		}
	}
	if live {
		s.Quiet()
	}
	s.Flush()
	s.Idle()
	s.Close(otlp.CloseReasonTimeout)
	for _, record := range take(s).of {
		if record.EventName() == "tailspan.session_end" {
			uid, _ := record.Attributes().Get(otlp.AttrLogRecordUID)
			ends = append(ends, uid.Str()+" "+record.Body().AsString())
		}
	}
	return ends
}

// TestEndOfASession: the end of a session has the same ID, whatever the line is that shows that nothing revokes it.
func TestEndOfASession(t *testing.T) {
	follows := map[string][]byte{}
	for _, path := range streamFixtures(t) {
		provider := filepath.Base(filepath.Dir(path))
		if follows[provider] == nil {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			follows[provider] = data
		}
	}
	for _, path := range streamFixtures(t) {
		provider := filepath.Base(filepath.Dir(path))
		t.Run(provider+"/"+filepath.Base(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			if filepath.Base(path) == "case-two-dialects.jsonl" {
				t.Skip("made by hand; its first run has no session until it is known that the second one has")
			}
			want := endsOf(t, data, false)
			assert.Subset(t, endsOf(t, data, true), want, "followed")
			if !bytes.Equal(data, follows[provider]) && bytes.HasSuffix(data, []byte("\n")) {
				assert.Subset(t, endsOf(t, append(bytes.Clone(data), follows[provider]...), false), want, "another session follows")
			}
		})
	}
}
