//go:build unix

package agentstreamreceiver_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/internal/storagetest"
	"github.com/tailspan/tailspan/otlp"
)

// watcher is a consumer that calls on for each record that it receives, before it answers.
type watcher struct {
	*consumertest.LogsSink
	on func(plog.LogRecord)
}

func (w *watcher) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	sink := &consumertest.LogsSink{}
	_ = sink.ConsumeLogs(ctx, ld) // never fails
	for _, record := range (&rig{logs: sink}).records() {
		w.on(record)
	}
	return w.LogsSink.ConsumeLogs(ctx, ld)
}

// textsByID returns the text of each record by its ID, and fails if an ID has two texts.
func (r *rig) textsByID() map[string]string {
	r.t.Helper()
	texts := map[string]string{}
	for _, record := range r.records() {
		id, _ := record.Attributes().Get(otlp.AttrLogRecordUID)
		text := record.Body().AsString()
		if before, ok := texts[id.Str()]; ok {
			require.Equal(r.t, before, text, "of one ID")
		}
		texts[id.Str()] = text
	}
	return texts
}

// partOfAText is how many lines of gemini/parity-0.24.0.jsonl end in an unfinished text that begins with begunText, and restOfIt
// is in its rest.
const (
	partOfAText = 18
	begunText   = "All tests pass now."
	restOfIt    = "no other file was touched"
)

// TestKilledAsAPartIsSent kills the receiver at the moment when the consumer receives the first lines of an unfinished text. The
// next process exports the text in the same parts, with the same IDs. The input is a file, or a FIFO with a spool.
func TestKilledAsAPartIsSent(t *testing.T) {
	lines := session(t, "gemini", "parity-0.24.0.jsonl")
	for _, fifo := range []bool{false, true} {
		t.Run(map[bool]string{false: "file", true: "fifo"}[fifo], func(t *testing.T) {
			cfg, path := stored(filepath.Join(t.TempDir(), "s.jsonl")), ""
			if fifo {
				cfg, path = piped(t)
				cfg.Storage = &storagetest.ID
			} else {
				path = cfg.Stream.Include[0]
			}
			m := newMachine()
			var once sync.Once
			var killed map[string][]byte
			sent := make(chan struct{})
			consumer := &watcher{LogsSink: &consumertest.LogsSink{}, on: func(r plog.LogRecord) {
				if strings.HasPrefix(r.Body().AsString(), begunText) {
					once.Do(func() {
						killed = m.Values()
						close(sent)
					})
				}
			}}
			first := startOn(t, m, cfg, consumer)
			begun, rest := joined(lines[:partOfAText]), joined(lines[partOfAText:])
			if fifo {
				w := openWriter(t, path)
				say(t, w, begun)
				<-sent
				path = spools(t, cfg)[0]
				say(t, w, rest)
				require.NoError(t, w.Close())
				require.Eventually(t, func() bool { return len(spools(t, cfg)) == 0 }, wait, tick)
			} else {
				appendLines(t, path, begun)
				<-sent
				appendLines(t, path, rest)
				first.read(m, path)
			}
			first.stop()
			want := (&rig{t: t, logs: consumer.LogsSink}).textsByID()
			parts := 0
			for _, text := range want {
				if strings.HasPrefix(text, begunText) {
					parts++
					assert.NotContains(t, text, restOfIt)
				}
			}
			require.Equal(t, 1, parts, "the text begins once")

			require.NoError(t, os.WriteFile(path, bytes.Join(lines, nil), 0o600))
			m.Restore(killed)
			second := startOn(t, m, cfg, nil)
			if fifo {
				require.Eventually(t, func() bool { return len(spools(t, cfg)) == 0 }, wait, tick)
			} else {
				second.read(m, path)
			}
			second.stop()
			again := false
			for id, text := range second.textsByID() {
				require.Contains(t, want, id, text)
				assert.Equal(t, want[id], text)
				again = again || strings.HasPrefix(text, begunText)
				delete(want, id)
			}
			assert.True(t, again, "nobody knows whether the consumer received it")
			for _, text := range want { // acknowledged before the kill
				assert.NotContains(t, text, restOfIt)
			}
		})
	}
}

// TestPartOfAPipeAfterAFailedWrite: a position that was not stored withholds no text.
func TestPartOfAPipeAfterAFailedWrite(t *testing.T) {
	cfg, fifo := piped(t)
	cfg.Storage = &storagetest.ID
	m := newMachine()
	r := startOn(t, m, cfg, nil)
	m.Fail(errors.New("disk full"))
	w := openWriter(t, fifo)
	say(t, w, joined(session(t, "gemini", "parity-0.24.0.jsonl")[:partOfAText]))
	isBegun := func(text string) bool { return strings.HasPrefix(text, begunText) }
	require.Eventually(t, func() bool { return slices.ContainsFunc(r.texts(), isBegun) }, wait, tick)
	m.Fail(nil)
	require.NoError(t, w.Close())
	r.stop()
}
