package render

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

// TestLooksAreComplete holds that every kind has a decided look in every style.
func TestLooksAreComplete(t *testing.T) {
	for _, k := range events.Kinds() {
		row := rowOf(k)
		if k == events.KindText {
			assert.Zero(t, row.ends, "text has code of its own")
			continue
		}
		for s := range styleEnd {
			assert.NotNil(t, row.verbose[s], "kind %s has no look in style %s", k, s)
		}
	}
	for k := range looks {
		if !slices.Contains(events.Kinds(), events.Kind(k)) {
			assert.Nil(t, looks[k].verbose[StyleMarker], "a row of no known kind")
		}
	}
	assert.Nil(t, rowOf(255).verbose[StyleMarker], "a kind of later times")
}

// TestToolsAreComplete holds that every tool of the table can be worded in every style.
func TestToolsAreComplete(t *testing.T) {
	for name, tool := range tools {
		assert.Same(t, tool, lookUp(name), "%q is not in lower case", name)
		assert.NotEmpty(t, tool.label, name)
		if tool.field == fieldNone {
			assert.Empty(t, tool.doing+tool.done+tool.noun, "%q has words that nothing shows", name)
			continue
		}
		assert.NotEmpty(t, tool.done, name)
		assert.NotEmpty(t, tool.noun, name)
		assert.True(t, tool.doing != "" || tool.field == fieldCommand, "%q has no verb", name)
	}
}

func TestBaseName(t *testing.T) {
	tests := []struct{ path, want string }{
		{"calc.go", "calc.go"}, {"/home/dev/calc.go", "calc.go"}, {"src/", "src"}, {`C:\src\calc.go`, "calc.go"},
		{"/", "/"}, {"", ""}, {".", "."},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, baseName(tt.path), "baseName(%q)", tt.path)
	}
}

func TestCallMemory(t *testing.T) {
	at := time.Date(2026, 11, 27, 9, 0, 0, 0, time.UTC)
	m := callMemory{limit: 2}
	answer := func(told events.Tool) events.Tool {
		m.complete(&told, at.Add(time.Second))
		m.evict(&told)
		return told
	}
	for _, id := range []string{"", "a", "b", "c"} {
		m.remember(&events.Tool{ID: id, Name: "read", Target: id}, at)
	}
	assert.Equal(t, events.Tool{ID: "a"}, answer(events.Tool{ID: "a"}), "the oldest is forgotten")
	assert.Equal(t, events.Tool{ID: "b", Name: "read", Target: "b", Duration: time.Second}, answer(events.Tool{ID: "b"}))
	assert.Equal(t, events.Tool{ID: "b"}, answer(events.Tool{ID: "b"}), "an answer is given once")
	told := events.Tool{ID: "c", Name: "Grep", Target: "x", Duration: time.Minute}
	assert.Equal(t, told, answer(told), "the result's own word wins")
	m.remember(&events.Tool{ID: "d", Name: "bash"}, time.Time{})
	assert.Zero(t, answer(events.Tool{ID: "d"}).Duration, "a call without time took nobody knows how long")
	m.remember(&events.Tool{ID: "d", Name: "bash"}, at)
	assert.False(t, m.inBackground(&events.Tool{ID: "d"}))
	m.moveToBackground(&events.Tool{ID: "d"})
	m.moveToBackground(&events.Tool{ID: "never seen"})
	assert.True(t, m.inBackground(&events.Tool{ID: "d"}))
	assert.False(t, m.inBackground(&events.Tool{ID: "never seen"}))
	for range 1000 {
		m.remember(&events.Tool{ID: "x", Name: "read"}, at)
		m.evict(&events.Tool{ID: "x"})
	}
	assert.LessOrEqual(t, len(m.order), 4, "answered calls do not pile up")
}

