package live

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

var codexAgent = regexp.MustCompile(`([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21})`)

func codex() cli {
	flags := []string{"--skip-git-repo-check", "-s", "danger-full-access"}
	const namespace = "multi_agent_v1"
	settings := func(t *testing.T, at place, model string) {
		t.Helper()
		writeFile(t, filepath.Join(at.home, ".codex", "config.toml"), fmt.Sprintf(`model = %q
model_provider = "mock"
model_auto_compact_token_limit = 50000
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
plugins = false
apps = false
[model_providers.mock]
name = "mock"
base_url = %q
env_key = "MOCK_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`, model, at.url+"/v1"))
	}
	return cli{
		provider: "codex", program: "codex", title: "Codex",
		args: func(prompt string) []string { return slices.Concat([]string{"exec"}, flags, []string{prompt}) },
		again: func(prompt string) []string {
			return slices.Concat([]string{"exec"}, flags, []string{"resume", "--last", prompt})
		},
		home: func(t *testing.T, at place) []string {
			t.Helper()
			dir := filepath.Join(at.home, ".codex")
			settings(t, at, "demo-model")
			writeFile(t, filepath.Join(dir, "rules", "default.rules"), `prefix_rule(pattern=["rm"], decision="forbidden")`+"\n")
			return []string{"MOCK_KEY=" + dummyKey, "CODEX_HOME=" + dir}
		},
		// It offers its tool for patches only to models that it knows.
		settings: map[string]func(*testing.T, place){"workflow": func(t *testing.T, at place) { t.Helper(); settings(t, at, "gpt-5.5") }},
		sessions: []string{".codex/sessions/**/*.jsonl"},
		shell: func(command string) mockmodel.Call {
			return mockmodel.Call{Name: "exec_command", Args: args{"cmd": command, "yield_time_ms": 30000}}
		},
		files: func(work string) []ownCall {
			file := filepath.Join(work, notes) // the stream has the whole path
			return []ownCall{
				{mockmodel.Call{Name: "exec_command", Args: args{"cmd": "cat " + notes}}, "shell", "cat " + notes},
				{mockmodel.Call{Name: "exec_command", Args: args{"cmd": "grep -n " + sought + " " + notes}}, "shell", "grep -n " + sought + " " + notes},
				{mockmodel.Call{Name: "apply_patch", Text: fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-%s\n+%s\n*** End Patch\n", file, sought, written)}, "edit", file},
			}
		},
		agents: &delegation{
			delegate: func(task string) mockmodel.Call {
				return mockmodel.Call{Name: "spawn_agent", Namespace: namespace, Args: args{"message": task, "agent_type": "explorer"}}
			},
			await: func(results string) mockmodel.Call {
				return mockmodel.Call{Name: "wait_agent", Namespace: namespace, Args: args{"targets": []string{match(codexAgent, results)}, "timeout_ms": 30000}}
			},
			ask: func(results, task string) mockmodel.Call {
				return mockmodel.Call{Name: "send_input", Namespace: namespace, Args: args{"target": match(codexAgent, results), "message": task}}
			},
		},
		compact: &compaction{input: 60000, summary: regexp.MustCompile(`CONTEXT CHECKPOINT COMPACTION`)},
		retried: 500,
		limits: []limit{
			{byRun, []string{"ctrl-c"}, unanswered, noResult},
			{byRun, nil, "the stream has the tokens of a run, not of its model calls", noCalls},
			{byRun, []string{"denied"}, "a call forbidden by a rule is not in the stream", func(e *expectation) { e.lost, e.failed, e.denied = 1, 0, 0 }},
			{byRun, []string{"sub-agent", "asked-again"}, "the stream has the calls that start and ask a sub-agent, but not its work", func(e *expectation) { e.agents, e.not.agents = 0, true }},
			{byRun, []string{"ctrl-c", "sigkill"}, "the tokens of a run come with its end, which was not reached", noTokens},
			{byRun, []string{"resume", "compaction"}, "the stream of a resumed thread has the tokens of the whole thread, not those of the run", noTokens},
			{byCollector, []string{"sigkill"}, stops, endless},
		},
		cannot: map[string]string{"two-prompts": "a process of `codex exec` takes one prompt"},
	}
}
