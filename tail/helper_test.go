package tail_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a folder with a Tailer that follows it.
type world struct {
	*filestest.Folder
	files *tail.Tailer // since begin
}

// newWorld creates a folder that is followed in real time.
func newWorld(t *testing.T) *world { return &world{Folder: filestest.NewFolder(t)} }

func worldIn(t *testing.T, dir string) *world {
	return &world{Folder: &filestest.Folder{T: t, Dir: dir, Sink: filestest.NewSink()}}
}

func (w *world) settings(change ...func(*tail.Settings)) tail.Settings {
	s := tail.Settings{Include: []string{w.Path("**/*.jsonl")}}
	for _, c := range change {
		c(&s)
	}
	return s
}

// begin follows the folder until the test ends.
func (w *world) begin(change ...func(*tail.Settings)) {
	w.Helper()
	w.beginWith(w.Sink, w.settings(change...))
}

func (w *world) beginWith(h tail.Handler, s tail.Settings) {
	w.Helper()
	w.start(h, s)
	w.Cleanup(w.end)
}

func (w *world) start(h tail.Handler, s tail.Settings) {
	w.Helper()
	files, err := tail.New(s, h)
	require.NoError(w, err)
	require.NoError(w, files.Start(w.Context()))
	w.files = files
}

func (w *world) end() {
	assert.NoError(w, w.files.Shutdown(context.WithoutCancel(w.Context())))
}

// run follows the folder with a new source and sink until all is quiet, and stops.
func (w *world) run(change ...func(*tail.Settings)) *filestest.Sink {
	w.Helper()
	w.Sink = filestest.NewSink()
	w.start(w.Sink, w.settings(change...))
	w.Pass(30 * time.Second)
	w.end()
	return w.Sink
}

// streams stops the source, which closes everything open, and returns the streams as they were then.
func (w *world) streams() []filestest.Opened {
	w.Helper()
	w.end()
	return w.Sink.Opened()
}

// bothWays runs a test with watched folders, in real time, and with polling only, in a bubble.
func bothWays(t *testing.T, test func(w *world, poll func(*tail.Settings))) {
	t.Run("watch", func(t *testing.T) {
		t.Parallel()
		// The safety net is so slow that only events can make the test pass in time.
		test(newWorld(t), func(s *tail.Settings) { s.PollInterval = time.Hour })
	})
	t.Run("poll", func(t *testing.T) {
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			test(worldIn(t, dir), func(s *tail.Settings) { s.PollOnly = true })
		})
	})
}