// TestActivityAction holds that the throttle lets pass silently what shows nothing, and only that, for every kind with and
// without its payload.
func TestActivityAction(t *testing.T) {
	for _, k := range append(events.Kinds(), 200) {
		for name, e := range map[string]events.DisplayEvent{
			"bare": {Kind: k},
			"full": {
				Kind: k, Text: "words", Tool: events.Tool{ID: "t", Name: "Read", Target: "x"}, Notice: events.Notice{Level: events.LevelWarn},
				End: &events.End{Error: true, Err: "went wrong"}, Approval: &events.Approval{Tool: "Bash"},
				Ask: &events.Ask{Questions: []events.AskQuestion{{Prompt: "Which?"}}},
			},
			"partial": {Kind: k, Tool: events.Tool{Name: "Read", Partial: true}},
			"retry":   {Kind: k, Notice: events.Notice{Code: events.NoticeAPIRetry}},
		} {
			for _, more := range []bool{false, true} {
				var out strings.Builder
				r := New(&out, Settings{Mode: ModeVerbose, Style: StyleActivity, Reasoning: more, Results: more})
				got := r.activityAction(&e)
				r.Emit(&e)
				assert.Equal(t, out.Len() == 0, got == actionSilent, "%s %s, reasoning and results %t: action %d, shown %q", name, k, more, got, out.String())
				if got == actionHold {
					assert.Contains(t, []events.Kind{events.KindToolUse, events.KindToolResult}, k)
				}
			}
		}
	}
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 340 * time.Millisecond: "340ms", 4123 * time.Millisecond: "4.1s", 59940 * time.Millisecond: "59.9s",
		59960 * time.Millisecond: "1m00s", 62 * time.Second: "1m02s", 3599600 * time.Millisecond: "1h00m", 3*time.Hour + 5*time.Minute: "3h05m",
	} {
		assert.Equal(t, want, short(d), d.String())
	}
}

func TestMCPName(t *testing.T) {
	for _, tt := range []struct{ name, server, wantServer, wantTool string }{
		{"mcp__warehouse__look_up", "", "warehouse", "look_up"},
		{"mcp__warehouse__look_up", "warehouse", "warehouse", "look_up"},
		{"warehouse_look_up", "warehouse", "warehouse", "look_up"},
		{"look_up", "warehouse", "warehouse", "look_up"},
		{"look_up", "", "", ""},
		{"mcp__odd", "", "odd", ""},
	} {
		server, tool := mcpName(&events.Tool{Name: tt.name, Server: tt.server})
		assert.Equal(t, []string{tt.wantServer, tt.wantTool}, []string{server, tool}, tt.name)
	}
}

// TestThreadsAreBounded looks inside: what is remembered of sub-agents shows nowhere else.
func TestThreadsAreBounded(t *testing.T) {
	n := threads{limit: 3}
	lead := func(parent string) string { return n.leadOf(&events.DisplayEvent{ParentID: parent}) }
	call := func(id, parent string) {
		n.see(&events.DisplayEvent{Kind: events.KindToolUse, ParentID: parent, Tool: events.Tool{ID: id, Name: "Task", AgentType: id}})
	}
	call("a", "")
	call("b", "a")
	call("c", "b")
	assert.Equal(t, []string{"", "  ", "    ", "      "}, []string{lead(""), lead("a"), lead("b"), lead("c")})
	for i := range 100 {
		call(strings.Repeat("x", i+1), strings.Repeat("x", i))
		call(strings.Repeat("y", i+1), "")
		lead(strings.Repeat("y", i+1))
		require.LessOrEqual(t, len(n.byKey), 3)
		require.LessOrEqual(t, len(n.order), 3)
		require.LessOrEqual(t, len(n.names), 4)
		require.LessOrEqual(t, n.open, 3)
	}
	long := strings.Repeat("z", 1<<20)
	call(long, "")
	for key, th := range n.byKey {
		assert.LessOrEqual(t, len(key.call), maxIdentity)
		assert.LessOrEqual(t, len(th.kind), 4*maxThreadName)
	}
	n.see(&events.DisplayEvent{Kind: events.KindSessionEnded})
	assert.Zero(t, n.open)
}
