package tail_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// maxActive is how many consumers may be active.
const maxActive = 512

// TestSuspendMany: of more than maxActive active consumers, the excess is suspended at once, those read longest ago first; the
// others when their own time comes. A suspended consumer receives all lines again, as usual.
func TestSuspendMany(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		name := func(n int) string { return fmt.Sprintf("%04d.jsonl", n) }
		for n := range maxActive {
			w.Write(name(n), "one")
		}
		w.beginWith(h, s)
		w.Pass(2 * time.Second)
		require.Len(w, w.Sink.All(), maxActive)
		assert.Zero(w, h.asked.Load(), "a maxActive may be active")
		const quiet = maxActive / 2
		for n := range maxActive {
			if n != quiet {
				w.Write(name(n), "two")
			}
		}
		w.Pass(2 * time.Second)
		assert.Zero(w, h.asked.Load())
		w.Write(name(maxActive), "one")
		w.Pass(2 * time.Second)
		assert.EqualValues(w, 1, h.asked.Load())
		w.Write(name(quiet), "two")
		w.Pass(2 * time.Second)
		assert.EqualValues(w, 2, h.asked.Load(), "another one, for the one that is active again")
		_, replayed := w.Sink.NewLines()
		assert.Equal(w, 1, replayed, "the one that rested was the one to which nothing had come")
		for _, one := range w.Sink.Opened() {
			if one.Name == name(quiet) {
				assert.Equal(w, []string{"one", "one", "two"}, one.Text)
			}
		}
		w.Pass(3 * time.Minute)
		assert.GreaterOrEqual(w, h.asked.Load(), int32(maxActive+1), "then all rest")
	})
}

// TestSuspendRefusedByMany: with more than maxActive active, a consumer that refuses is asked again after a tenth of the time.
func TestSuspendRefusedByMany(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		const extra = 30
		for n := range maxActive + extra {
			w.Write(fmt.Sprintf("%04d.jsonl", n), "one")
		}
		h.never = true
		w.beginWith(h, s)
		w.Pass(time.Second)
		asked := h.asked.Load()
		assert.GreaterOrEqual(w, asked, int32(extra))
		assert.LessOrEqual(w, asked, int32(maxActive+extra), "each once at most")
		h.Mu.Lock()
		h.never = false
		h.Mu.Unlock()
		w.Pass(s.SuspendAfter / 2)
		h.Mu.Lock()
		defer h.Mu.Unlock()
		assert.LessOrEqual(w, h.active, maxActive)
	})
}

// TestSuspendAndUnterminatedLine: a last line without its newline is flushed in time even if many are active.
func TestSuspendAndUnterminatedLine(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		s.IdleFlush = 3 * time.Second
		const files = maxActive + 100
		for n := range files {
			w.Add(fmt.Sprintf("%04d.jsonl", n), "one\n"+filestest.Record(1))
			w.Dated(fmt.Sprintf("%04d.jsonl", n), 0)
		}
		w.beginWith(h, s)
		w.Pass(2 * time.Second)
		assert.Len(w, w.Sink.All(), files)
		w.Pass(2 * time.Second)
		fresh, _ := w.Sink.NewLines()
		assert.Len(w, fresh, 2*files)
		assert.GreaterOrEqual(w, h.asked.Load(), int32(files-maxActive))
	})
}

// TestSuspendWhileReading: of thousands of files that exist at start, no more than maxActive are held while they are read.
func TestSuspendWhileReading(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		for n := range 3 * maxActive {
			w.Write(fmt.Sprintf("%04d.jsonl", n), "one")
		}
		w.beginWith(h, s)
		w.Pass(time.Second)
		require.Len(w, w.Sink.All(), 3*maxActive)
		assert.EqualValues(w, 2*maxActive, h.asked.Load())
		assert.LessOrEqual(w, h.mostActive, maxActive+2*tail.DefaultMaxConcurrentFiles)
	})
}

// TestSuspendOfActiveFiles: if lines arrive in turns in more than maxActive files, each is suspended and replayed once, not for
// every line.
func TestSuspendOfActiveFiles(t *testing.T) {
	suspended(t, func(w *world, h *suspendHandler, s tail.Settings) {
		const files, rounds = maxActive + 128, 8
		round := func() {
			for n := range files {
				w.Write(fmt.Sprintf("%04d.jsonl", n), "line")
			}
			w.Pass(2 * time.Second)
		}
		round()
		w.beginWith(h, s)
		for range rounds {
			round()
		}
		require.Greater(w, rounds*(files-maxActive), files, "there are rounds enough for all to rest more than once")
		fresh, _ := w.Sink.NewLines()
		assert.Len(w, fresh, (1+rounds)*files)
		assert.LessOrEqual(w, h.asked.Load(), int32(files))
	})
}
