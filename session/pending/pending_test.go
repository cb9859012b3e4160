package pending_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/pending"
)

func at(sec int64) clock.Moment {
	return clock.Moment{At: clock.InstantOf(time.Unix(1_700_000_000+sec, 0)), Source: clock.SourceLine}
}

// queue adds events, a second apart.
func queue(evs ...events.DisplayEvent) (p pending.Events) {
	for i := range evs {
		p.Add(&evs[i], at(int64(i)), pending.Origin{Index: i}, pending.New, &otlp.CaptureSettings{})
	}
	return p
}

func header(session string) events.DisplayEvent {
	return events.DisplayEvent{Kind: events.KindSessionStarted, SessionID: session, Session: &events.Session{Recorded: true}}
}

func TestOpening(t *testing.T) {
	prompt := events.DisplayEvent{Kind: events.KindPrompt, Text: "hello", SessionID: "s1", TurnID: "t1"}
	answer := events.DisplayEvent{Kind: events.KindText, SessionID: "s2", Model: "m1"}
	p := queue(header("s0"), prompt, answer)
	assert.Equal(t, "s2", p.Session(), "the session of the model's first work")
	assert.Equal(t, "s0", p[:2].Session(), "else the first one")
	assert.Equal(t, link.Turn{Provider: "claude", Session: "s1", Turn: "t1"}, p.Turn("claude"))
	assert.Equal(t, "m1", p.Model())
	assert.True(t, p.Recorded() && p.HasStart())
	assert.False(t, p[1:].Recorded() || p[1:].HasStart())
	text, ok := p.Prompt()
	assert.Equal(t, "hello", text)
	assert.True(t, ok)
	assert.Equal(t, "s0", queue(header("s0"), header("s1"), answer).Session(), "the second start begins another run")
}

func TestChild(t *testing.T) {
	own := events.DisplayEvent{Kind: events.KindPrompt, SessionID: "s1", AgentID: "a1"}
	inline := events.DisplayEvent{Kind: events.KindPrompt, SessionID: "s1", AgentID: "a1", ParentID: "call"}
	session := events.DisplayEvent{Kind: events.KindSessionStarted, SessionID: "s2", Session: &events.Session{SubAgent: true}}
	assert.Equal(t, link.Key{Provider: "claude", Session: "s1", Agent: "a1"}, queue(own).Child("claude"))
	assert.Equal(t, link.Key{Provider: "codex", Agent: "s2"}, queue(session).Child("codex"))
	assert.Equal(t, link.Key{}, queue(inline).Child("claude"), "it works in the stream of its parent")
	assert.Equal(t, link.Key{}, queue(header("s1"), own).Child("claude"), "the first event with a session decides")
}

func TestGap(t *testing.T) {
	notice := events.DisplayEvent{Kind: events.KindNotice, Notice: events.Notice{Level: events.LevelInfo}}
	p := queue(header("s1"), notice, events.DisplayEvent{Kind: events.KindPrompt})
	p[2].At = at(60)
	part, over := p.BeforeGap(30 * time.Second)
	assert.Len(t, part, 2)
	assert.True(t, over)
	assert.Equal(t, 2, p.UnaskedBeforeGap(30*time.Second))
	_, over = p.BeforeGap(0)
	assert.False(t, over, "no limit")
	p[2].At.Lived = true
	_, over = p.BeforeGap(30 * time.Second)
	assert.False(t, over, "the system clock decided")
	assert.True(t, p[:2].IsUnasked())
	assert.False(t, p.IsUnasked())
}

func TestLimits(t *testing.T) {
	p := queue(make([]events.DisplayEvent, 8)...)
	assert.False(t, p.Exceed(pending.Limits{Events: 8, Bytes: 1 << 20}))
	assert.True(t, p.Exceed(pending.Limits{Events: 7, Bytes: 1 << 20}))
	assert.True(t, p.Exceed(pending.Limits{Events: 8, Bytes: 1 << 10}))
	assert.False(t, p.LeaveRoom(pending.Limits{Events: 8, Bytes: 1 << 20}, 1))
	assert.True(t, p.LeaveRoom(pending.Limits{Events: 8, Bytes: 1 << 20}, 2), "a quarter is free")
	assert.False(t, pending.Events(nil).Exceed(pending.Limits{}))
}

func TestDate(t *testing.T) {
	p := queue(make([]events.DisplayEvent, 3)...)
	p[0].At, p[1].At = clock.Moment{}, clock.Moment{At: at(9).At, Source: clock.SourceArrival}
	assert.True(t, p.Undated())
	carried := clock.Moment{At: at(5).At, Source: clock.SourceCarried}
	p.Date(carried)
	assert.False(t, p.Undated())
	assert.Equal(t, []clock.Moment{carried, carried, at(2)}, []clock.Moment{p[0].At, p[1].At, p[2].At}, "a guessed time is replaced")
}

// TestAdd checks that an event keeps only what is captured of its tool's texts, and its own copy of that.
func TestAdd(t *testing.T) {
	input := []byte("in")
	ev := events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{Input: input, Output: []byte("out")}}
	var p pending.Events
	p.Add(&ev, at(0), pending.Origin{}, pending.Again, &otlp.CaptureSettings{ToolInput: true})
	input[0] = 'x'
	assert.Equal(t, "in", string(p[0].Event.Tool.Input))
	assert.Nil(t, p[0].Event.Tool.Output)
	assert.Equal(t, pending.Again, p[0].Delivery)
}

func TestNumbers(t *testing.T) {
	var n pending.Numbers
	text := &events.DisplayEvent{Kind: events.KindText, ItemID: "i1"}
	other := &events.DisplayEvent{Kind: events.KindText, ItemID: "i2"}
	use := &events.DisplayEvent{Kind: events.KindToolUse, ItemID: "i1"}
	assert.Equal(t, []int{0, 1, 0, 0}, []int{n.Next(text), n.Next(text), n.Next(use), n.Next(other)})
}

func TestAsked(t *testing.T) {
	prompt := events.DisplayEvent{Kind: events.KindPrompt, Text: "hello"}
	program, inner, stream := prompt, prompt, header("s1")
	program.Synthetic, inner.ParentID, stream.Session = true, "call1", nil
	retry := events.DisplayEvent{Kind: events.KindNotice, Notice: events.Notice{Code: events.NoticeAPIRetry}}
	stop := events.DisplayEvent{Kind: events.KindNotice, Sign: events.Sign{Outcome: events.OutcomeInterrupted}}
	for _, tt := range []struct {
		name string
		p    pending.Events
		want int // the index of the event, or -1
	}{
		{"nothing", nil, -1},
		{"header", queue(header("s1")), -1},
		{"prompt", queue(header("s1"), prompt, retry), 1},
		{"start of a stream, then a prompt", queue(stream, prompt), 0},
		{"in the user's name, and to a sub-agent", queue(header("s1"), program, inner), -1},
		{"stopped", queue(prompt, stop), -1},
		{"asked again", queue(prompt, stop, prompt), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := tt.p.Asked()
			if tt.want < 0 {
				assert.Nil(t, asked)
				return
			}
			assert.Same(t, &tt.p[tt.want], asked)
		})
	}
}
