package tail_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tailspan/tailspan/internal/files/openfile"
	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// scarce is a system with a fixed number of descriptors.
type scarce struct {
	limit      int64
	open, most atomic.Int64
	refused    atomic.Int64
}

func (s *scarce) opener(path string) (openfile.Handle, error) {
	if s.open.Add(1) > s.limit {
		s.open.Add(-1)
		s.refused.Add(1)
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.EMFILE}
	}
	h, err := openfile.Open(path)
	if err != nil {
		s.open.Add(-1)
		return nil, err
	}
	s.most.Store(max(s.most.Load(), s.open.Load()))
	return scarceFile{h, s}, nil
}

type scarceFile struct {
	openfile.Handle
	of *scarce
}

func (f scarceFile) Close() error {
	f.of.open.Add(-1)
	return f.Handle.Close()
}

// TestFewDescriptors: with more files than descriptors all are read, and again when they grow, whether the limit is known or
// shows only when the system refuses.
func TestFewDescriptors(t *testing.T) {
	const files = 300
	for _, tt := range []struct {
		name    string
		known   uint64 // what the sources may hold
		system  int64  // what the system has
		refuses bool
	}{
		{"a quarter is kept to", 12, 64, false},
		{"the system refuses", 1 << 20, 12, true},
		{"fewer than workers", 4, 6, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				core, logs := observer.New(zap.WarnLevel)
				descriptors := openfile.NewDescriptorsOf(tt.known)
				f, err := tail.New(w.settings(pollOnly, func(s *tail.Settings) {
					s.MaxConcurrentFiles, s.Descriptors, s.Logger = 8, descriptors, zap.New(core)
				}), w.Sink)
				require.NoError(w, err)
				system := &scarce{limit: tt.system}
				f.SetOpen(system.opener)
				for i := range files {
					w.Add(fmt.Sprintf("%03d.jsonl", i), filestest.Record(i)+"\n")
				}
				require.NoError(w, f.Start(w.Context()))
				w.files = f
				w.Pass(time.Minute)
				require.Len(w, w.Sink.All(), files)
				for i := range files {
					w.Add(fmt.Sprintf("%03d.jsonl", i), filestest.Record(files+i)+"\n")
				}
				w.Pass(time.Minute)
				require.Len(w, w.Sink.All(), 2*files)
				if tt.refuses {
					assert.Positive(w, system.refused.Load())
					require.Equal(w, 1, logs.Len(), "logged once")
					assert.Equal(w, "no file descriptor left, closing idle files, will retry", logs.All()[0].Message)
				} else {
					assert.Zero(w, system.refused.Load())
					assert.LessOrEqual(w, system.most.Load(), int64(tt.known)+min(8, int64(tt.known)/2), "those that are opened while idle ones are closed")
					assert.Zero(w, logs.Len())
				}
				w.end()
				assert.Zero(w, system.open.Load())
				assert.Zero(w, descriptors.Held())
			})
		})
	}
}
