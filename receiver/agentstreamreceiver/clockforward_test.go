package agentstreamreceiver_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
)

// TestClockSetForward sets the agent's clock forward, or stops the machine for two hours, after each time of each session. That closes
// what is open as idle, but what follows belongs to the session: all tokens are on spans, once, and a total that lacks some is marked.
func TestClockSetForward(t *testing.T) {
	for name, paths := range clockCases(t) {
		if strings.HasPrefix(name, "codex/subagents-v") {
			continue // the usage that a closed sub-agent reports of an earlier call is only in the metrics if its run is closed too
		}
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

// wrongTotals returns the agents whose total is not what the spans below and including theirs add up to. One that may lack something
// is marked, or the run that continues it is.
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
			for _, of := range s.Links().All() {
				marked[of.SpanID().String()] = true
			}
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
