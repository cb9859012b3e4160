package live

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

func gemini() cli {
	settings := func(t *testing.T, at place, more string) {
		t.Helper()
		writeFile(t, filepath.Join(at.home, ".gemini", "settings.json"), `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},
"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false,"maxAttempts":3},"experimental":{"enableAgents":true}`+more+`}`)
	}
	run := func(more ...string) func(string) []string {
		return func(prompt string) []string {
			return append([]string{"-p", prompt, "--yolo", "-m", "gemini-2.5-pro"}, more...)
		}
	}
	return cli{
		provider: "gemini", program: "gemini", title: "Gemini CLI", args: run(), again: run("--resume", "latest"),
		home: func(t *testing.T, at place) []string {
			t.Helper()
			dir := filepath.Join(at.home, ".gemini")
			settings(t, at, "")
			writeFile(t, filepath.Join(dir, "policies", "deny.toml"), "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"rm\"\ndecision = \"deny\"\npriority = 999\n")
			writeFile(t, filepath.Join(dir, "agents", "looker.md"), "---\nname: looker\ndescription: Looks at folders.\ntools:\n  - run_shell_command\n---\nLook at what you are asked to.\n")
			return []string{"GEMINI_API_KEY=" + dummyKey, "GOOGLE_GEMINI_BASE_URL=" + at.url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		sessions: []string{".gemini/tmp/*/chats/**/*.jsonl", ".gemini/tmp/*/chats/**/*.json"},
		shell: func(command string) mockmodel.Call {
			return mockmodel.Call{Name: "run_shell_command", Args: args{"command": command}}
		},
		files: func(work string) []ownCall {
			file := filepath.Join(work, notes)
			return []ownCall{
				{mockmodel.Call{Name: "read_file", Args: args{"file_path": file}}, "read", file},
				{mockmodel.Call{Name: "grep_search", Args: args{"pattern": sought}}, "search", sought},
				{mockmodel.Call{Name: "replace", Args: args{"file_path": file, "instruction": "edit", "old_string": sought, "new_string": written}}, "edit", file},
			}
		},
		agents: &delegation{
			delegate: func(task string) mockmodel.Call {
				return mockmodel.Call{Name: "invoke_agent", Args: args{"agent_name": "looker", "prompt": task}}
			},
			report: func(text string) mockmodel.Call {
				return mockmodel.Call{Name: "complete_task", Args: args{"result": text}}
			},
		},
		settings: map[string]func(*testing.T, place){"compaction": func(t *testing.T, at place) {
			t.Helper()
			settings(t, at, `,"model":{"compressionThreshold":0.0001}`)
		}},
		compact: &compaction{summary: regexp.MustCompile(`distilling chat history`)},
		retried: 500,
		limits: []limit{
			{byRun, []string{"ctrl-c"}, unanswered, noResult},
			{byRun, nil, "the stream has the tokens of a run, not of its model calls", noCalls},
			{byRun, []string{"sub-agent"}, "of a sub-agent the stream has only the call that starts it; its tokens are included in the run", func(e *expectation) { e.agents, e.lost = 0, 2 }},
			{byRun, []string{"ctrl-c", "sigkill"}, "the tokens of a run come with its end, which was not reached", noTokens},
			{byCollector, []string{"refused-401", "refused-429", "refused-500", "refused-529"}, "a prompt without an answer has none in the transcript either: `incomplete`", func(e *expectation) {
				e.runs, e.not.end = []ending{{outcome: "incomplete"}}, true
			}},
			{byRun, []string{"failing-tool"}, "the stream reports a failed command as successful", func(e *expectation) { e.failed = 0 }},
			{byCollector, []string{"compaction"}, "the compacting calls are not in the transcript", func(e *expectation) { e.not.summary = true }},
			{byCollector, []string{"ctrl-c", "sigkill"}, "the transcript stops: `incomplete`; it contains a call only when it is over", func(e *expectation) {
				endless(e)
				e.lost, e.failed = 1, 0
			}},
		},
		cannot: map[string]string{"two-prompts": "a headless process takes one prompt", "asked-again": "a sub-agent ends with its report"},
	}
}
