package telemetry

import "strings"

// Kinds of tools, the values of [AttrToolKind]: the same for all providers, whatever they call a tool.
const (
	ToolKindShell  = "shell"
	ToolKindRead   = "read"
	ToolKindEdit   = "edit"
	ToolKindSearch = "search" // of files and their contents
	ToolKindWeb    = "web"
	ToolKindAgent  = "agent"
	ToolKindMCP    = "mcp"
	ToolKindOther  = "other"
)

// toolKinds are the kinds of the tools of Claude Code 1.0 to 2.1, Codex 0.29 to 0.171, Gemini CLI, OpenCode 0.5 to 1.18 and
// Qwen Code as their captures of November 2026 show them, and the common ones of OpenAI-compatible servers, in lower case.
var toolKinds = kindsByName(map[string]string{
	ToolKindShell: `bash bashoutput killshell shell exec exec_command command_execution run_shell_command run_shell run_command
		run_terminal_cmd execute_command local_shell local_shell_call shell_command container.exec unified_exec write_stdin powershell
		terminal monitor list_background_processes read_background_output`,
	ToolKindRead: `read read_file readfile open_file read_many_files notebookread view_image ls list list_dir list_directory lsp
		get_internal_docs`,
	ToolKindEdit: `edit multiedit edit_file replace str_replace apply_patch patch patch_apply file_change notebookedit notebook_edit write
		write_file writefile create_file`,
	ToolKindSearch: "grep grep_search search_file_content ripgrep glob find find_files codesearch tool_search toolsearch",
	ToolKindWeb:    "webfetch web_fetch websearch web_search google_web_search",
	ToolKindAgent: `agent task workflow spawn_agent invoke_agent delegate codebase_investigator cli_help generalist send_input send_message
		sendmessage followup_task wait_agent resume_agent close_agent interrupt_agent list_agents listagents`,
	ToolKindMCP: "listmcpresourcestool readmcpresourcetool list_mcp_resources list_mcp_resource_templates read_mcp_resource",
})

func kindsByName(names map[string]string) map[string]string {
	kinds := map[string]string{}
	for kind, list := range names {
		for name := range strings.FieldsSeq(list) {
			kinds[name] = kind
		}
	}
	return kinds
}

// longestToolName is more than the longest name in toolKinds.
const longestToolName = 32

// kind is what kind of tool the call is of.
func (n *call) kind() string {
	return toolKind(n.name, n.server, n.agentType != "" || n.child != nil || n.agentID != "")
}

// toolKind is the kind of a tool by its name and MCP server, and whether a call of it started an agent.
func toolKind(name, server string, agent bool) string {
	if server != "" {
		return ToolKindMCP
	}
	if len(name) < longestToolName {
		var lower [longestToolName]byte // no garbage for each call
		for i := range len(name) {
			c := name[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			lower[i] = c
		}
		if kind := toolKinds[string(lower[:len(name)])]; kind != "" {
			return kind
		}
	}
	if agent {
		return ToolKindAgent
	}
	return ToolKindOther
}
