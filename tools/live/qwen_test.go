package live

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

func qwen() cli {
	run := func(more ...string) func(string) []string {
		return func(prompt string) []string { return append([]string{"-p", prompt, "--yolo"}, more...) }
	}
	return cli{
		provider: "qwen", program: "qwen", title: "Qwen Code", node22: true, args: run(), again: run("--continue"),
		inputs: []string{"--input-format", "stream-json", "--yolo"}, input: messageLine,
		home: func(t *testing.T, at place) []string {
			t.Helper()
			writeFile(t, filepath.Join(at.home, ".qwen", "settings.json"), `{"security":{"auth":{"selectedType":"openai"}},"privacy":{"usageStatisticsEnabled":false},
"general":{"enableAutoUpdate":false},"permissions":{"deny":["Bash(rm *)"]},"model":{"generationConfig":{"maxRetries":1}}}`)
			return []string{"OPENAI_API_KEY=" + dummyKey, "OPENAI_BASE_URL=" + at.url + "/v1", "OPENAI_MODEL=demo"}
		},
		sessions: []string{".qwen/projects/*/chats/**/*.jsonl", ".qwen/projects/*/subagents/**/*.jsonl"},
		shell: func(command string) mockmodel.Call {
			return mockmodel.Call{Name: "run_shell_command", Args: args{"command": command, "is_background": false}}
		},
		files: func(work string) []ownCall {
			file := filepath.Join(work, notes)
			return []ownCall{
				{mockmodel.Call{Name: "read_file", Args: args{"file_path": file}}, "read", file},
				{mockmodel.Call{Name: "grep_search", Args: args{"pattern": sought}}, "search", sought},
				{mockmodel.Call{Name: "edit", Args: args{"file_path": file, "old_string": sought, "new_string": written}}, "edit", file},
			}
		},
		agents: &delegation{
			delegate: func(task string) mockmodel.Call {
				return mockmodel.Call{Name: "agent", Args: args{"description": "look", "prompt": task, "subagent_type": "general-purpose", "run_in_background": false}}
			},
		},
		compact: &compaction{prompt: "/compress", says: "Context compressed", summary: regexp.MustCompile(`produce the <state_snapshot>`)},
		retried: 500,
		cannot:  map[string]string{"asked-again": "`send_message` reaches only background sub-agents; a foreground one ends with its report"},
		limits: []limit{
			{byRun, []string{"sub-agent"}, "the tokens of a sub-agent's calls are on the run, and its text is not shown", func(e *expectation) { e.not.eachCall, e.not.words = true, true }},
			{byRun, []string{"compaction"}, "`/compress` is a separate run; the stream counts the tokens of the whole session", func(e *expectation) {
				e.runs = []ending{ok, ok, ok}
				noTokens(e)
			}},
			{byCollector, []string{"compaction"}, "`/compress` is a separate run whose end is not shown: `incomplete`", func(e *expectation) {
				e.runs = []ending{ok, {outcome: "incomplete", continues: true}, ok}
			}},
			{byCollector, []string{"refused-429"}, "it gives up twice, a minute apart, which the transcript does not show: the run ends the first time", func(e *expectation) { e.not.end = true }},
			{byCollector, []string{"sigkill"}, stops, endless},
		},
	}
}
