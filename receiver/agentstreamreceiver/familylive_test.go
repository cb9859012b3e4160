package agentstreamreceiver_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/telemetry"
)

var lineTime = regexp.MustCompile(`"(?:timestamp|startTime)":"([^"]+)"`)

// nextTime returns when the next line of a file was written: the latest time in it, because Gemini writes a message again with
// the results of its calls; or the time of the last line if it has none.
func (r *reading) nextTime(t *testing.T, last time.Time) time.Time {
	t.Helper()
	latest := last
	for _, match := range lineTime.FindAllSubmatch(r.lines[0], -1) {
		at, err := time.Parse(time.RFC3339Nano, string(match[1]))
		require.NoError(t, err)
		if at.After(latest) {
			latest = at
		}
	}
	return latest
}

// readLive follows files while they are written: each line arrives at its time, after which there is nothing to read for a
// while.
func readLive(t *testing.T, paths []string) *exports {
	t.Helper()
	registry := telemetry.NewRegistry(goldenSettings())
	var all []*reading
	for _, path := range paths {
		r := newReading(t, registry, path)
		r.live = r.nextTime(t, time.Unix(1, 0))
		all = append(all, r)
	}
	var e exports
	for open := slices.Clone(all); len(open) > 0; {
		r := slices.MinFunc(open, func(a, b *reading) int { return a.live.Compare(b.live) })
		r.read(1)
		if r.stream != nil {
			r.stream.Idle()
		}
		for _, other := range all {
			if other.stream != nil {
				e.take(other.stream.Take())
			}
		}
		if r.done() {
			open = slices.DeleteFunc(open, func(other *reading) bool { return other == r })
			continue
		}
		r.live = r.nextTime(t, r.live)
	}
	for _, r := range all {
		r.stream.Close(otlp.CloseReasonShutdown)
		e.take(r.stream.Take())
	}
	e.take(registry.Close())
	return &e
}

// spans lists each span with its parent and how it ended.
func (e *exports) spans() []string {
	var list []string
	for _, td := range e.traces {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					outcome := ""
					if v, ok := s.Attributes().Get(otlp.AttrRunOutcome); ok {
						outcome = v.AsString()
					}
					list = append(list, fmt.Sprint(s.Name(), " ", s.TraceID(), s.SpanID(), s.ParentSpanID(), s.Status().Code(), outcome))
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// TestFamiliesLive: a session followed live yields the same spans, with the same parents and outcomes, as one read afterwards,
// even for a sub-agent that is called again while its parent continues.
func TestFamiliesLive(t *testing.T) {
	for name, paths := range families(t) {
		if name == "claude/fork" || slices.ContainsFunc(paths, func(path string) bool { return parser.IsDocument(path) }) {
			continue // only marks distinguish a fork from its original; a document is read again whole
		}
		t.Run(name, func(t *testing.T) {
			want := readFamily(t, paths, func([]*reading) (int, int) { return 0, 1 << 30 })
			got := readLive(t, paths)
			assert.Empty(t, otlpjson.Check(got.traces...))
			assert.Equal(t, want.spans(), got.spans())
		})
	}
}
