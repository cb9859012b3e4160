package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/telemetry"
)

// replayed is a session as Claude Code prints it: only results have a time.
func replayed() script {
	return script{
		line(started()),
		line(untimed(text(0, "msg1", "Let me see."))), line(untimed(use(0, "msg1", "t1", "Read", "a"))), line(result(3, "t1")),
		line(untimed(use(0, "msg2", "t2", "Bash", "b"))), line(result(9, "t2")),
		line(untimed(text(0, "msg3", "Done."))), line(ended("")),
	}
}

func spanIDs(f *collected) []string {
	ids := []string{}
	for _, s := range f.spans {
		ids = append(ids, s.Name()+s.SpanID().String()+s.ParentSpanID().String())
	}
	return ids
}

// TestReplayedStream: a recorded stream that is played back keeps its own times, however its lines arrive.
func TestReplayedStream(t *testing.T) {
	const hours = 6 * 3600
	live := func(int) bool { return true }
	tests := []struct {
		name     string
		lag      float64 // how long after their times the lines come
		live     func(i int) bool
		file     time.Time
		from, to float64
		source   clock.Source
	}{
		{"long ago", hours, live, time.Time{}, 3, 9, clock.SourceCarried},
		{"in the future", -hours, live, time.Time{}, 3, 9, clock.SourceCarried},
		{"its first lines were there", hours, func(i int) bool { return i > 1 }, at(hours), 3, 9, clock.SourceCarried},
		{"all but its end was there", hours, func(i int) bool { return i > 6 }, at(hours), 3, 9, clock.SourceCarried},
		{"a clock that differs", 30, live, time.Time{}, 3, 30.2, clock.SourceArrival},
		{"as it is written", 0, live, time.Time{}, 0, 9, clock.SourceArrival},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude, FileTime: tt.file})
			var f collected
			for i, evs := range replayed() {
				stream.Feed(telemetry.Line{Offset: int64(i), Live: tt.live(i), Arrival: at(tt.lag + float64(i)/10)}, clone(evs))
				if i == 1 {
					stream.Idle()
				}
				f.take(stream.Take())
			}
			top := f.span(t, "invoke_agent claude-code")
			from, to := seconds(top)
			assert.InDeltaSlice(t, []float64{tt.from, tt.to}, []float64{from, to}, 0.001)
			assert.Equal(t, tt.source.String(), attr(top, otlp.AttrTimeSource))
			for _, s := range f.spans {
				assert.False(t, s.StartTimestamp() < top.StartTimestamp() || s.EndTimestamp() > top.EndTimestamp(), s.Name())
			}
			once := collect(t, replayed(), telemetry.StreamSettings{ID: "f", Agent: claude}, otlp.CloseReasonShutdown)
			assert.ElementsMatch(t, spanIDs(once), spanIDs(&f), "times are no part of ids")
		})
	}
}
