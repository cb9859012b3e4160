package restated_test

import (
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/restated"
)

// apply applies new events, and returns the old ones.
func apply(exported *restated.Events, evs ...events.DisplayEvent) (old []events.DisplayEvent) {
	before, fresh := exported.Split(evs)
	exported.Applied(before)
	exported.Applied(fresh)
	return before.Events
}

func text(item int) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindText, SessionID: "s", ItemID: strconv.Itoa(item), Text: "x"}
}

// TestLongStream: the newest events of a long stream are known after a restart, and memory is bounded.
func TestLongStream(t *testing.T) {
	const many = 1 << 19
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	begin := heap()
	exported := restated.New(nil)
	for i := range many {
		require.Empty(t, apply(exported, text(i)))
	}
	assert.Less(t, int64(heap())-int64(begin), int64(16<<20))
	next := many
	assert.Less(t, testing.AllocsPerRun(1000, func() {
		old, fresh := exported.Split([]events.DisplayEvent{text(next)})
		exported.Applied(fresh)
		if !old.Empty() {
			t.Error("an event is old")
		}
		next++
	}), 20.0)

	restarted := restated.New(exported.Encode(0))
	assert.Len(t, apply(restarted, text(next-1)), 1)
	assert.Empty(t, apply(restarted, text(0)), "the oldest are evicted")
	runtime.KeepAlive(exported)
}

// TestEqualEvents: two events with one name are distinguished by their number, in the next process too.
func TestEqualEvents(t *testing.T) {
	exported := restated.New(nil)
	assert.Empty(t, apply(exported, text(1), text(1)))
	restarted := restated.New(exported.Encode(0))
	assert.Len(t, apply(restarted, text(1), text(1), text(1)), 2)
}

// TestGrownText: only the added part of a text that has grown is new.
func TestGrownText(t *testing.T) {
	exported := restated.New(nil)
	apply(exported, text(1))
	restarted := restated.New(exported.Encode(0))
	grown := text(1)
	grown.Text = "xyz"
	old, fresh := restarted.Split([]events.DisplayEvent{grown})
	assert.Len(t, old.Events, 1)
	require.Len(t, fresh.Events, 1)
	assert.Equal(t, "yz", fresh.Events[0].Text)
	assert.Equal(t, "1#1", fresh.Events[0].ItemID)
}
