package gemini_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
)

func TestTargets(t *testing.T) {
	for _, tc := range []struct {
		name, args, want string
	}{
		{"read_file", `{"limit":1,"file_path":"a.go"}`, "a.go"},
		{"read_file", `{"absolute_path":"/a.go"}`, "/a.go"},
		{"read_file", `{"path":12,"limit":"many"}`, ""},
		{"run_shell_command", `{"description":"d","command":"echo $(x) \\033[1m"}`, `echo $(x) \033[1m`},
		{"run_shell_command", `{}`, ""},
		{"run_shell_command", `{"command":["a"],"description":"d"}`, ""},
		{"list_directory", `{"dir_path":"src"}`, "src"},
		{"list_directory", `{"path":"src"}`, "src"},
		{"search_file_content", `{"include":"*.go","pattern":"x"}`, "x"},
		{"web_fetch", `{"prompt":"sum up https://x.example","url":"https://y.example"}`, "https://y.example"},
		{"web_fetch", `{"prompt":"sum up https://x.example"}`, "sum up https://x.example"},
		{"write_todos", `{"todos":[{"description":"a","status":"completed"},5,{"description":"b","status":"in_progress"}]}`, "b"},
		{"write_todos", `{"todos":[{"description":"a","status":"pending"}]}`, ""},
		{"write_todos", `{"todos":"none"}`, ""},
		{"invoke_agent", `{"agent_name":"finder","prompt":"find it"}`, "find it"},
		{"codebase_investigator", `{"objective":"where"}`, "where"},
		{"tracker_create_task", `{"title":"t","description":"d"}`, "d"},
		{"activate_skill", `{"name":"style"}`, "style"},
		{"ask_user", `{"questions":[{"question":"q"}]}`, ""},
		{"complete_task", `{"result":"r"}`, ""},
		{"mcp_weather_forecast", `{"city":"Bonn"}`, ""},
		{"unheard_of", `{"command":"","query":"q"}`, "q"},
		{"unheard_of", `[1]`, ""},
	} {
		all := feed(t, newSource(), fmt.Sprintf(`{"type":"tool_use","tool_name":%q,"tool_id":"c","parameters":%s}`, tc.name, tc.args))
		require.Len(t, all, 1)
		assert.Equal(t, tc.want, all[0].Tool.Target, "%s %s", tc.name, tc.args)
		assert.Equal(t, tc.args, string(all[0].Tool.Input))
	}
}

func TestToolOf(t *testing.T) {
	for _, tc := range []struct {
		name, tool, title, server, agent string
		readOnly                         bool
	}{
		{name: "built in", tool: "glob", title: "FindFiles", readOnly: true},
		{name: "changes things", tool: "replace", title: "Edit"},
		{name: "server by name", tool: "mcp_weather_break_it", server: "weather"},
		{name: "server by title", tool: "mcp_my_server_do_it", title: "do_it (my_server MCP Server)", server: "my_server"},
		{name: "server before 0.34", tool: "forecast", title: "forecast (weather MCP Server)", server: "weather"},
		{name: "no server", tool: "mcp_alone"},
		{name: "sub-agent under its own name", tool: "codebase_investigator", agent: "codebase_investigator", readOnly: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			all := feed(t, newSource(), recorded("g1", "", fmt.Sprintf(`{"id":"c","name":%q,"args":{},"displayName":%q,"status":"executing"}`, tc.tool, tc.title)))
			uses := only(all, events.KindToolUse)
			require.Len(t, uses, 1)
			assert.Equal(t, tc.server, uses[0].Tool.Server)
			assert.Equal(t, tc.agent, uses[0].Tool.AgentType)
			assert.Equal(t, tc.readOnly, uses[0].Tool.ReadOnly)
		})
	}
	t.Run("sub-agent of the user's by what was shown", func(t *testing.T) {
		all := feed(t, newSource(), recorded("g1", "", `{"id":"c","name":"my_agent","args":{},"resultDisplay":{"agentName":"my_agent","isSubagentProgress":true},"status":"executing"}`))
		assert.Equal(t, "my_agent", only(all, events.KindToolUse)[0].Tool.AgentType)
	})
	t.Run("control characters in a name", func(t *testing.T) {
		all := feed(t, newSource(), `{"type":"tool_use","tool_name":"gl\u001b[31mob\n","tool_id":"c","parameters":{}}`)
		assert.Equal(t, "glob ", all[0].Tool.Name)
	})
}
