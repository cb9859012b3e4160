package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/telemetry"
)

func TestTimes(t *testing.T) {
	fileTime := at(500)
	noTimes := script{line(started()), line(text(0, "msg1", "Hi.")), line(ended(""))}
	for _, l := range noTimes {
		for i := range l {
			l[i].Time = time.Time{}
		}
	}
	t.Run("nearest later, then nearest earlier", func(t *testing.T) {
		f := fold(t, parallelTools(), telemetry.StreamSettings{FileTime: fileTime}, telemetry.CloseReasonShutdown)
		for _, want := range []struct {
			record int
			sec    float64
			source telemetry.TimeSource
		}{{0, 1, telemetry.TimeSourceCarried}, {1, 1, telemetry.TimeSourceLine}, {7, 6, telemetry.TimeSourceCarried}} {
			lr := f.records[want.record]
			assert.InDelta(t, want.sec, lr.Timestamp().AsTime().Sub(epoch).Seconds(), 0.001)
			v, _ := lr.Attributes().Get(telemetry.AttrTimeSource)
			assert.Equal(t, string(want.source), v.Str())
		}
	})
	t.Run("file time where nothing is told", func(t *testing.T) {
		f := fold(t, noTimes, telemetry.StreamSettings{FileTime: fileTime}, telemetry.CloseReasonShutdown)
		run := f.span(t, "invoke_agent claude-code")
		assert.Equal(t, fileTime, run.StartTimestamp().AsTime())
		assert.Equal(t, "file", attr(run, telemetry.AttrTimeSource))
	})
	t.Run("arrival when read live", func(t *testing.T) {
		stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude, FileTime: fileTime})
		for i, evs := range noTimes {
			stream.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: at(float64(700 + i))}, clone(evs))
		}
		var f folded
		f.take(stream.Take())
		run := f.span(t, "invoke_agent claude-code")
		from, to := seconds(run)
		assert.Equal(t, []float64{700, 702}, []float64{from, to})
		assert.Equal(t, "arrival", attr(run, telemetry.AttrTimeSource))
	})
	t.Run("old session written live", func(t *testing.T) {
		stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude, FileTime: fileTime})
		for i, evs := range parallelTools() {
			stream.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: at(float64(700 + i))}, clone(evs))
		}
		var f folded
		f.take(stream.Take())
		from, to := seconds(f.span(t, "invoke_agent claude-code"))
		assert.Equal(t, []float64{1, 6}, []float64{from, to}, "the first line has no time of its own, but a later one has")
	})
	t.Run("nonsense is no time", func(t *testing.T) {
		sc := parallelTools()
		sc[2][0].Time = time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)
		f := fold(t, sc, telemetry.StreamSettings{}, telemetry.CloseReasonShutdown)
		from, _ := seconds(f.span(t, "execute_tool Read"))
		assert.InDelta(t, 1, from, 0.001)
	})
}
