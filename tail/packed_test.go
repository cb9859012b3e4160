package tail_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// blocking is a handler whose consumers of compressed files wait until they are released.
type blocking struct {
	*filestest.Sink
	release chan struct{}
}

type blockingConsumer struct {
	tail.Consumer
	release chan struct{}
}

func (b *blocking) Open(ctx context.Context, in tail.Stream) (tail.Consumer, error) {
	c, err := b.Sink.Open(ctx, in)
	if in.Compressed {
		c = &blockingConsumer{c, b.release}
	}
	return c, err
}

func (c *blockingConsumer) Lines(ctx context.Context, lines []tail.Line) error {
	select {
	case <-c.release:
	case <-ctx.Done():
		return ctx.Err()
	}
	return c.Consumer.Lines(ctx, lines)
}

// TestPackedShare: compressed files, which are read whole in one turn, leave workers for others.
func TestPackedShare(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		w.Put(name+".jsonl.gz", filestest.Compressed(t, name+" packed\n"))
	}
	w.Put("plain.jsonl", "plain\n")
	h := &blocking{w.Sink, make(chan struct{})}
	files, err := tail.New(w.settings(gzipped(w), func(s *tail.Settings) {
		s.MaxConcurrentFiles, s.Include = 4, []string{w.Path("*")}
	}), h)
	require.NoError(t, err)
	require.NoError(t, files.Start(t.Context()))
	w.Sink.Until(t, "the plain line", func() bool { return len(w.Sink.All()) == 1 })
	close(h.release)
	w.Sink.Until(t, "all lines", func() bool { return len(w.Sink.All()) == 7 })
	require.NoError(t, files.Shutdown(context.Background()))
}
