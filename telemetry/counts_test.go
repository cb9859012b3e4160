package telemetry_test

import (
	"fmt"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/telemetry"
)

// TestCountsByReason checks that the list contains every count.
func TestCountsByReason(t *testing.T) {
	var c emit.Counts
	fields := reflect.ValueOf(&c).Elem()
	want := 0
	for i := range fields.NumField() {
		fields.Field(i).SetInt(1 << i)
		want += 1 << i
	}
	got := 0
	for _, n := range c.ByReason {
		got += n
	}
	assert.Equal(t, want, got)
}

// tight returns settings with small limits.
func tight() telemetry.Settings {
	s := telemetry.NewDefaultSettings()
	s.Now = func() time.Time { return at(1000) }
	s.Limits.OpenCalls, s.Limits.RememberedIDs, s.Limits.PendingEvents, s.Limits.EmittedIDs = 3, 5, 4, 100
	return s
}

// TestLimitsAreCounted has a case for each limit of a stream.
func TestLimitsAreCounted(t *testing.T) {
	notice := func(i int) events.DisplayEvent {
		return events.DisplayEvent{Kind: events.KindNotice, Time: at(1), SessionID: "s1", ItemID: fmt.Sprint("n", i), Text: "x"}
	}
	for _, tt := range []struct {
		name string
		line func(i int) []events.DisplayEvent
		want emit.Counts
	}{
		{"open calls", func(i int) []events.DisplayEvent {
			return line(use(float64(i), "msg1", fmt.Sprint("t", i), "Read", "x"))
		},
			emit.Counts{EvictedCalls: 17, UnclosedCalls: 17, ForgottenIDs: 15 + 12}},
		{"remembered ids", func(i int) []events.DisplayEvent {
			return line(use(float64(i), "msg1", fmt.Sprint("t", i), "Read", "x"), result(float64(i), fmt.Sprint("t", i)))
		}, emit.Counts{ForgottenIDs: 15 + 15}},
		{"results without their calls", func(i int) []events.DisplayEvent {
			return line(text(0, "msg1", strconv.Itoa(i)), result(float64(i), fmt.Sprint("t", i)))
		},
			emit.Counts{UnknownCalls: 20, ForgottenIDs: 17}},
		{"sub-agents in the background", func(i int) []events.DisplayEvent {
			id := fmt.Sprint("t", i)
			launched := result(float64(i), id)
			launched.Tool.State = events.ToolStateBackground
			return line(use(float64(i), "msg1", id, "Agent", "x"), launched, under(id, text(float64(i), "sub"+id, "Hm.")))
		}, emit.Counts{EvictedAgents: 17, ForgottenIDs: 15 + 15 + 2*16}},
		{"events that wait", func(i int) []events.DisplayEvent { return line(notice(i)) }, emit.Counts{ForcedRuns: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stream := telemetry.NewRegistry(tight()).Open(telemetry.StreamSettings{ID: "f", Agent: claude})
			for i := range 20 {
				stream.Feed(telemetry.Line{Offset: int64(i)}, tt.line(i))
			}
			assert.Equal(t, tt.want, stream.Take().Counts)
			assert.Equal(t, emit.Counts{}, stream.Take().Counts, "counts are deltas")
		})
	}
}
