package live

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/mockmodel"
)

// cli is how one agent CLI is run against a model server.
type cli struct {
	provider, program string
	node22            bool // it asks for Node 22
	// args are the arguments for a prompt, with a stream on standard output; again continues the last session.
	args  func(prompt string) []string
	again func(prompt string) []string
	// hides is set if the stream reports nothing of sub-agents; else it lacks the last model call of each.
	hides bool
	// home writes the settings below a new home folder, and gives the environment.
	home func(t *testing.T, home, url string) []string
	// sessions are the globs of the transcripts, below the home folder.
	sessions []string
	shell    func(command string) mockmodel.Call
	// delegate starts a sub-agent, and ask gives it a further task, as the result of delegate names it; nil where the CLI has none.
	delegate func(task string) mockmodel.Call
	ask      func(result, task string) mockmodel.Call
}

const dummyKey = "dummy-key-for-a-mock-server"

type args = map[string]any

func writeFile(t *testing.T, path, data string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(data), 0o600))
}

// clis are the CLIs of docs/conformance.md.
var clis = []cli{claude(), codex(), gemini(), opencode(), qwen()}

func claude() cli {
	run := func(more ...string) func(string) []string {
		return func(prompt string) []string {
			return append([]string{"-p", prompt, "--output-format", "stream-json", "--verbose", "--model", "claude-demo",
				"--permission-mode", "acceptEdits", "--allowedTools", "Bash,Read,Write,Edit,Agent,Task,SendMessage"}, more...)
		}
	}
	return cli{
		provider: "claude", program: "claude", node22: true, args: run(), again: run("--continue"),
		home: func(_ *testing.T, _, url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + dummyKey, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_MAX_RETRIES=1"}
		},
		sessions: []string{".claude/projects/**/*.jsonl"},
		shell: func(command string) mockmodel.Call {
			return mockmodel.Call{Name: "Bash", Args: args{"command": command, "description": "run"}}
		},
		delegate: func(task string) mockmodel.Call {
			return mockmodel.Call{Name: "Agent", Args: args{"description": "look", "prompt": task, "subagent_type": "general-purpose", "run_in_background": false}}
		},
		ask: func(result, task string) mockmodel.Call {
			return mockmodel.Call{Name: "SendMessage", Args: args{"to": match(claudeAgent, result), "summary": "go on", "message": task}}
		},
	}
}

var claudeAgent = regexp.MustCompile(`agentId: ?([a-z0-9]+)`)

func match(re *regexp.Regexp, text string) string {
	if m := re.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return "unknown"
}

func codex() cli {
	flags := []string{"--json", "--skip-git-repo-check", "-s", "danger-full-access"}
	return cli{
		provider: "codex", program: "codex", hides: true,
		args: func(prompt string) []string { return slices.Concat([]string{"exec"}, flags, []string{prompt}) },
		again: func(prompt string) []string {
			return slices.Concat([]string{"exec"}, flags, []string{"resume", "--last", prompt})
		},
		home: func(t *testing.T, home, url string) []string {
			t.Helper()
			writeFile(t, filepath.Join(home, ".codex", "config.toml"), fmt.Sprintf(`model = "demo-model"
model_provider = "mock"
[model_providers.mock]
name = "mock"
base_url = %q
env_key = "MOCK_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`, url+"/v1"))
			return []string{"MOCK_KEY=" + dummyKey, "CODEX_HOME=" + filepath.Join(home, ".codex")}
		},
		sessions: []string{".codex/sessions/**/*.jsonl"},
		shell: func(command string) mockmodel.Call {
			return mockmodel.Call{Name: "exec_command", Args: args{"cmd": command, "yield_time_ms": 30000}}
		},
	}
}

func gemini() cli {
	run := func(more ...string) func(string) []string {
		return func(prompt string) []string {
			return append([]string{"-p", prompt, "-o", "stream-json", "--yolo", "-m", "gemini-2.5-pro"}, more...)
		}
	}
	return cli{
		provider: "gemini", program: "gemini", args: run(), again: run("--resume", "latest"),
		home: func(t *testing.T, home, url string) []string {
			t.Helper()
			writeFile(t, filepath.Join(home, ".gemini", "settings.json"), `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}`)
			return []string{"GEMINI_API_KEY=" + dummyKey, "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		sessions: []string{".gemini/tmp/*/chats/**/*.jsonl", ".gemini/tmp/*/chats/**/*.json"},
		shell: func(command string) mockmodel.Call {
			return mockmodel.Call{Name: "run_shell_command", Args: args{"command": command}}
		},
	}
}

func opencode() cli {
	run := func(more ...string) func(string) []string {
		return func(prompt string) []string {
			return slices.Concat([]string{"run", "--format", "json", "-m", "mock/demo"}, more, []string{prompt})
		}
	}
	return cli{
		provider: "opencode", program: "opencode", hides: true, args: run(), again: run("--continue"),
		home: func(t *testing.T, home, url string) []string {
			t.Helper()
			config, err := json.Marshal(args{"autoupdate": false, "share": "disabled", "provider": args{"mock": args{
				"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": args{"baseURL": url + "/v1", "apiKey": dummyKey},
				"models": args{"demo": args{"name": "demo", "tool_call": true}},
			}}})
			require.NoError(t, err)
			writeFile(t, filepath.Join(home, ".config", "opencode", "opencode.json"), string(config))
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
		},
		sessions: []string{".local/share/opencode/opencode.db"},
		shell: func(command string) mockmodel.Call {
			return mockmodel.Call{Name: "bash", Args: args{"command": command, "description": "run"}}
		},
		delegate: func(task string) mockmodel.Call {
			return mockmodel.Call{Name: "task", Args: args{"description": "look", "prompt": task, "subagent_type": "general"}}
		},
	}
}

func qwen() cli {
	run := func(more ...string) func(string) []string {
		return func(prompt string) []string {
			return append([]string{"-p", prompt, "-o", "stream-json", "--yolo"}, more...)
		}
	}
	return cli{
		provider: "qwen", program: "qwen", node22: true, args: run(), again: run("--continue"),
		home: func(t *testing.T, home, url string) []string {
			t.Helper()
			writeFile(t, filepath.Join(home, ".qwen", "settings.json"), `{"security":{"auth":{"selectedType":"openai"}},"privacy":{"usageStatisticsEnabled":false}}`)
			return []string{"OPENAI_API_KEY=" + dummyKey, "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_MODEL=demo"}
		},
		sessions: []string{".qwen/projects/*/chats/**/*.jsonl", ".qwen/projects/*/subagents/**/*.jsonl"},
		shell: func(command string) mockmodel.Call {
			return mockmodel.Call{Name: "run_shell_command", Args: args{"command": command, "is_background": false}}
		},
		delegate: func(task string) mockmodel.Call {
			return mockmodel.Call{Name: "agent", Args: args{"description": "look", "prompt": task, "subagent_type": "general-purpose", "run_in_background": false}}
		},
	}
}
