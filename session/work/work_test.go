package work_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/toolcall"
	"github.com/tailspan/tailspan/session/work"
)

const limit = 100

func at(sec int64) *clock.Moment {
	return &clock.Moment{At: clock.InstantOf(time.Unix(1_700_000_000+sec, 0)), Source: clock.SourceLine}
}

func newRun() *work.Run {
	r := &work.Run{}
	r.Top = &work.Agent{Run: r}
	return r
}

// call opens a call of an agent.
func call(a *work.Agent, id string, start int64) *work.Call {
	c := &work.Call{Call: toolcall.New(&events.Tool{ID: id, Name: "Read"}, 256), Caller: a}
	c.Span.Cover(at(start))
	a.Run.Calls.Add(c)
	return c
}

// agent opens a sub-agent.
func agent(open *work.Open, c *work.Call) *work.Agent {
	a := &work.Agent{Run: c.Caller.Run}
	a.Call, a.Depth = c, c.Caller.Depth+1
	c.Child = a
	open.AddAgent(a)
	return a
}

func TestOpens(t *testing.T) {
	prompt := events.DisplayEvent{Kind: events.KindPrompt}
	text := events.DisplayEvent{Kind: events.KindText}
	var none *work.Run
	assert.True(t, none.Opens(&text), "anything, if there is no run")
	assert.False(t, none.Opens(&events.DisplayEvent{Kind: events.KindUsage, Usage: &events.Usage{HasCost: true, OutputUnknown: true}}), "the cost of earlier runs")
	r := newRun()
	assert.False(t, r.Opens(&prompt), "it may be the first prompt of the run")
	r.Shape.Message = true
	assert.True(t, r.Opens(&prompt))
	assert.False(t, r.Opens(&events.DisplayEvent{Kind: events.KindPrompt, Synthetic: true}))
	assert.False(t, r.Opens(&events.DisplayEvent{Kind: events.KindPrompt, ParentID: "call"}), "the prompt of a sub-agent")
	r.Shape.Turns = true
	assert.False(t, r.Opens(&prompt), "a prompt inside a turn")
	assert.False(t, r.Opens(&text))
	r.Closed = true
	assert.True(t, r.Opens(&text))
	r.SubAgent = true
	assert.False(t, r.Opens(&text), "late work of a sub-agent")
}

// TestBeginsAt checks from which event a run starts, by what opened it.
func TestBeginsAt(t *testing.T) {
	header := events.DisplayEvent{Kind: events.KindSessionStarted, Session: &events.Session{Recorded: true}}
	prompt := &events.DisplayEvent{Kind: events.KindPrompt}
	for _, tt := range []struct {
		name  string
		first events.DisplayEvent
		model string
		want  int64
	}{
		{"prompt", *prompt, "", 0},
		{"header", header, "", 60},
		{"header with a model, long before", header, "m1", 60},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRun()
			tt.first.Model = tt.model
			r.OpenedBy(&pending.Event{Event: tt.first, At: *at(0)})
			r.Top.Time.Cover(at(0))
			r.BeginsAt(&tt.first, *at(0), 10*time.Second)
			r.BeginsAt(prompt, *at(60), 10*time.Second)
			assert.Equal(t, at(tt.want).At, r.Top.Time.Start.At)
		})
	}
	r := newRun()
	header.Model = "m1"
	r.OpenedBy(&pending.Event{Event: header, At: *at(0)})
	r.Top.Time.Cover(at(0))
	r.BeginsAt(prompt, *at(5), 10*time.Second)
	assert.Equal(t, at(0).At, r.Top.Time.Start.At, "a header with a model was written for the prompt")
}

func TestShowsEnd(t *testing.T) {
	r := newRun()
	assert.False(t, r.ShowsEnd())
	r.Signs.Note(&events.DisplayEvent{Kind: events.KindText, Sign: events.Sign{Outcome: events.OutcomeOK}})
	assert.True(t, r.ShowsEnd())
	c := call(r.Top, "t1", 0)
	assert.False(t, r.ShowsEnd(), "a call is open")
	assert.Equal(t, 1, r.Unanswered())
	r.Calls.Close(c, limit)
	assert.True(t, r.ShowsEnd())
	r.Closed = true
	assert.False(t, r.ShowsEnd())
	assert.Equal(t, events.OutcomeOK, r.Evidence(otlp.CloseReasonTimeout, nil).Verdict().Outcome)
}

// TestCover checks that the spans of all enclosing agents cover an event, up to a closed one and one in the background.
func TestCover(t *testing.T) {
	var open work.Open
	r := newRun()
	r.Top.Cover(at(0), at(0))
	outer := call(r.Top, "t1", 1)
	a := agent(&open, outer)
	a.Cover(at(5), at(9))
	assert.Equal(t, at(9).At, outer.Span.End.At)
	assert.Equal(t, at(9).At, r.Top.Time.End.At)
	a.Background = true
	a.Cover(at(20), at(20))
	assert.Equal(t, at(9).At, r.Top.Time.End.At, "its call does not wait for it")
	assert.True(t, a.InBackground())
	a.Closed = true
	a.Cover(at(30), at(30))
	assert.Equal(t, at(20).At, a.Time.End.At, "its span is exported")
}

