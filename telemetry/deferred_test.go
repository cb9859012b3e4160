package telemetry_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// TestShutdownInAnyOrder: at a shutdown, the part that a second account adds is exported, whichever stream is closed
// first.
func TestShutdownInAnyOrder(t *testing.T) {
	begun := func(rest ...[]events.DisplayEvent) script {
		return append(script{
			line(started()), line(text(0, "msg1", "Let me see.")), line(use(1, "msg1", "t1", "Agent", "look")), line(under("t1", use(2, "msg9", "t2", "Read", "a"))),
		}, rest...)
	}
	accounts := []script{
		begun(line(under("t1", result(7, "t2"))), line(under("t1", use(8, "msg10", "t3", "Grep", "c")))),
		begun(line(use(4, "msg2", "t4", "Bash", "b")), line(result(5, "t4"))),
	}
	for _, order := range [][]string{{"first", "second"}, {"second", "first"}} {
		t.Run(order[0], func(t *testing.T) {
			registry := newRegistry()
			streams := map[string]*telemetry.Stream{}
			var f collected
			for i, sc := range accounts {
				id := []string{"first", "second"}[i]
				streams[id] = registry.Open(telemetry.StreamSettings{ID: id, Agent: claude})
				for i, evs := range sc {
					streams[id].Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
				}
				streams[id].Idle()
				f.take(streams[id].Take())
			}
			for _, id := range order {
				streams[id].Close(otlp.CloseReasonShutdown)
				f.take(streams[id].Take())
			}
			f.take(registry.Close())
			assert.Empty(t, otlpjson.Check(f.traces...))
			assert.Equal(t, "c", attr(f.span(t, "execute_tool Grep"), otlp.AttrToolTarget))
			assert.Equal(t, "b", attr(f.span(t, "execute_tool Bash"), otlp.AttrToolTarget))
		})
	}
}

// TestNoNUL: names from files and lines contain no NUL.
func TestNoNUL(t *testing.T) {
	id := otlp.NewIdentity(otlp.Attribute{Key: otlp.AttrPipelineName, Value: "a\x00b"}, otlp.Attribute{Key: "x", Value: "\x00"})
	assert.Equal(t, []otlp.Attribute{{Key: otlp.AttrPipelineName, Value: "ab"}}, id.Attributes())
	tier := text(0, "msg1", "")
	tier.Kind, tier.Usage = events.KindUsage, &events.Usage{Scope: events.UsageScopeCall, Tokens: events.Tokens{Input: 1}, ServiceTier: "a\x00"}
	f := collect(t, script{line(started()), line(text(0, "msg1", "Hi.")), line(tier), line(ended(""))}, telemetry.StreamSettings{ID: "f", Agent: claude}, otlp.CloseReasonNoResult)
	for _, lr := range f.records {
		if v, ok := lr.Attributes().Get(otlp.AttrUsageServiceTier); ok {
			assert.Equal(t, "a", v.Str())
			return
		}
	}
	t.Fatal("no record has the tier")
}
