package codex_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

func collab(phase, id, tool, rest string) string {
	return `{"type":"item.` + phase + `","item":{"id":"` + id + `","type":"collab_tool_call","tool":"` + tool + `",` + rest + `}}`
}

// progress lists the states of calls in ToolProgress events.
func progress(all []events.DisplayEvent) (states []string) {
	for i := range all {
		if e := &all[i]; e.Kind == events.KindToolProgress {
			states = append(states, e.Tool.ID+" "+e.Tool.State.String()+" "+e.Tool.AgentID)
		}
	}
	return states
}

func TestSubAgentsInAStream(t *testing.T) {
	waited := collab("completed", "item_2", "wait", `"agents_states":{"t1":{"status":"completed","message":"done"},"t2":{"status":"errored","message":"no"},"t3":"running"},"status":"completed"`)
	out := all(t,
		collab("started", "item_1", "spawn_agent", `"receiver_thread_ids":[],"prompt":"look","agents_states":{},"status":"in_progress"`),
		collab("completed", "item_1", "spawn_agent", `"receiver_thread_ids":["t1"],"prompt":"look","agents_states":{"t1":{"status":"pending_init","message":null}},"status":"completed"`),
		waited, collab("completed", "item_3", "send_input", `"agents_states":{"t1":{"status":"running"}},"status":"completed"`), waited)
	require.Len(t, out, 8)
	assert.Equal(t, []string{"tool_use", "tool_result", "tool_use", "tool_result", "tool_progress", "tool_use", "tool_result", "tool_progress"}, kinds(out))
	spawned := out[1]
	assert.Equal(t, "t1", spawned.Tool.AgentID)
	assert.Empty(t, spawned.AgentID, "the parent reports it")
	assert.Equal(t, events.ToolStateBackground, spawned.Tool.State)
	assert.Empty(t, out[3].Tool.AgentID, "who waits starts nobody")
	assert.Equal(t, "done\nno", string(out[3].Tool.Output))
	assert.Equal(t, []string{"item_1 completed t1", "item_1 running t1"}, progress(out), "each change once, of the sub-agents that this stream started")
}

func TestSubAgentsInARollout(t *testing.T) {
	spawn := functionCall("c1", "spawn_agent", `{"message":"look","agent_type":"explorer"}`)
	for name, lines := range map[string][]string{
		"first kind": {spawn,
			completed(`{"type":"CollabAgentToolCall","id":"c1","tool":"spawn_agent","status":"completed","receiver_thread_ids":["t1"],"agents_states":{"t1":"pending_init"}}`, ""),
			functionCall("c2", "wait_agent", "{}"),
			completed(`{"type":"CollabAgentToolCall","id":"c2","tool":"wait","status":"completed","receiver_thread_ids":["t1"],"agents_states":{"t1":{"completed":"done"}}}`, "")},
		"second kind": {spawn,
			completed(`{"type":"SubAgentActivity","id":"c1","kind":"started","agent_thread_id":"t1","agent_path":"/top/a"}`, ""), output("c1", `{"task_name":"/top/a"}`),
			completed(`{"type":"SubAgentActivity","id":"x","kind":"completed","agent_thread_id":"t1"}`, "")},
		"outputs alone": {spawn, output("c1", `{"agent_id":"t1","nickname":"A"}`),
			functionCall("c2", "wait_agent", "{}"), output("c2", `{"status":{"t1":{"completed":"done"}},"timed_out":false}`)},
		"by a script": {
			completed(`{"type":"SubAgentActivity","id":"exec-1","kind":"started","agent_thread_id":"t1","agent_path":"/top/a"}`, ""),
			completed(`{"type":"SubAgentActivity","id":"x","kind":"completed","agent_thread_id":"t1"}`, "")},
	} {
		t.Run(name, func(t *testing.T) {
			out := all(t, lines...)
			use := out[0].Tool
			require.Equal(t, "spawn_agent", use.Name)
			assert.NotEmpty(t, use.AgentType)
			var result *events.DisplayEvent
			for i := range out {
				if out[i].Kind == events.KindToolResult && out[i].Tool.ID == use.ID {
					result = &out[i]
				}
			}
			require.NotNil(t, result)
			assert.Equal(t, "t1", result.Tool.AgentID)
			assert.Equal(t, events.ToolStateBackground, result.Tool.State)
			states := progress(out)
			require.NotEmpty(t, states)
			assert.Equal(t, use.ID+" completed t1", states[len(states)-1])
		})
	}
}

func TestSubAgentsRollout(t *testing.T) {
	for name, meta := range map[string]string{
		"root reported":    `"id":"t1","session_id":"root","parent_thread_id":"mid","agent_path":"/top/auditor","cli_version":"0.171.0"`,
		"deep in a source": `"id":"t1","cli_version":"0.125.0","source":{"subagent":{"thread_spawn":{"parent_thread_id":"root","agent_role":"auditor"}}}`,
	} {
		out := all(t, `{"timestamp":"2026-03-02T12:00:00Z","type":"session_meta","payload":{`+meta+`}}`,
			`{"timestamp":"2026-03-02T12:00:00Z","type":"event_msg","payload":{"type":"task_started","turn_id":"own","root_turn_id":"turn"}}`,
			response(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}`))
		require.Equal(t, []string{"session_start", "turn_start", "text"}, kinds(out), name)
		assert.True(t, out[0].Session.SubAgent, name)
		assert.Equal(t, "auditor", out[0].Session.AgentName, name)
		for _, e := range out {
			assert.Equal(t, "root", e.SessionID, name)
			assert.Equal(t, "t1", e.AgentID, name)
			assert.Empty(t, e.ParentID, name)
		}
		assert.Equal(t, "turn", out[2].TurnID, name)
	}
	out := all(t, `{"timestamp":"2026-03-02T12:00:00Z","type":"session_meta","payload":{"id":"t1","source":{"subagent":"review"}}}`)
	assert.Equal(t, []string{"session_start"}, kinds(out))
	assert.Equal(t, "t1", out[0].SessionID)
	assert.False(t, out[0].Session.SubAgent, "a sub-agent without a reported parent")
}