func TestCalls(t *testing.T) {
	r := newRun()
	first, second := call(r.Top, "t1", 0), call(r.Top, "t2", 1)
	assert.Equal(t, []*work.Call{first, second}, r.Calls.Open())
	assert.False(t, r.Calls.Close(first, 1))
	assert.True(t, first.Closed())
	assert.Same(t, first, r.Calls.Get("t1"), "remembered for a later result")
	assert.True(t, r.Calls.Close(second, 1), "evicted")
	assert.Nil(t, r.Calls.Get("t1"))
	assert.Empty(t, r.Top.OpenCalls())
	second.MoveOutside()
	assert.True(t, second.IsOutside() && second.Closed())

	assert.False(t, r.Calls.SetEarly("t3", toolcall.EarlyResult{Abridged: true}, 1))
	early, ok := r.Calls.TakeEarly("t3")
	assert.True(t, ok && early.Abridged)
	_, ok = r.Calls.TakeEarly("t3")
	assert.False(t, ok)
}

func TestAnonymous(t *testing.T) {
	r := newRun()
	assert.Empty(t, r.Calls.Anonymous("Read"))
	call(r.Top, "t1", 0).Anonymous = true
	call(r.Top, "t2", 0)
	assert.Equal(t, "t1", r.Calls.Anonymous("Read"))
	assert.Empty(t, r.Calls.Anonymous("Write"))
}

// TestFindCall checks where the call of a result may be.
func TestFindCall(t *testing.T) {
	var open work.Open
	earlier, busy, now := newRun(), newRun(), newRun()
	call(earlier.Top, "continued", 0)
	agent(&open, call(busy.Top, "background", 0))
	call(now.Top, "current", 0)
	assert.Nil(t, open.FindCall(now, "continued"))
	now.Continues.Calls = &earlier.Calls
	for _, id := range []string{"continued", "background", "current"} {
		require.NotNil(t, open.FindCall(now, id), id)
		assert.Equal(t, id, open.FindCall(now, id).ID)
	}
	open.RemoveAgent(open.Active()[0])
	assert.False(t, open.IsBusy(busy))
	assert.Nil(t, open.FindCall(now, "background"), "nothing of that run is active")
}

// TestLinger checks that closed runs are remembered for their open calls, and that the oldest is in excess first.
func TestLinger(t *testing.T) {
	var open work.Open
	first, second := newRun(), newRun()
	c := call(first.Top, "t1", 0)
	open.Linger(first, 1)
	call(second.Top, "t2", 0)
	open.Linger(second, 1)
	assert.Len(t, open.LingeringCalls(), 2)
	assert.Nil(t, open.Excess(2))
	assert.Same(t, c, open.Excess(1))
	first.Calls.Close(c, limit)
	open.CallClosed(first)
	assert.Nil(t, open.Excess(1))
	assert.True(t, open.HasLingering())
}

func TestInnermostFirst(t *testing.T) {
	var open work.Open
	r := newRun()
	outer := agent(&open, call(r.Top, "t1", 0))
	inner := agent(&open, call(outer, "t2", 0))
	assert.Equal(t, []*work.Agent{inner, outer}, open.InnermostFirst())
	assert.Equal(t, []*work.Agent{inner}, outer.ActiveAgents())
}

// TestContinuedBy checks which event continues a closed run.
func TestContinuedBy(t *testing.T) {
	r := newRun()
	text, prompt := &events.DisplayEvent{Kind: events.KindText}, &events.DisplayEvent{Kind: events.KindPrompt}
	c := r.ContinuedBy(text, "")
	assert.False(t, c.Shown, "it is open")
	r.Closed = true
	c = r.ContinuedBy(text, "")
	assert.True(t, c.Shown)
	c = r.ContinuedBy(prompt, "")
	assert.False(t, c.Shown)
	c = r.ContinuedBy(text, "another session")
	assert.False(t, c.Shown)
}

// TestFit checks the time of events of a run whose agent's clock is set back: what follows continues the times before.
func TestFit(t *testing.T) {
	var open work.Open
	r := newRun()
	r.Top.Time.Cover(at(0))
	r.Course.Begin(at(0).At)
	r.Ref = &link.Run{}
	text := &events.DisplayEvent{Kind: events.KindText}
	assert.Equal(t, *at(5), open.Fit(r, text, *at(5)))
	assert.Equal(t, *at(300), open.Fit(r, text, *at(300)))
	fit := open.Fit(r, text, *at(-3000))
	assert.Equal(t, at(300).At, fit.At)
	assert.True(t, fit.Clamped)
	assert.Equal(t, at(310).At, r.PlaceAt(*at(-2990)).At, "of an event that is not applied yet")
	var none *work.Run
	assert.Equal(t, *at(-3000), none.PlaceAt(*at(-3000)))
}
