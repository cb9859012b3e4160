package telemetry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// TestImplausibleFileTime: archives set the time of all files to 0, and a file system may report any time. No agent ran
// then, and a start before 1970 would be in the far future.
func TestImplausibleFileTime(t *testing.T) {
	took := result(0, "t1")
	took.Tool.Duration = 3 * time.Second
	lines := script{line(started()), line(use(0, "msg1", "t1", "Bash", "make")), line(took), line(ended(""))}
	for _, l := range lines {
		for i := range l {
			l[i].Time = time.Time{}
		}
	}
	for _, tt := range []struct {
		name string
		file time.Time
	}{
		{"year 1", time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)},
		{"before 1970", time.Unix(-1, 0)},
		{"beginning of 1970", time.Unix(0, 0)},
		{"a second later", time.Unix(1, 0)},
		{"year 2300", time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"year 9999", time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := collect(t, lines, telemetry.StreamSettings{FileTime: tt.file, IdleGap: time.Hour}, otlp.CloseReasonShutdown)
			from, to := seconds(f.span(t, "execute_tool Bash"))
			assert.Equal(t, []float64{997, 1000}, []float64{from, to}, "as if it had been written now")
			assert.Equal(t, "file", attr(f.span(t, "invoke_agent claude-code"), otlp.AttrTimeSource))
		})
	}
}

// TestClockNear1970: a device without a battery counts from 1970 at first. A run that took longer than its clock has
// counted begins with that clock.
func TestClockNear1970(t *testing.T) {
	end := ended("")
	end.End.Duration = time.Minute
	stream := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude})
	for i, ev := range []events.DisplayEvent{started(), text(0, "msg1", "Hi."), end} {
		ev.Time = time.Time{}
		stream.Feed(telemetry.Line{Offset: int64(i), Live: true, Arrival: time.Unix(int64(i), 0)}, line(ev))
	}
	var f collected
	f.take(stream.Take())
	run := f.span(t, "invoke_agent claude-code")
	assert.Equal(t, time.Unix(2, 0).UTC(), run.EndTimestamp().AsTime())
	assert.Equal(t, time.Unix(0, 1).UTC(), run.StartTimestamp().AsTime())
}
