package runkey_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/session/pending"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/session/runkey"
)

func TestOf(t *testing.T) {
	type ev = events.DisplayEvent
	prompt := ev{Kind: events.KindPrompt, SessionID: "s1"}
	answer := ev{Kind: events.KindText, SessionID: "s1", Text: "hello"}
	named := ev{Kind: events.KindText, SessionID: "s1", Text: "hello", MessageID: "msg_1"}
	for _, tt := range []struct {
		name  string
		evs   []ev
		force bool
		agent program.Agent
		want  string // without the hash of the content
		ok    bool
	}{
		{"the model said nothing yet", []ev{prompt}, false, program.Agent{}, "", false},
		{"message", []ev{prompt, named}, false, program.Agent{}, "msg_1", true},
		{"turn", []ev{{Kind: events.KindTurnStarted, TurnID: "t1", SessionID: "s1"}, answer}, false, program.Agent{}, "t1", true},
		{"line", []ev{{Kind: events.KindPrompt, SessionID: "s1", ItemID: "i1"}, answer}, false, program.Agent{}, "s1/i1", true},
		{"number", []ev{prompt, answer}, false, program.Agent{}, "s1#3", true},
		{"offset", []ev{{Kind: events.KindText, Text: "hello"}}, false, program.Agent{}, "f@40", true},
		{"ended without an answer", []ev{prompt, {Kind: events.KindTurnDone}}, false, program.Agent{}, "s1#3", true},
		{"forced", []ev{prompt}, true, program.Agent{}, "s1#3", true},
		{"unique messages", []ev{prompt, {Kind: events.KindUsage, MessageID: "msg_1"}}, false, program.Agent{OwnMessageIDs: true}, "msg_1", true},
		{"reasoning, which a twin may lack", []ev{{Kind: events.KindReasoning, Text: "hm", MessageID: "msg_1"}}, false, program.Agent{StreamIDs: true}, "msg_1", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &program.Program{Agent: &tt.agent, Fingerprint: "f"}
			var waiting pending.Events
			for i := range tt.evs {
				waiting = append(waiting, pending.Event{Event: tt.evs[i], Origin: pending.Origin{Offset: 40, Index: i}})
			}
			key, ok := runkey.Of(p, waiting, 3, tt.force)
			assert.Equal(t, tt.ok, ok)
			assert.Equal(t, tt.want, key.ID)
			id, _, _ := strings.Cut(key.String(), "~")
			assert.Equal(t, tt.want, id)
		})
	}
}

// TestContent checks that runs whose servers give the same ID differ by what the model said.
func TestContent(t *testing.T) {
	p := &program.Program{Agent: &program.Agent{}, Fingerprint: "f"}
	of := func(text string) string {
		key, ok := runkey.Of(p, pending.Events{{Event: events.DisplayEvent{Kind: events.KindText, MessageID: "chatcmpl-0", Text: text}}}, 0, false)
		assert.True(t, ok && key.ByMessage)
		return key.String()
	}
	assert.NotEqual(t, of("a"), of("b"))
	assert.Equal(t, of("a\nb"), of("a\nc"), "of the first line")
}

func TestItem(t *testing.T) {
	p := &program.Program{Agent: &program.Agent{Provider: "claude"}}
	ev := &events.DisplayEvent{Kind: events.KindText, SessionID: "s1", MessageID: "msg_1", Text: "hello", Time: time.Unix(1_700_000_000, 0)}
	item, ok := runkey.Item(p, ev)
	assert.True(t, ok)
	other := *ev
	other.SessionID = "s2"
	copied, _ := runkey.Item(p, &other)
	assert.Equal(t, item.Stable(), copied.Stable(), "the copy in another session")
	other.SessionID = ""
	_, ok = runkey.Item(p, &other)
	assert.False(t, ok, "there is no other session")
	_, ok = runkey.Item(&program.Program{Agent: &program.Agent{Bodies: true}}, ev)
	assert.False(t, ok, "a server's answers are never history")
}
