package telemetry_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// TestWaitingSpansAreCheap: lines between two changes of sub-agents do not check all sub-agents of all waiting spans.
// That took some 500 times as long as a line without any.
func TestWaitingSpansAreCheap(t *testing.T) {
	const runs, agents, lines, tries, most = 200, 40, 100, 5, 60
	perLine := func(agents int) time.Duration {
		stream, offset := newRegistry().Open(telemetry.StreamSettings{ID: "f", Agent: claude}), int64(0)
		feed := func(evs ...events.DisplayEvent) {
			offset++
			stream.Feed(telemetry.Line{Offset: offset}, evs)
		}
		start := started()
		start.Session = &events.Session{Recorded: true}
		feed(start)
		for run := range runs {
			sec := float64(10 * run)
			feed(events.DisplayEvent{Kind: events.KindPrompt, Time: at(sec), SessionID: "s1", ItemID: fmt.Sprint("p", run), Text: "do"})
			for n := range agents {
				id := fmt.Sprint(run, "-", n)
				feed(use(sec+1, fmt.Sprint("m", run), id, "Agent", id))
				asked := result(sec+2, id)
				asked.Tool.AgentID = "a" + id
				feed(asked)
			}
			end := ended("")
			end.Time, end.ItemID = at(sec+5), fmt.Sprint("e", run)
			feed(end)
		}
		var f collected
		f.take(stream.Take())
		waiting := 0
		for _, span := range f.spans {
			if attr(span, otlp.AttrGenAIOperationName) == otlp.OperationInvokeAgent {
				waiting--
			}
		}
		assert.Equal(t, agents > 0, waiting == 0, "spans of runs wait for their sub-agents alone")
		feed(text(5000, "m", "so"))
		least := time.Hour
		for range tries {
			begin := time.Now()
			for n := range lines {
				feed(text(5000, "m", fmt.Sprint("more ", n)))
			}
			least = min(least, time.Since(begin)/lines)
			stream.Take()
		}
		return least
	}
	none, many := perLine(0), perLine(agents)
	assert.Less(t, many, most*none, "of a line, with %d spans that wait", runs)
}
