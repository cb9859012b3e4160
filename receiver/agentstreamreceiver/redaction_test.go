package agentstreamreceiver_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// secrets are parts of the invented keys in the session case-secrets-in-arguments.
var secrets = []string{"AAAA1111", "zz-demo-0123", "hunter2secret", "qwertyuiop"}

// exported returns every byte that a receiver with cfg exports of the session with the secrets.
func exported(t *testing.T, change func(*agentstreamreceiver.Config)) string {
	t.Helper()
	cfg := configFor(filepath.Join("..", "..", "testdata", "claude", "case-secrets-in-arguments.jsonl"))
	cfg.Telemetry.Capture = config.Capture{Text: true, Prompts: true, Reasoning: true, ToolInput: true, ToolOutput: true}
	change(cfg)
	r := start(t, cfg, nil)
	require.Eventually(t, func() bool {
		names := r.spanNames()
		return len(names) > 0 && names[len(names)-1] == "invoke_agent claude-code"
	}, wait, tick)
	r.stop()
	return r.exported()
}

// exported returns every exported byte.
func (r *rig) exported() string {
	r.t.Helper()
	all := ""
	for _, td := range r.traces.AllTraces() {
		raw, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		require.NoError(r.t, err)
		all += string(raw)
	}
	for _, ld := range r.logs.AllLogs() {
		raw, err := (&plog.JSONMarshaler{}).MarshalLogs(ld)
		require.NoError(r.t, err)
		all += string(raw)
	}
	return all
}

// TestSecretsNeverLeave: no value of the secret case, nor a part of one, is in any exported byte, whatever is captured.
func TestSecretsNeverLeave(t *testing.T) {
	all := exported(t, func(*agentstreamreceiver.Config) {})
	for _, secret := range secrets {
		assert.NotContains(t, all, secret)
	}
	assert.Contains(t, all, "[redacted")
}

// TestRedactionCanBeTurnedOff shows that the test above checks the places where the secrets are.
func TestRedactionCanBeTurnedOff(t *testing.T) {
	all := exported(t, func(c *agentstreamreceiver.Config) { c.Redaction.Enabled = false })
	for _, secret := range secrets {
		assert.Contains(t, all, secret)
	}
}

// TestSecretsOfEveryProvider replaces a word that texts, commands, paths and outputs of the sessions contain by an invented
// token: it is in no exported byte, whoever wrote the session and whatever is captured.
func TestSecretsOfEveryProvider(t *testing.T) {
	const token = "ghp_madeUpMadeUpMadeUpMadeUpMadeUp123456"
	for provider, names := range map[string][]string{
		"claude":   {"parity.jsonl", "parallel.jsonl", "interactive.session.jsonl", "subagent.jsonl"},
		"codex":    {"parity.jsonl", "parity.session.jsonl", "parity-0.29.session.jsonl", "failures.session.jsonl"},
		"gemini":   {"parity.jsonl", "parity.session.jsonl", "parity-0.38.2.session.json", "failures.session.jsonl"},
		"openai":   {"parity.bodies.jsonl", "parity.requests.jsonl", "responses-api.jsonl"},
		"opencode": {"parity.jsonl", "parity.session.jsonl", "parity.log.jsonl", "failures.jsonl"},
		"qwen":     {"parity.stream.jsonl", "parity.session.jsonl", "failures.session.jsonl"},
	} {
		t.Run(provider, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range names {
				data, err := os.ReadFile(filepath.Join(samples, provider, name))
				require.NoError(t, err)
				hidden := regexp.MustCompile(`calc\.go|main\.go|README\.md|go test`).ReplaceAll(data, []byte(token))
				require.Contains(t, string(hidden), token, name)
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), hidden, 0o600))
			}
			read := func(enabled bool) string {
				cfg := configFor(filepath.Join(dir, "*"))
				cfg.Telemetry.Capture = config.Capture{Text: true, Prompts: true, Reasoning: true, ToolInput: true, ToolOutput: true}
				cfg.Redaction.Enabled = enabled
				r := start(t, cfg, nil)
				require.Eventually(t, func() bool { return strings.Count(strings.Join(r.spanNames(), " "), "chat") >= len(names)/2 }, wait, tick)
				r.stop()
				return r.exported()
			}
			assert.NotContains(t, read(true), token[:12])
			assert.Contains(t, read(false), token, "it is looked for where it is")
		})
	}
}

