package otlp_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
)

// TestSeconds: seconds are the nearest number to the duration, and read back as the same duration.
func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]float64{
		0: 0, 1: 1e-9, 6653 * time.Millisecond: 6.653, 1636 * time.Millisecond: 1.636, 3494 * time.Millisecond: 3.494, 90 * time.Minute: 5400,
	} {
		assert.Equal(t, want, otlp.Seconds(d), d)
	}

	w := otlp.Writer{}
	batch := otlp.NewBatch(&w, "")
	resource := otlp.NewResource(otlp.Identity{}, "claude-code", "claude", "", otlp.NewSequencer("f"), nil)
	const took = 6653 * time.Millisecond
	batch.AddEvent(resource, &otlp.Record{}, &events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{Duration: took}}, "claude-code")
	batch.AddStalled(resource, &otlp.Record{}, took, took)
	data := batch.Take()
	var got []plog.LogRecord
	for lr := range data.Records() {
		got = append(got, lr)
	}
	assert.Equal(t, 6.653, got[0].Attributes().AsRaw()[otlp.AttrToolDuration])
	assert.Equal(t, 6.653, got[1].Attributes().AsRaw()[otlp.AttrElapsed])
	assert.Equal(t, 6.653, got[1].Attributes().AsRaw()[otlp.AttrSilent])
	var ev events.DisplayEvent
	assert.True(t, otlp.EventFromRecord(got[0], &ev))
	assert.Equal(t, took, ev.Tool.Duration)
}
