package spanwait_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/spanwait"
	"github.com/tailspan/tailspan/session/team"
	"github.com/tailspan/tailspan/session/work"
)

// run returns a closed run with a span.
func run(id byte) *work.Run {
	r := &work.Run{Closed: true}
	r.Top = &work.Agent{Run: r, SpanID: otlp.SpanID{id}}
	links := link.NewRegistry[string](link.Settings{Known: 1, Members: 10})
	r.Ref = links.NewRun(&link.Run{RunID: link.RunID{Trace: otlp.TraceID{1}, Top: otlp.SpanID{id}}})
	return r
}

// TestList follows a span from its run's end to its acknowledgement.
func TestList(t *testing.T) {
	var none *spanwait.List
	assert.False(t, none.Write(nil) || none.WasUnwritten(run(1)))
	assert.Nil(t, none.Accept(nil))

	l, first, second := new(spanwait.List), run(1), run(2)
	second.Ref.Team.Opened(team.Key{Agent: "a1"})
	l.Add(&spanwait.Wait{Run: first})
	l.Add(&spanwait.Wait{Run: second})
	spans, needs := l.Unwritten(nil)
	assert.Equal(t, []otlp.SpanID{{1}, {2}}, spans)
	assert.Equal(t, []link.RunID{second.Ref.RunID}, needs, "it has a sub-agent")

	last := l.Write(func(w *spanwait.Wait) bool { return w.Run == first })
	assert.False(t, last)
	sent := l.Sent(first)
	spans, _ = l.Unwritten(nil)
	assert.Equal(t, []otlp.SpanID{{2}, {1}}, spans, "not acknowledged yet")
	sent.Accept()
	var released []*work.Run
	l = l.Accept(func(r *work.Run) { released = append(released, r) })
	assert.Equal(t, []*work.Run{first}, released)
	assert.True(t, l.Write(func(*spanwait.Wait) bool { return true }))
	assert.Nil(t, l.Accept(nil), "it is empty")
}

func TestRestored(t *testing.T) {
	assert.Nil(t, spanwait.Restored(nil))
	l := spanwait.Restored([]otlp.SpanID{{1}})
	assert.True(t, l.WasUnwritten(run(1)))
	assert.False(t, l.WasUnwritten(run(2)))
}

// TestMax checks that the oldest span is written if too many wait.
func TestMax(t *testing.T) {
	var l spanwait.List
	for i := range spanwait.Max {
		assert.Nil(t, l.Add(&spanwait.Wait{Run: run(byte(i))}))
	}
	assert.Equal(t, otlp.SpanID{0}, l.Add(&spanwait.Wait{Run: run(255)}).Run.Top.SpanID)
}

func TestDue(t *testing.T) {
	at := func(sec int64) time.Time { return time.Unix(sec, 0) }
	quiet := func(yes bool) func(time.Time) bool { return func(time.Time) bool { return yes } }
	w := spanwait.Wait{Run: run(1), Since: at(0)}
	assert.False(t, w.Due(at(9), 10*time.Second, quiet(true)))
	assert.True(t, w.Due(at(10), 10*time.Second, quiet(true)))
	assert.False(t, w.Due(at(10), 10*time.Second, quiet(false)), "existing files are being read")
	assert.True(t, w.Due(at(60), 10*time.Second, quiet(false)), "long enough")
	w.Live = true
	assert.True(t, w.Due(at(10), 10*time.Second, quiet(false)))
}

func TestChanged(t *testing.T) {
	w := spanwait.Wait{Run: run(1)}
	assert.True(t, w.Changed(), "it was never checked")
	assert.False(t, w.Changed())
	w.Run.Ref.Team.Opened(team.Key{Agent: "a1"})
	assert.True(t, w.Changed())
}
