package agentstreamreceiver

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tailspan/tailspan/config"
)

// secrets are parts of the made-up keys in the session case-secrets-in-arguments.
var secrets = []string{"AAAA1111", "zz-demo-0123", "hunter2secret", "qwertyuiop"}

// exported is every byte that a receiver with cfg hands on of the session with the secrets.
func exported(t *testing.T, change func(*Config)) string {
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
	all := ""
	for _, td := range r.traces.AllTraces() {
		raw, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		require.NoError(t, err)
		all += string(raw)
	}
	for _, ld := range r.logs.AllLogs() {
		raw, err := (&plog.JSONMarshaler{}).MarshalLogs(ld)
		require.NoError(t, err)
		all += string(raw)
	}
	return all
}

// TestSecretsNeverLeave: no value of the secret case, nor a part of one, is in any exported byte, whatever is captured.
func TestSecretsNeverLeave(t *testing.T) {
	all := exported(t, func(*Config) {})
	for _, secret := range secrets {
		assert.NotContains(t, all, secret)
	}
	assert.Contains(t, all, "[redacted")
}

// TestRedactionCanBeTurnedOff shows that the test above looks where the secrets are.
func TestRedactionCanBeTurnedOff(t *testing.T) {
	all := exported(t, func(c *Config) { c.Redaction.Enabled = false })
	for _, secret := range secrets {
		assert.Contains(t, all, secret)
	}
}

func TestOwnRedactionRules(t *testing.T) {
	all := exported(t, func(c *Config) {
		c.Redaction.Rules = []config.RedactionRule{{Name: "host", Pattern: `host\.example`, Keyword: "host.example"}}
	})
	assert.NotContains(t, all, "host.example")
	assert.Contains(t, all, "[redacted:host]")
}
