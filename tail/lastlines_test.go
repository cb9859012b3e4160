package tail_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/internal/transcripttest/filestest"
	"github.com/tailspan/tailspan/tail"
)

// finishing is a handler whose consumers are [tail.Finisher]s. It records their calls. The sink's lock guards its fields.
type finishing struct {
	*filestest.Sink
	later bool // LastLines leaves the end to Idle
	calls []string
}

type finisher struct {
	*filestest.Opened
	of *finishing
}

func (h *finishing) Open(ctx context.Context, s tail.Stream) (tail.Consumer, error) {
	c, err := h.Sink.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return &finisher{c.(*filestest.Opened), h}, nil
}

func (f *finisher) note(call string, lines []tail.Line, err error) error {
	f.Sink.Mu.Lock()
	defer f.Sink.Mu.Unlock()
	for _, l := range lines {
		call += fmt.Sprintf(" %s", l.Data)
	}
	if err != nil {
		call += " refused"
	}
	f.of.calls = append(f.of.calls, call)
	return err
}

func (f *finisher) Lines(ctx context.Context, lines []tail.Line) error {
	return f.note("lines", lines, f.Opened.Lines(ctx, lines))
}

func (f *finisher) LastLines(ctx context.Context, lines []tail.Line) (ended bool, err error) {
	err = f.note("last", lines, f.Opened.Lines(ctx, lines))
	f.Sink.Mu.Lock()
	defer f.Sink.Mu.Unlock()
	return !f.of.later, err
}

func (f *finisher) Idle(ctx context.Context) error { return f.note("idle", nil, f.Opened.Idle(ctx)) }

func (h *finishing) since(n int) []string {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	return slices.Clone(h.calls[n:])
}

// TestLastLines: a [tail.Finisher] receives the last lines of a file and its end in one call, which is repeated if it is refused.
// Idle is called if a part of a line follows them, or if the consumer asks for it.
func TestLastLines(t *testing.T) {
	bubble(t, func(w *world) {
		h := &finishing{Sink: w.Sink}
		s := w.settings(pollOnly, func(s *tail.Settings) { s.BatchLines, s.IdleFlush = 2, -1 })
		w.Add("a.jsonl", "1\n2\n3\n")
		w.beginWith(h, s)
		w.Pass(5 * time.Second)
		assert.Equal(w, []string{"lines 1 2", "last 3"}, h.since(0))

		w.Add("a.jsonl", "4\n5")
		w.Pass(5 * time.Second)
		assert.Equal(w, []string{"lines 4", "idle"}, h.since(2))

		w.Sink.Mu.Lock()
		w.Sink.Refuse = 1
		w.Sink.Mu.Unlock()
		w.Add("a.jsonl", "\n")
		w.Pass(5 * time.Second)
		assert.Equal(w, []string{"last 5 refused", "last 5"}, h.since(4))

		w.Sink.Mu.Lock()
		h.later = true
		w.Sink.Mu.Unlock()
		w.Add("a.jsonl", "6\n")
		w.Pass(5 * time.Second)
		assert.Equal(w, []string{"last 6", "idle"}, h.since(6))
		assert.Equal(w, []string{"1", "2", "3", "4", "5", "6"}, w.Sink.All())
	})
}
