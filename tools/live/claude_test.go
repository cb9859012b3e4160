package live

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

var claudeAgent = regexp.MustCompile(`agentId: ?([a-z0-9]+)`)

func claude() cli {
	run := func(allowed string, more ...string) func(string) []string {
		return func(prompt string) []string {
			return append([]string{"-p", prompt, "--model", "claude-demo", "--permission-mode", "acceptEdits", "--allowedTools", allowed}, more...)
		}
	}
	const tools = "Bash,Read,Write,Edit,Agent,Task,SendMessage"
	return cli{
		provider: "claude", program: "claude", title: "Claude Code", node22: true,
		args: run(tools), again: run(tools, "--continue"), denying: run(tools, "--disallowedTools", "Bash(rm *)"),
		inputs: []string{"-p", "--input-format", "stream-json", "--model", "claude-demo", "--permission-mode", "acceptEdits", "--allowedTools", tools},
		input:  messageLine,
		home: func(_ *testing.T, at place) []string {
			return []string{"ANTHROPIC_BASE_URL=" + at.url, "ANTHROPIC_API_KEY=" + dummyKey, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
				"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "CLAUDE_CODE_MAX_RETRIES=2"}
		},
		sessions: []string{".claude/projects/**/*.jsonl"},
		shell: func(command string) mockmodel.Call {
			return mockmodel.Call{Name: "Bash", Args: args{"command": command, "description": "run"}}
		},
		files: func(work string) []ownCall {
			file := filepath.Join(work, notes)
			return []ownCall{
				{mockmodel.Call{Name: "Read", Args: args{"file_path": file}}, "read", file},
				{mockmodel.Call{Name: "Bash", Args: args{"command": "grep -n " + sought + " " + notes, "description": "search"}}, "shell", "grep -n " + sought + " " + notes}, // it has no separate tool for searching
				{mockmodel.Call{Name: "Edit", Args: args{"file_path": file, "old_string": sought, "new_string": written}}, "edit", file},
			}
		},
		agents: &delegation{
			delegate: func(task string) mockmodel.Call {
				return mockmodel.Call{Name: "Agent", Args: args{"description": "look", "prompt": task, "subagent_type": "general-purpose", "run_in_background": false}}
			},
			ask: func(results, task string) mockmodel.Call {
				return mockmodel.Call{Name: "SendMessage", Args: args{"to": match(claudeAgent, results), "summary": "go on", "message": task}}
			},
		},
		compact: &compaction{prompt: "/compact", summary: regexp.MustCompile(`Tool calls will be rejected and you will fail the task`)},
		retried: 529,
		limits: []limit{
			{byRun, []string{"sub-agent", "asked-again"}, "the output tokens of a sub-agent's calls and its last call are on the run; not all of its text is shown", func(e *expectation) {
				e.not.eachCall, e.not.words = true, true
			}},
			{byRun, []string{"asked-again"}, "the answer to the report of a background task is a separate run, linked to the first", func(e *expectation) {
				e.runs = []ending{ok, {outcome: "ok", continues: true}}
			}},
			{byRun, []string{"compaction"}, "`/compact` is a separate run without text, and its model call has its tokens there", func(e *expectation) {
				e.runs, e.not.eachCall = []ending{ok, ok, ok}, true
			}},
			{byCollector, []string{"compaction"}, "the compacting call is not in the transcript", func(e *expectation) { e.not.summary = true }},
			{byCollector, []string{"sigkill"}, stops, endless},
		},
	}
}

// messageLine returns a prompt as a line for standard input, in the form that Claude Code and Qwen Code read.
func messageLine(prompt string) string {
	b, err := json.Marshal(args{"type": "user", "message": args{"role": "user", "content": []args{{"type": "text", "text": prompt}}}, "parent_tool_use_id": nil, "session_id": ""})
	if err != nil {
		panic(err) // strings can always be encoded
	}
	return string(b) + "\n"
}
