package share_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/account"
	"github.com/tailspan/tailspan/session/clock"
	"github.com/tailspan/tailspan/session/exported"
	"github.com/tailspan/tailspan/session/link"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/session/runkey"
	"github.com/tailspan/tailspan/session/share"
	"github.com/tailspan/tailspan/session/work"
)

// world has what all streams share.
type world struct {
	accounts *account.Registry[string]
	ids      *exported.Table
}

func newWorld() *world {
	return &world{accounts: account.NewRegistry[string](100), ids: exported.NewTable(exported.Limits{IDs: 100, Items: 100})}
}

// stream returns the share of a stream.
func (w *world) stream(id string, recorded bool) *share.Share[string] {
	seen := exported.NewSeen(w.ids)
	s := share.New(share.Settings[string]{
		Accounts: w.accounts, IDs: w.ids, Seen: &seen, Self: id, Stream: id, WaitingBytes: 1 << 20,
		Program: &program.Program{Agent: &program.Agent{Provider: "gemini", StreamIDs: true}, Recorded: recorded},
	})
	return &s
}

// open opens the run of a session with a key in a stream.
func open(s *share.Share[string], id string) *work.Run {
	key := &runkey.Key{ID: id}
	r := &work.Run{}
	r.Key, r.SessionID = id, "s1"
	r.Top = &work.Agent{Run: r}
	r.Standing, r.Account = s.Classify("s1", key, pending.Events{{Event: *text("Let me look at the file")}})
	if r.Standing == account.First {
		r.Ref = &link.Run{RunID: link.RunID{Trace: otlp.TraceID{1}, Top: otlp.SpanID{2}}, Key: id}
		s.Opened(r)
	} else if r.Account != nil && r.Account.Run() != nil {
		s.Join(r)
	}
	return r
}

func text(s string) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindText, SessionID: "s1", Text: s}
}

func decide(s *share.Share[string], r *work.Run, ev *events.DisplayEvent) share.Decision {
	return s.Decide(r.Top, nil, pending.Sighting{Event: ev})
}

// TestJoined checks the second account of a run under the same key: it waits for the first one and exports new content only.
func TestJoined(t *testing.T) {
	w := newWorld()
	stream, transcript := w.stream("stream", true), w.stream("transcript", true)
	first := open(stream, "r1")
	first.Ref.Recorded = true
	assert.Equal(t, account.First, first.Standing)
	assert.Equal(t, share.Exported, decide(stream, first, &events.DisplayEvent{Kind: events.KindPrompt}))

	second := open(transcript, "r1")
	assert.Equal(t, account.Joined, second.Standing)
	assert.Equal(t, first.Ref, second.Ref)
	assert.True(t, transcript.Await(second.Account))
	assert.Equal(t, share.Dropped, decide(transcript, second, text("a")), "the first account is not over")

	first.Closed = true
	assert.Equal(t, []string{"transcript"}, stream.Written(first, false))
	assert.True(t, !second.WaitsForFirst() && second.Late)
	assert.Equal(t, share.Exported, decide(transcript, second, text("a")), "its ID decides")
	assert.Equal(t, share.Dropped, decide(transcript, second, &events.DisplayEvent{Kind: events.KindPrompt}))
}

// TestTwin checks the second account of a run under another key: it exports what has no sign in the first.
func TestTwin(t *testing.T) {
	w := newWorld()
	stream, transcript := w.stream("stream", false), w.stream("transcript", true)
	first := open(stream, "r1")
	stream.NoteSigns(first.Top, text("Let me look at the file"), false)
	second := open(transcript, "another key")
	require.Equal(t, account.Twin, second.Standing)
	second.Late = true
	assert.Equal(t, share.Dropped, decide(transcript, second, text("Let me look at the file")))
	assert.Equal(t, share.Exported, decide(transcript, second, text("Something else entirely")))
	use := &events.DisplayEvent{Kind: events.KindToolUse, SessionID: "s1", Tool: events.Tool{ID: "t1", Name: "read_file", Target: "a.go"}}
	stream.NoteSigns(first.Top, use, false)
	assert.True(t, transcript.IsElsewhere(second, use, false), "one call like it")
	assert.False(t, transcript.IsElsewhere(second, use, false), "no second one")
}

// TestCopy checks that copied history exports nothing until the session leaves it.
func TestCopy(t *testing.T) {
	s := newWorld().stream("fork", true)
	r := &work.Run{}
	r.Top = &work.Agent{Run: r}
	r.Standing, r.Account = s.Classify("s1", &runkey.Key{ID: "r1", Marked: true}, nil)
	assert.True(t, r.IsCopy())
	assert.Equal(t, share.Dropped, decide(s, r, text("a")))
	copied := text("a")
	copied.Copied = true
	assert.False(t, s.LeavesHistory(r, copied))
	assert.True(t, s.LeavesHistory(r, text("b")))
	assert.False(t, s.LeavesHistory(nil, text("b")))
}

// TestAgents checks that the first stream with a sub-agent has it, also after a restart.
func TestAgents(t *testing.T) {
	w := newWorld()
	a, b := w.stream("a", true), w.stream("b", true)
	key, span := link.Key{Provider: "claude", Session: "s1", Agent: "a1"}, otlp.SpanRef{Trace: otlp.TraceID{1}, Span: otlp.SpanID{3}}
	first := a.ClaimAgent(key, span, true)
	require.NotNil(t, first)
	assert.Nil(t, b.ClaimAgent(key, span, false))
	assert.True(t, b.FirstHasAgent(key, span))
	assert.False(t, b.Owns("agent", "claude", "s1", "a1", "0"))

	assert.True(t, b.Await(first))
	r := &work.Run{}
	r.Ref = &link.Run{}
	r.OverAgents = []*work.Agent{{Account: first, Time: clock.Interval{}}}
	assert.Equal(t, []string{"b"}, a.EndAgents(r))
	assert.Empty(t, a.EndAgents(r), "once")

	later := newWorld().stream("a", true)
	later.Restore(a.Claims())
	assert.True(t, later.Owns("agent", "claude", "s1", "a1", "0"))
}
