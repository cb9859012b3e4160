package telemetry_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/telemetry"
)

// inSession moves events of the script helpers to another session.
func inSession(session string, sc script) script {
	for _, evs := range sc {
		for i := range evs {
			evs[i].SessionID, evs[i].ItemID = session, session+evs[i].AgentID+evs[i].ItemID
		}
	}
	return sc
}

// familyOf returns a run whose calls start sub-agents, and the files of those. Each has a call of its own, and every
// second one starts another sub-agent with a file.
func familyOf(session string, children int) (parent script, files []script) {
	parent = script{line(started()), line(text(0, session+"-m1", "Off you go."))}
	answers := script{}
	for i := range children {
		call, agent := fmt.Sprint("call", i), fmt.Sprint(session, "-agent", i)
		spawn := use(float64(1+i), session+"-m1", call, "Agent", "Look")
		spawn.Tool.AgentType = "Explore"
		answer := result(float64(50+i), call)
		answer.Tool.AgentID = agent
		parent, answers = append(parent, line(spawn)), append(answers, line(answer))
		file := script{
			line(of(agent, started())),
			line(of(agent, text(float64(2+i), agent+"-m1", "Looking."))),
			line(of(agent, use(float64(3+i), agent+"-m1", agent+"t1", "Read", "x"))),
			line(of(agent, result(float64(4+i), agent+"t1"))),
		}
		if i%2 == 0 {
			inner := agent + "-inner"
			answered := of(agent, result(float64(9+i), agent+"t2"))
			answered.Tool.AgentID = inner
			file = append(file, line(of(agent, use(float64(5+i), agent+"-m2", agent+"t2", "Agent", "Deeper"))), line(answered))
			files = append(files, inSession(session, script{line(of(inner, text(float64(6+i), inner+"-m1", "Deep."))), line(of(inner, text(float64(7+i), inner+"-m2", "Done.")))}))
		}
		files = append(files, inSession(session, append(file, line(of(agent, text(float64(10+i), agent+"-m3", "Done."))))))
	}
	parent = append(append(parent, answers...), line(text(90, session+"-m9", "All done.")), line(ended("")))
	return inSession(session, parent), files
}

// of makes an event one of a sub-agent's separate file.
func of(agent string, ev events.DisplayEvent) events.DisplayEvent {
	ev.AgentID = agent
	return ev
}

// sink collects outputs of many goroutines.
type sink struct {
	mu sync.Mutex
	f  collected
}

func (s *sink) take(out telemetry.Output) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.f.take(out)
}

// readAtRandom reads a file, alternately live and not live, takes the output at random and closes it.
func readAtRandom(registry *telemetry.Registry, id string, seed uint64, sc script, take func(telemetry.Output)) {
	rng := rand.New(rand.NewPCG(seed, 3))
	stream := registry.Open(telemetry.StreamSettings{ID: id, Agent: claude})
	for i, evs := range sc {
		line := telemetry.Line{Offset: int64(i), Arrival: at(10), Live: rng.IntN(2) == 0}
		stream.Feed(line, clone(evs))
		switch rng.IntN(6) {
		case 0:
			stream.Idle()
		case 1:
			take(stream.Take())
		case 2:
			stream.RawCopy(line, []byte("as it is"))
		case 3:
			stream.State()
		}
	}
	stream.Idle()
	stream.State()
	stream.Close(otlp.CloseReasonShutdown)
	take(stream.Take())
}

// TestManyStreamsAtOnce reads linked files, each in a separate goroutine, while another goroutine takes what time
// releases. There is no deadlock, nothing is lost or exported twice, and every tree is complete. Run it with -race.
func TestManyStreamsAtOnce(t *testing.T) {
	const links, children = 12, 6
	registry := newRegistry()
	var got sink
	var files, takers sync.WaitGroup
	stop := make(chan struct{})
	takers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				got.take(registry.Take())
				registry.Metrics().Take(time.Now())
			}
		}
	})
	want := 0
	read := func(id string, seed uint64, sc script) {
		want += countEvents(sc)
		files.Go(func() { readAtRandom(registry, id, seed, sc, got.take) })
	}
	for n := range links {
		session := fmt.Sprint("s", n)
		parent, agents := familyOf(session, children)
		for i, file := range agents {
			read(fmt.Sprint(session, "-file", i), uint64(n*100+i), file)
		}
		read(session, uint64(n), parent)
	}
	done := make(chan struct{})
	go func() { files.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		require.Fail(t, "streams lock each other")
	}
	close(stop)
	takers.Wait()
	got.take(registry.Close())
	records := 0
	for _, lr := range got.f.records {
		if !slices.Contains([]string{otlp.EventNameStepStarted, otlp.EventNameProgress, otlp.EventNameRaw}, lr.EventName()) {
			records++
		}
	}
	assert.Equal(t, want, records)
	checkTree(t, &got.f)
	spans := map[string]uint64{}
	for _, span := range got.f.spans {
		operation, _, _ := strings.Cut(span.Name(), " ")
		spans[operation]++
	}
	assert.Equal(t, spans, measuredSpans(registry), "each span is measured, and once")
}

// measuredSpans returns the number of durations in the metrics, by operation.
func measuredSpans(registry *telemetry.Registry) map[string]uint64 {
	counts := map[string]uint64{}
	for _, rm := range registry.Metrics().TakeLast(time.Now())[1].ResourceMetrics().All() {
		for _, m := range rm.ScopeMetrics().At(0).Metrics().All() {
			if m.Type() != pmetric.MetricTypeHistogram {
				continue
			}
			for _, p := range m.Histogram().DataPoints().All() {
				operation, _ := p.Attributes().Get(otlp.AttrGenAIOperationName)
				counts[operation.Str()] += p.Count()
			}
		}
	}
	return counts
}

// TestMeasurementsWait: what a stream adds to shared metrics is buffered until its output is taken, or until the buffer
// is full.
func TestMeasurementsWait(t *testing.T) {
	registry := newRegistry()
	feed := func(s *telemetry.Stream, sc script) {
		for i, evs := range sc {
			s.Feed(telemetry.Line{Offset: int64(i)}, clone(evs))
		}
	}
	few := registry.Open(telemetry.StreamSettings{ID: "few", Agent: claude})
	feed(few, script{line(started()), line(text(0, "m1", "Off.")), line(use(1, "m1", "c1", "Read", "x")), line(result(2, "c1"))})
	assert.Empty(t, measuredSpans(registry), "nor is there a metric without a value")
	few.Take()
	assert.Equal(t, map[string]uint64{"execute_tool": 1}, measuredSpans(registry))
	few.Close(otlp.CloseReasonShutdown)
	assert.Equal(t, map[string]uint64{"chat": 1, "execute_tool": 1, "invoke_agent": 1}, measuredSpans(registry), "a closed stream has nothing pending")

	registry = newRegistry()
	feed(registry.Open(telemetry.StreamSettings{ID: "much", Agent: claude}), longRun(1))
	got := measuredSpans(registry)
	assert.Greater(t, got["execute_tool"], uint64(benchTurns/2), "what waits is bounded")
}
