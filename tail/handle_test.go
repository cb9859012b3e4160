package tail_test

import (
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

func gzipped(w *world) func(*tail.Settings) {
	return func(s *tail.Settings) { s.Include = []string{w.Path("**/*.jsonl"), w.Path("**/*.gz")} }
}

func TestFilesCompressed(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		lines, text := filestest.Records(0, 5000)
		w.Put("a.jsonl.gz", filestest.Compressed(w.T, text+"the last has no newline"))
		w.begin(poll, gzipped(w))
		w.UntilClosed(1)
		s := oneStream(w)
		assert.Equal(w, append(lines, "the last has no newline"), s.Text)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonEnd}, s.Closed)
		assert.True(w, s.Compressed)
		assert.Equal(w, 1, s.Idles)
		assert.EqualValues(w, len(text), s.Received[len(lines)].Offset)
	})
}

func TestFilesCompressedAndRefused(t *testing.T) {
	bubble(t, func(w *world) {
		calls := 0
		w.Sink.Accept = func(tail.Stream, []tail.Line) error {
			if calls++; calls%2 == 0 {
				return filestest.ErrRefused
			}
			return nil
		}
		lines, text := filestest.Records(0, 5000)
		w.Put("a.jsonl.gz", filestest.Compressed(w.T, text))
		w.begin(pollOnly, gzipped(w))
		w.Pass(10 * time.Minute)
		assert.Equal(w, lines, w.Sink.All())
	})
}

// A file that is found while it is still being compressed.
func TestFilesCompressedInPieces(t *testing.T) {
	bubble(t, func(w *world) {
		lines, text := filestest.Records(0, 5000)
		data := filestest.Compressed(w.T, text)
		core, logs := observer.New(zap.WarnLevel)
		failures := 0
		w.begin(pollOnly, gzipped(w), func(s *tail.Settings) {
			s.Logger = zap.New(core)
			s.Observer.Failed = func(string, error, time.Duration) { failures++ }
		})
		for _, cut := range []int{5, len(data) / 2, len(data)} {
			w.Put("a.jsonl.gz", data[:cut])
			w.Pass(5 * time.Second)
		}
		assert.Equal(w, lines, w.Sink.All())
		assert.Empty(w, logs.All(), "it was being written")
		assert.Zero(w, failures)
		w.Put("b.jsonl.gz", data[:len(data)/2])
		w.Pass(30 * time.Second / 2)
		assert.Empty(w, logs.All())
		w.Pass(time.Hour)
		require.Len(w, logs.All(), 1, "nobody writes it")
		assert.Equal(w, w.Path("b.jsonl.gz"), logs.All()[0].ContextMap()["path"])
		assert.Equal(w, 1, failures)
		w.Put("b.jsonl.gz", filestest.Compressed(w.T, "the whole\n"))
		w.Pass(5 * time.Second)
		assert.Contains(w, w.Sink.All(), "the whole")
	})
}

// A finished log is compressed beside the original, which is then removed: the content is not read again.
func TestRotateCompress(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.begin(poll, gzipped(w))
		lines, text := filestest.Records(0, 50)
		w.Add("a.jsonl", text)
		w.Sink.WantLines(w.T, lines...)
		w.Put("a.jsonl.gz", filestest.Compressed(w.T, text+filestest.Record(50)+"\n"))
		w.Remove("a.jsonl")
		w.Sink.WantLines(w.T, append(lines, filestest.Record(50))...)
		w.UntilClosed(1)
		oneStream(w)
	})
}

func TestFilesCompressedStartAtEnd(t *testing.T) {
	bubble(t, func(w *world) {
		w.Put("old.jsonl.gz", filestest.Compressed(w.T, "old\n"))
		w.begin(pollOnly, gzipped(w), startAtEnd)
		w.Pass(5 * time.Second)
		w.Put("new.jsonl.gz", filestest.Compressed(w.T, "new\n"))
		w.Pass(5 * time.Second)
		assert.Equal(w, []string{"new"}, w.Sink.All())
	})
}

func TestFilesCompressedLineOverTheLimit(t *testing.T) {
	bubble(t, func(w *world) {
		w.Put("a.jsonl.gz", filestest.Compressed(w.T, "one\n"+strings.Repeat("l", 10_001)+"\ntwo\n"+strings.Repeat("l", 10_001)))
		skipped := 0
		w.begin(pollOnly, gzipped(w), func(s *tail.Settings) {
			s.MaxLineSize, s.BatchBytes = 10_000, 1000
			s.Observer.Skipped = func(string, tail.SkipReason, int64) { skipped++ }
		})
		w.Pass(5 * time.Second)
		assert.Equal(w, []string{"one", "two"}, w.Sink.All())
		assert.Equal(w, 2, skipped)
	})
}

// Zstandard is read like gzip, including a file found while it is still being compressed.
func TestFilesZstandard(t *testing.T) {
	bubble(t, func(w *world) {
		lines, text := filestest.Records(0, 5000)
		z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		require.NoError(w, err)
		data := string(z.EncodeAll([]byte(text+"the last has no newline"), nil))
		require.NoError(w, z.Close())
		w.begin(pollOnly, func(s *tail.Settings) { s.Include = []string{w.Path("**/*.zst")} })
		for _, cut := range []int{0, 3, len(data) / 2, len(data)} {
			w.Put("a.jsonl.zst", data[:cut])
			w.Pass(5 * time.Second)
		}
		s := oneStream(w)
		assert.Equal(w, append(lines, "the last has no newline"), s.Text)
		assert.Equal(w, []tail.CloseReason{tail.CloseReasonEnd}, s.Closed)
		assert.True(w, s.Compressed)
	})
}
