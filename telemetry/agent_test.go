package telemetry_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// The nesting of sub-agents is bounded, so that the cost of an event does not grow with the length of a chain. Deeper
// work counts for the innermost sub-agent.
func TestLongChainOfSubAgents(t *testing.T) {
	const length = 4000
	sc := script{line(started())}
	parent := ""
	for i := range length {
		id := fmt.Sprint("a", i)
		sc = append(sc, line(under(parent, use(float64(i), fmt.Sprint("msg", i), id, "Agent", "x"))))
		parent = id
	}
	f := collect(t, sc, telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
	spans := map[pcommon.SpanID]ptrace.Span{}
	for _, s := range f.spans {
		spans[s.SpanID()] = s
	}
	last := ptrace.Span{}
	for _, s := range f.spans {
		if attr(s, otlp.AttrGenAIToolCallID) == fmt.Sprint("a", length-1) {
			last = s
		}
	}
	require.NotEqual(t, ptrace.Span{}, last)
	depth := 0
	for at, ok := last, true; ok; at, ok = spans[at.ParentSpanID()] {
		depth++
	}
	const deepest = 64
	assert.Equal(t, 2*(1+deepest), depth, "each call lies in the agent that made it, the first in the run")
	assert.Equal(t, length-1-deepest, f.counts.DeepAgents)
}
