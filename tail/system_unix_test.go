//go:build unix

package tail_test

import (
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/tail"
)

// A pipe that matches must neither be opened, which would block, nor keep other files from being read.
func TestFilesLeavesPipesAlone(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		require.NoError(w, syscall.Mkfifo(w.Path("before.jsonl"), 0o600))
		w.Add("a.jsonl", "one\n")
		w.begin(poll)
		require.NoError(w, syscall.Mkfifo(w.Path("later.jsonl"), 0o600))
		w.Add("a.jsonl", "two\n")
		w.Sink.WantLines(w.T, "one", "two")
		w.Remove("later.jsonl")
		w.Add("later.jsonl", "a file now\n")
		w.Sink.WantLines(w.T, "one", "two", "a file now")
	})
}

// A pipe that takes the place of a file must not be opened either, because that would release the program that waits to write to it.
func TestFilesLeavesAReplacingPipeAlone(t *testing.T) {
	bothWays(t, func(w *world, poll func(*tail.Settings)) {
		w.Add("a.jsonl", "one\n")
		w.Add("empty.jsonl", "")
		files, err := tail.New(w.settings(poll), w.Sink)
		require.NoError(w, err)
		var pipes atomic.Int32
		files.SetOpen(func(path string) (openfile.Handle, error) {
			if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
				pipes.Add(1)
			}
			return openfile.Open(path)
		})
		require.NoError(w, files.Start(w.Context()))
		w.files = files
		defer w.end()
		want := []string{"one"}
		for _, name := range []string{"a.jsonl", "empty.jsonl"} {
			w.Sink.WantLines(w.T, want...)
			w.Remove(name)
			require.NoError(w, syscall.Mkfifo(w.Path(name), 0o600))
			for range 3 { // scans later than the pipe
				w.Add("b.jsonl", "more\n")
				want = append(want, "more")
				w.Sink.WantLines(w.T, want...)
			}
		}
		assert.Zero(w, pipes.Load(), "the pipe was opened")
	})
}

// A file that becomes a pipe or a link after it was found and before its turn is not taken for what it was.
func TestFilesChangedBeforeTheirTurn(t *testing.T) {
	for name, change := range map[string]func(w *world, path string){
		"pipe": func(w *world, path string) {
			assert.NoError(w, os.Remove(path))
			assert.NoError(w, syscall.Mkfifo(path, 0o600))
		},
		"link": func(w *world, path string) {
			assert.NoError(w, os.Rename(path, w.Path("own.jsonl")))
			assert.NoError(w, os.Symlink(w.Path("own.jsonl"), path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				names := []string{"a.jsonl", "b.jsonl"}
				for _, name := range names {
					w.Add(name, "one\n")
				}
				files, err := tail.New(w.settings(pollOnly, func(s *tail.Settings) { s.MaxConcurrentFiles = 1 }), w.Sink)
				require.NoError(w, err)
				var changed string
				files.SetOpen(func(path string) (openfile.Handle, error) {
					if changed == "" {
						changed = w.Path(names[0])
						if path == changed {
							changed = w.Path(names[1])
						}
						change(w, changed)
					}
					info, err := os.Lstat(path)
					assert.True(w, err != nil || info.Mode().IsRegular(), "%s was opened: %v", path, info)
					return openfile.Open(path)
				})
				require.NoError(w, files.Start(w.Context()))
				w.files = files
				defer w.end()
				w.Pass(time.Minute)
				for _, s := range w.streams() {
					assert.NotEqual(w, changed, s.Path, "it is read under its own name, or not at all")
				}
			})
		})
	}
}

func TestFilesLeavesSocketsAlone(t *testing.T) {
	t.Chdir(t.TempDir()) // a socket's path must be short
	socket, err := net.Listen("unix", "s.jsonl")
	require.NoError(t, err)
	defer socket.Close()
	w := newWorld(t)
	w.begin(func(s *tail.Settings) { s.Include = []string{"*.jsonl", w.Path("*.jsonl")} })
	w.Add("a.jsonl", "one\n")
	w.Sink.WantLines(t, "one")
	assert.Len(t, w.streams(), 1)
}

// With watched folders and many files, few are open at once.
func TestFilesUnderALimitOfOpenFiles(t *testing.T) {
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	low := limit
	low.Cur = min(limit.Cur, 128)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low))
	defer func() { assert.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)) }()
	manyFiles(t, func(s *tail.Settings) {
		s.PollInterval = time.Hour
		s.Observer.Failed = func(path string, err error, _ time.Duration) { t.Errorf("%s: %v", path, err) }
		s.Observer.Files = func(_, open int) { assert.LessOrEqual(t, open, int(low.Cur)/4) }
	})
}
