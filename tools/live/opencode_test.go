package live

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/tools/internal/mockmodel"
)

var opencodeTask = regexp.MustCompile(`(ses_[0-9A-Za-z]+)`)

func opencode() cli {
	run := func(more ...string) func(string) []string {
		return func(prompt string) []string {
			return slices.Concat([]string{"run", "-m", "mock/demo"}, more, []string{prompt})
		}
	}
	return cli{
		provider: "opencode", program: "opencode", title: "OpenCode", args: run(), again: run("--continue"),
		home: func(t *testing.T, at place) []string {
			t.Helper()
			config, err := json.Marshal(args{"autoupdate": false, "share": "disabled", "permission": args{"bash": args{"*": "allow", "rm *": "deny"}},
				"provider": args{"mock": args{
					"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": args{"baseURL": at.url + "/v1", "apiKey": dummyKey},
					"models": args{"demo": args{"name": "demo", "tool_call": true, "limit": args{"context": 50000, "output": 1000}}},
				}}})
			require.NoError(t, err)
			writeFile(t, filepath.Join(at.home, ".config", "opencode", "opencode.json"), string(config))
			// Whatever its settings, it installs a package into their folder: from the model server, which has none.
			writeFile(t, filepath.Join(at.home, ".npmrc"), "registry="+at.url+"/\n")
			return []string{"npm_config_registry=" + at.url + "/", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1"}
		},
		sessions: []string{".local/share/opencode/opencode.db"},
		shell: func(command string) mockmodel.Call {
			return mockmodel.Call{Name: "bash", Args: args{"command": command, "description": "run"}}
		},
		files: func(work string) []ownCall {
			file := filepath.Join(work, notes)
			return []ownCall{
				{mockmodel.Call{Name: "read", Args: args{"filePath": file}}, "read", file},
				{mockmodel.Call{Name: "grep", Args: args{"pattern": sought}}, "search", sought},
				{mockmodel.Call{Name: "edit", Args: args{"filePath": file, "oldString": sought, "newString": written}}, "edit", file},
			}
		},
		agents: &delegation{
			delegate: func(task string) mockmodel.Call {
				return mockmodel.Call{Name: "task", Args: args{"description": "look", "prompt": task, "subagent_type": "general"}}
			},
			ask: func(results, task string) mockmodel.Call {
				return mockmodel.Call{Name: "task", Args: args{"description": "look", "prompt": task, "subagent_type": "general", "task_id": match(opencodeTask, results)}}
			},
		},
		compact: &compaction{input: 49900, summary: regexp.MustCompile(`Do not mention the summary process`)},
		retried: 500,
		limits: []limit{
			{byRun, []string{"sub-agent", "asked-again"}, "of a sub-agent the stream has only the call that starts it", func(e *expectation) { e.agents, e.not.agents = 0, true }},
			{byRun, []string{"ctrl-c", "sigkill"}, "a call and its tokens are written when it is over", func(e *expectation) {
				noTokens(e)
				e.lost, e.failed = 1, 0
			}},
			{byRun, []string{"refused-401", "refused-429", "refused-500", "refused-529"}, "the stream begins with the error and does not show when the run began", func(e *expectation) { e.not.start = true }},
			{byCollector, []string{"compaction"}, "what continues automatically after a compaction is a separate run, linked to the first", func(e *expectation) {
				e.runs = []ending{ok, {outcome: "ok", continues: true}, ok}
			}},
			{byCollector, []string{"ctrl-c", "sigkill"}, "the database stops: `incomplete`; it lacks the tokens of the call", func(e *expectation) {
				endless(e)
				noTokens(e)
			}},
		},
		cannot: map[string]string{"two-prompts": "a process of `opencode run` takes one prompt"},
	}
}
