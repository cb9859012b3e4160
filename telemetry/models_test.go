package telemetry_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// TestModelsAreBounded has a run with more models than its span may list.
func TestModelsAreBounded(t *testing.T) {
	const limit = 64
	for _, n := range []int{1, limit, limit + 3} {
		var sc script
		for i := range n {
			ev := text(float64(i), fmt.Sprint("m", i), "x")
			ev.Model = fmt.Sprint("demo-", i)
			usage := events.DisplayEvent{Kind: events.KindUsage, Time: at(float64(i)), SessionID: "s1", MessageID: ev.MessageID, Model: ev.Model, Usage: &events.Usage{Tokens: events.Tokens{Input: 2}}}
			sc = append(sc, line(ev, usage))
		}
		f := collect(t, append(sc, line(ended(""))), telemetry.StreamSettings{}, otlp.CloseReasonShutdown)
		run := f.span(t, "invoke_agent claude-code")
		list, _ := run.Attributes().Get(otlp.AttrModels)
		assert.Equal(t, min(n, limit), list.Slice().Len())
		assert.Equal(t, "demo-0", list.Slice().At(0).Str())
		overflow := attr(run, otlp.AttrModelsOverflow)
		only := attr(run, otlp.AttrGenAIRequestModel)
		assert.Equal(t, 2*max(n-limit, 0), f.counts.UnlistedModels, "a text and a usage of each")
		assert.Equal(t, n > limit, overflow == "true")
		assert.Equal(t, n == 1, only == "demo-0")
		assert.Equal(t, strconv.Itoa(2*n), attr(run, otlp.AttrUsageInput), "all count")
	}
}
