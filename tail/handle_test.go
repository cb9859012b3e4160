package tail_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/tail"
)

func compressed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return out.String()
}

func gzipped(w *world) func(*tail.Settings) {
	return func(s *tail.Settings) { s.Include = []string{w.path("**/*.jsonl"), w.path("**/*.gz")} }
}

func TestFilesCompressed(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		lines, text := records(0, 5000)
		w.put("a.jsonl.gz", compressed(w.T, text+"the last has no newline"))
		w.begin(poll, gzipped(w))
		w.untilClosed(1)
		s := oneStream(w)
		assert.Equal(w, append(lines, "the last has no newline"), s.text)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonEnd}, s.closed)
		assert.True(w, s.Compressed)
		assert.Equal(w, 1, s.idle)
		assert.EqualValues(w, len(text), s.lines[len(lines)].Offset)
	})
}

func TestFilesCompressedAndRefused(t *testing.T) {
	bubble(t, func(w *world) {
		calls := 0
		w.sink.accept = func(tail.Stream, []tail.Line) error {
			if calls++; calls%2 == 0 {
				return errRefused
			}
			return nil
		}
		lines, text := records(0, 5000)
		w.put("a.jsonl.gz", compressed(w.T, text))
		w.begin(pollOnly, gzipped(w))
		w.pass(10 * time.Minute)
		assert.Equal(w, lines, w.sink.all())
	})
}

// A file that is seen while it is still being compressed.
func TestFilesCompressedInPieces(t *testing.T) {
	bubble(t, func(w *world) {
		lines, text := records(0, 5000)
		data := compressed(w.T, text)
		core, logs := observer.New(zap.WarnLevel)
		failures := 0
		w.begin(pollOnly, gzipped(w), func(s *tail.Settings) {
			s.Logger = zap.New(core)
			s.Observer.Failed = func(string, error, time.Duration) { failures++ }
		})
		for _, cut := range []int{5, len(data) / 2, len(data)} {
			w.put("a.jsonl.gz", data[:cut])
			w.pass(5 * time.Second)
		}
		assert.Equal(w, lines, w.sink.all())
		assert.Empty(w, logs.All(), "it was being written")
		assert.Zero(w, failures)
		w.put("b.jsonl.gz", data[:len(data)/2])
		w.pass(30 * time.Second / 2)
		assert.Empty(w, logs.All())
		w.pass(time.Hour)
		require.Len(w, logs.All(), 1, "nobody writes it")
		assert.Equal(w, w.path("b.jsonl.gz"), logs.All()[0].ContextMap()["path"])
		assert.Equal(w, 1, failures)
		w.put("b.jsonl.gz", compressed(w.T, "the whole\n"))
		w.pass(5 * time.Second)
		assert.Contains(w, w.sink.all(), "the whole")
	})
}

// A finished log is compressed beside the original, which is removed then: the content is not read again.
func TestRotateCompress(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, gzipped(w))
		lines, text := records(0, 50)
		w.add("a.jsonl", text)
		w.sink.wantLines(w.T, lines...)
		w.put("a.jsonl.gz", compressed(w.T, text+record(50)+"\n"))
		w.remove("a.jsonl")
		w.sink.wantLines(w.T, append(lines, record(50))...)
		w.untilClosed(1)
		oneStream(w)
	})
}

func TestFilesCompressedStartAtEnd(t *testing.T) {
	bubble(t, func(w *world) {
		w.put("old.jsonl.gz", compressed(w.T, "old\n"))
		w.begin(pollOnly, gzipped(w), startAtEnd)
		w.pass(5 * time.Second)
		w.put("new.jsonl.gz", compressed(w.T, "new\n"))
		w.pass(5 * time.Second)
		assert.Equal(w, []string{"new"}, w.sink.all())
	})
}

func TestFilesCompressedLineOverTheLimit(t *testing.T) {
	bubble(t, func(w *world) {
		w.put("a.jsonl.gz", compressed(w.T, "one\n"+strings.Repeat("l", 10_001)+"\ntwo\n"+strings.Repeat("l", 10_001)))
		skipped := 0
		w.begin(pollOnly, gzipped(w), func(s *tail.Settings) {
			s.MaxLineSize, s.BatchBytes = 10_000, 1000
			s.Observer.Skipped = func(string, tail.SkipReason, int64) { skipped++ }
		})
		w.pass(5 * time.Second)
		assert.Equal(w, []string{"one", "two"}, w.sink.all())
		assert.Equal(w, 2, skipped)
	})
}

// Zstandard is read as gzip is, also a file that is seen while it is still being compressed.
func TestFilesZstandard(t *testing.T) {
	bubble(t, func(w *world) {
		lines, text := records(0, 5000)
		z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		require.NoError(w, err)
		data := string(z.EncodeAll([]byte(text+"the last has no newline"), nil))
		require.NoError(w, z.Close())
		w.begin(pollOnly, func(s *tail.Settings) { s.Include = []string{w.path("**/*.zst")} })
		for _, cut := range []int{0, 3, len(data) / 2, len(data)} {
			w.put("a.jsonl.zst", data[:cut])
			w.pass(5 * time.Second)
		}
		s := oneStream(w)
		assert.Equal(w, append(lines, "the last has no newline"), s.text)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonEnd}, s.closed)
		assert.True(w, s.Compressed)
	})
}
