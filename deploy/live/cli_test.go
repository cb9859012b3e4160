package live

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/internal/mockmodel"
)

// cli is how one agent CLI is run against a model server.
type cli struct {
	provider string
	program  string // below TAILSPAN_CLIS
	node22   bool   // it asks for Node 22
	// tools are the names of what the workflow does.
	read, shell, edit, search, agent string
	// args are the arguments for a prompt, with a stream on standard output.
	args func(prompt string) []string
	// home writes the settings below a new home folder, and gives the environment.
	home func(t *testing.T, home, url string) []string
	// sessions is the glob of the transcripts, below the home folder.
	sessions string
	call     func(action, argument string) mockmodel.Call
}

const dummyKey = "dummy-key-for-a-mock-server"

func writeFile(t *testing.T, path, data string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(data), 0o600))
}

var clis = []cli{
	{
		provider: "claude", program: "claude", node22: true, read: "Read", shell: "Bash", edit: "Write", search: "Grep", agent: "Agent",
		args: func(prompt string) []string {
			return []string{"-p", prompt, "--output-format", "stream-json", "--verbose", "--model", "claude-demo", "--permission-mode", "acceptEdits", "--allowedTools", "Bash,Read,Write,Edit,Grep,Agent,Task,SendMessage"}
		},
		home: func(_ *testing.T, _, url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + dummyKey, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
		},
		sessions: ".claude/projects/**/*.jsonl",
		call: func(action, argument string) mockmodel.Call {
			switch action {
			case "read":
				return mockmodel.Call{Name: "Read", Args: map[string]any{"file_path": argument}}
			case "agent":
				return mockmodel.Call{Name: "Agent", Args: map[string]any{"description": "look", "prompt": argument, "subagent_type": "general-purpose"}}
			default:
				return mockmodel.Call{Name: "Bash", Args: map[string]any{"command": argument, "description": "run"}}
			}
		},
	},
	{
		provider: "codex", program: "codex",
		args: func(prompt string) []string {
			return []string{"exec", "--json", "--skip-git-repo-check", "-s", "danger-full-access", prompt}
		},
		home: func(t *testing.T, home, url string) []string {
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
		sessions: ".codex/sessions/**/*.jsonl",
		call: func(action, argument string) mockmodel.Call {
			return mockmodel.Call{Name: "exec_command", Args: map[string]any{"cmd": argument}}
		},
	},
	{
		provider: "gemini", program: "gemini",
		args: func(prompt string) []string {
			return []string{"-p", prompt, "-o", "stream-json", "--yolo", "-m", "gemini-2.5-pro"}
		},
		home: func(t *testing.T, home, url string) []string {
			writeFile(t, filepath.Join(home, ".gemini", "settings.json"), `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}`)
			return []string{"GEMINI_API_KEY=" + dummyKey, "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_CLI_TRUST_WORKSPACE=true"}
		},
		sessions: ".gemini/tmp/*/chats/**/*.jsonl",
		call: func(action, argument string) mockmodel.Call {
			return mockmodel.Call{Name: "run_shell_command", Args: map[string]any{"command": argument}}
		},
	},
	{
		provider: "opencode", program: "opencode",
		args: func(prompt string) []string { return []string{"run", "--format", "json", "-m", "mock/demo", prompt} },
		home: func(t *testing.T, home, url string) []string {
			config, err := json.Marshal(map[string]any{"autoupdate": false, "share": "disabled", "provider": map[string]any{"mock": map[string]any{
				"npm": "@ai-sdk/openai-compatible", "name": "mock", "options": map[string]any{"baseURL": url + "/v1", "apiKey": dummyKey},
				"models": map[string]any{"demo": map[string]any{"name": "demo", "tool_call": true}},
			}}})
			require.NoError(t, err)
			writeFile(t, filepath.Join(home, ".config", "opencode", "opencode.json"), string(config))
			return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1"}
		},
		sessions: ".local/share/opencode/opencode.db",
		call: func(action, argument string) mockmodel.Call {
			return mockmodel.Call{Name: "bash", Args: map[string]any{"command": argument, "description": "run"}}
		},
	},
	{
		provider: "qwen", program: "qwen", node22: true,
		args: func(prompt string) []string { return []string{"-p", prompt, "-o", "stream-json", "--yolo"} },
		home: func(t *testing.T, home, url string) []string {
			writeFile(t, filepath.Join(home, ".qwen", "settings.json"), `{"security":{"auth":{"selectedType":"openai"}},"privacy":{"usageStatisticsEnabled":false}}`)
			return []string{"OPENAI_API_KEY=" + dummyKey, "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_MODEL=demo"}
		},
		sessions: ".qwen/projects/*/chats/**/*.jsonl",
		call: func(action, argument string) mockmodel.Call {
			return mockmodel.Call{Name: "run_shell_command", Args: map[string]any{"command": argument, "is_background": false}}
		},
	},
}
