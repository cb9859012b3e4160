package telemetry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// by makes an event one of a sub-agent.
func by(ev events.DisplayEvent, parent string) events.DisplayEvent {
	ev.ParentID = parent
	return ev
}

// TestCallsOfClosedRunsAreBounded has runs whose sub-agents make calls without results after everything is over.
func TestCallsOfClosedRunsAreBounded(t *testing.T) {
	stream := telemetry.NewRegistry(tight()).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	var f collected
	feed := func(evs ...events.DisplayEvent) {
		stream.Feed(telemetry.Line{}, evs)
		f.take(stream.Take())
	}
	for i := range 8 {
		sec, message, call := float64(10*i), fmt.Sprint("m", i), fmt.Sprint("t", i)
		feed(started(), text(sec, message, "x"), use(sec+1, message, call, "Task", "look"), by(text(sec+2, "sub"+message, "x"), call), result(sec+3, call), ended(""))
		feed(by(use(sec+4, "sub"+message, "late"+call, "Read", "a"), call))
	}
	assert.Equal(t, 8-3, f.counts.EvictedCalls, "as many as one run may have are open")
	evicted := 0
	for _, s := range f.spans {
		if attr(s, otlp.AttrCloseReason) == string(otlp.CloseReasonEvicted) {
			assert.Equal(t, fmt.Sprint("latet", evicted), attr(s, otlp.AttrGenAIToolCallID), "the oldest first")
			evicted++
		}
	}
	assert.Equal(t, 8-3, evicted)
	stream.Close(otlp.CloseReasonShutdown)
	f.take(stream.Take())
	checkTree(t, &f)
}

// TestArgumentsAreBounded has open calls whose captured arguments exceed the limit.
func TestArgumentsAreBounded(t *testing.T) {
	settings := telemetry.NewDefaultSettings()
	settings.Capture.ToolInput = true
	settings.Limits.PendingBytes = 1000
	stream := telemetry.NewRegistry(settings).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	var f collected
	call := func(id string) events.DisplayEvent {
		ev := use(1, "m1", id, "Write", "x")
		ev.Tool.Input = []byte(strings.Repeat("a", 400))
		return ev
	}
	stream.Feed(telemetry.Line{}, line(started(), text(1, "m1", "x"), call("t1"), call("t2"), call("t3"), result(2, "t1"), call("t4"), result(2, "t2"), result(2, "t3"), result(2, "t4")))
	stream.Close(otlp.CloseReasonShutdown)
	f.take(stream.Take())
	kept := map[string]int{}
	for _, s := range f.spans {
		if id := attr(s, otlp.AttrGenAIToolCallID); id != "" {
			kept[id] = len(attr(s, otlp.AttrGenAIToolArguments))
		}
	}
	assert.Equal(t, map[string]int{"t1": 400, "t2": 400, "t3": 0, "t4": 400}, kept)
	assert.Equal(t, 1, f.counts.DroppedArguments)
}