func TestOwnRedactionRules(t *testing.T) {
	all := exported(t, func(c *agentstreamreceiver.Config) {
		c.Redaction.Rules = []config.RedactionRule{{Name: "host", Pattern: `host\.example`, Keyword: "host.example"}}
	})
	assert.NotContains(t, all, "host.example")
	assert.Contains(t, all, "[redacted:host]")
}

// oddSecret is in places where no secret belongs.
const oddSecret = "ghp_" + "MadeUpMadeUp0123456789MadeUpMadeUp01"

// oddValue is recognizable as a secret only by its name.
const oddValue = "zz-demo-0123456789abcdef"

// oddLines are a session with the secret in place of every name and ID, and with invalid UTF-8 in an argument.
var oddLines = strings.NewReplacer("SECRET", oddSecret, "NAME", "pass"+"word", "VALUE", oddValue).Replace(`{"type":"tailspan","attributes":{"cicd.pipeline.name":"SECRET","SECRET":"x","NAME":"VALUE"}}
{"type":"system","subtype":"init","session_id":"s SECRET","model":"m SECRET","claude_code_version":"1 SECRET"}
{"type":"SECRET","session_id":"s SECRET"}
{"type":"assistant","session_id":"s SECRET","message":{"id":"m SECRET","role":"assistant","model":"m SECRET","content":[{"type":"tool_use","id":"t SECRET","name":"mcp__SECRET__x","input":{"file_path":"a\xff\xc0b","SECRET":1}}]}}
{"type":"user","session_id":"s SECRET","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t SECRET","content":"ok"}]}}
{"type":"result","subtype":"SECRET","is_error":true,"session_id":"s SECRET","result":"done"}
`)

func TestSecretsInNamesAndIDs(t *testing.T) {
	path := filepath.Join(t.TempDir(), oddSecret+".jsonl")
	lines := strings.NewReplacer(`\xff`, "\xff", `\xc0`, "\xc0").Replace(oddLines)
	require.NoError(t, os.WriteFile(path, []byte(lines), 0o600))
	cfg := configFor(path)
	cfg.Telemetry.Capture = config.Capture{Text: true, Prompts: true, Reasoning: true, ToolInput: true, ToolOutput: true}
	cfg.Identity.PathPattern = "{cicd.pipeline.task.name}.jsonl"
	r := start(t, cfg, nil)
	require.Eventually(t, func() bool { return len(r.spanNames()) >= 3 }, wait, tick)
	r.stop()
	all := r.exported()
	assert.NotContains(t, all, oddSecret)
	assert.NotContains(t, all, oddValue)
	assert.Contains(t, all, "gen_ai.tool.call.arguments")
	assert.True(t, utf8.ValidString(all), "others refuse a request with a string that is no UTF-8")
}

// TestKeyInLinesNeverLeaves: the lines of no known provider are records of their own, and none has a part of a private key.
func TestKeyInLinesNeverLeaves(t *testing.T) {
	part := strings.Repeat("MadeUp0123456789", 4)
	path := filepath.Join(t.TempDir(), "plain.log")
	text := "it is:\n-----BEGIN RSA PRIVATE KEY-----\n" + strings.Repeat(part+"\n", 8) + "-----END RSA PRIVATE KEY-----\nthat is all\n"
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	cfg := configFor(path)
	cfg.Stream.Provider = "none"
	r := start(t, cfg, nil)
	require.Eventually(t, func() bool { return r.logs.LogRecordCount() >= strings.Count(text, "\n") }, wait, tick)
	r.stop()
	all := r.exported()
	assert.NotContains(t, all, part[:16])
	assert.Contains(t, all, "that is all")
}
