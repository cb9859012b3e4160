package agentstreamreceiver_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/telemetry"
)

// TestClockSetForward sets the agent's clock forward, or stops the machine for two hours, after each time of each session. That closes
// what is open as idle, but what follows belongs to the session: all tokens are on spans, once, and a total that lacks some is marked.
func TestClockSetForward(t *testing.T) {
	for name, paths := range clockCases(t) {
		t.Run(name, func(t *testing.T) {
			seen := map[time.Time]bool{}
			play := func(after time.Time) summed {
				e := readFamily(t, paths, func(files []*reading) (int, int) {
					for _, f := range files {
						f.written = func(at *time.Time) {
							if !clock.Plausible(*at) {
								return
							}
							if seen[*at] = true; !after.IsZero() && at.After(after) {
								*at = at.Add(2 * time.Hour)
							}
						}
					}
					return 0, 1 << 30
				})
				require.Empty(t, otlpjson.Check(e.traces...), "set forward after %s", after)
				assert.Empty(t, wrongTotals(e), "set forward after %s", after)
				return sumUp(e)
			}
			want := play(time.Time{})
			for after := range seen {
				got := play(after)
				assert.Equal(t, [2]int64{want.input, want.output}, [2]int64{got.input, got.output}, "set forward after %s", after)
			}
		})
	}
}

// TestPauseWhileFollowed follows the files of each session and stops the agent for two hours after each line, and for a minute and a
// half if several files belong to it. The receiver closes what is silent for two hours, and opens it again with the next line. All tokens
// are on spans and in the metrics, once, and a total that lacks some is marked. A sub-agent that begins after the pause belongs to the
// call that starts it.
func TestPauseWhileFollowed(t *testing.T) {
	for name, paths := range clockCases(t) {
		if slices.ContainsFunc(paths, parser.IsDocument) || strings.Contains(name, "case-parents-exist") {
			continue // a document is read again whole; in the case a sub-agent works for a call that is not in the stream
		}
		t.Run(name, func(t *testing.T) {
			lines, want, alone := 0, summed{}, 0
			play := func(pause int, length time.Duration) {
				e, registry, read, over := followWithPause(t, paths, pause, length)
				require.Empty(t, otlpjson.Check(e.traces...), "pause after line %d", pause)
				assert.Empty(t, wrongTotals(e), "pause after line %d", pause)
				got, counted, unknown := sumUp(e), countedTokens(registry), unknownSince(e, over)
				if pause < 0 {
					lines, want, alone = read, got, len(unknown)
				}
				assert.LessOrEqual(t, len(unknown), alone, "%s, pause after line %d", unknown, pause)
				assert.Equal(t, [2]int64{want.input, want.output}, [2]int64{got.input, got.output}, "pause after line %d", pause)
				assert.Equal(t, [2]int64{want.input, want.output}, [2]int64{counted.Input, counted.Output}, "metrics, pause after line %d", pause)
			}
			for pause := -1; pause < lines; pause++ {
				if play(pause, 2*time.Hour); len(paths) > 1 {
					play(pause, 90*time.Second)
				}
			}
		})
	}
}

// followWithPause follows files while they are written, and returns how many lines were read, and when the pause was over. A pause of
// hours closes all streams, children first, and each is opened again with its next line.
func followWithPause(t *testing.T, paths []string, pause int, length time.Duration) (_ *exports, _ *telemetry.Registry, lines int, over time.Time) {
	settings := goldenSettings()
	now := time.Time{}
	settings.Now = func() time.Time { return now }
	registry := telemetry.NewRegistry(settings)
	var all []*reading
	for _, path := range paths {
		r := newReading(t, registry, path)
		r.live = r.nextTime(t, time.Unix(1, 0))
		all = append(all, r)
	}
	var e exports
	take := func(out telemetry.Output) {
		e.take(out)
		out.Accepted()
	}
	later, closed, read := time.Duration(0), map[*reading]bool{}, 0
	for open := slices.Clone(all); len(open) > 0; read++ {
		r := slices.MinFunc(open, func(a, b *reading) int { return a.live.Compare(b.live) })
		now = r.live.Add(later)
		take(registry.Take())
		if read == pause {
			for _, other := range slices.Backward(all) {
				if other.stream != nil && length >= time.Hour {
					other.stream.Close(otlp.CloseReasonTimeout)
					take(other.stream.Take())
					closed[other] = true
				}
			}
			later, over = length, now.Add(length)
			for now.Before(over) {
				now = now.Add(length / 9)
				take(registry.Take())
			}
		}
		if closed[r] {
			r.reopen(t)
			delete(closed, r)
		}
		r.pause = later
		r.read(1)
		for _, other := range all {
			if other.stream != nil && !closed[other] {
				other.stream.Idle()
				take(other.stream.Take())
			}
		}
		if r.done() {
			open = slices.DeleteFunc(open, func(other *reading) bool { return other == r })
			continue
		}
		r.live = r.nextTime(t, r.live)
	}
	for _, r := range all {
		if !closed[r] {
			r.stream.Close(otlp.CloseReasonShutdown)
			take(r.stream.Take())
		}
	}
	take(registry.Close())
	return &e, registry, read, over
}

// unknownSince returns the sub-agents that began after a time and are not below the call that started them.
func unknownSince(e *exports, over time.Time) (wrong []string) {
	for _, s := range spansIn(allSpans(e.traces)) {
		if _, unknown := s.Attributes().Get(otlp.AttrParentUnknown); unknown && !s.StartTimestamp().AsTime().Before(over) {
			wrong = append(wrong, s.Name())
		}
	}
	return wrong
}

// wrongTotals returns the agents whose total is not what the spans below and including theirs add up to, unless it is marked as
// incomplete.
func wrongTotals(e *exports) (wrong []string) {
	type agent struct {
		span ptrace.Span
		sum  events.Tokens
	}
	agents, parents, marked := map[string]*agent{}, map[string]string{}, map[string]bool{}
	all := spansIn(allSpans(e.traces))
	for _, s := range all {
		parents[s.SpanID().String()] = s.ParentSpanID().String()
		if strings.HasPrefix(s.Name(), "invoke_agent") {
			agents[s.SpanID().String()] = &agent{span: s}
		}
		if _, incomplete := s.Attributes().Get(otlp.AttrUsageIncomplete); incomplete {
			marked[s.SpanID().String()] = true
		}
	}
	for _, s := range all {
		for id, left := s.SpanID().String(), len(all); id != "" && left > 0; id, left = parents[id], left-1 {
			if a := agents[id]; a != nil {
				a.sum.Add(tokensOf(s.Attributes()))
			}
		}
	}
	for id, a := range agents {
		m := a.span.Attributes()
		input, output := intOf(m, otlp.AttrUsageInput), intOf(m, otlp.AttrUsageOutput)
		if !marked[id] && (input != a.sum.Input || output != a.sum.Output) {
			wrong = append(wrong, fmt.Sprintf("%s: %d/%d, not %d/%d", a.span.Name(), input, output, a.sum.Input, a.sum.Output))
		}
	}
	return wrong
}

// allSpans returns all spans in one value.
func allSpans(list []ptrace.Traces) ptrace.Traces {
	all := ptrace.NewTraces()
	for _, td := range list {
		for _, rs := range td.ResourceSpans().All() {
			rs.CopyTo(all.ResourceSpans().AppendEmpty())
		}
	}
	return all
}
