package agentstreamreceiver_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// warnings returns the receiver's warnings with their fields.
func warnings(logged *observer.ObservedLogs) (list []string) {
	for _, entry := range logged.FilterLevelExact(zapcore.WarnLevel).All() {
		line := entry.Message
		for _, key := range []string{"provider", "detected", "path_pattern"} {
			if value, ok := entry.ContextMap()[key].(string); ok {
				line += " " + key + "=" + value
			}
		}
		list = append(list, line)
	}
	return list
}

// TestAdviceOnProvider checks that a file of another provider than the configured one causes one warning, with its provider.
func TestAdviceOnProvider(t *testing.T) {
	streams := map[string]string{
		"claude": "claude/parity.jsonl", "codex": "codex/parity.jsonl", "gemini": "gemini/parity.jsonl",
		"opencode": "opencode/parity.jsonl", "openai_compatible": "openai/parity.bodies.jsonl", "qwen": "qwen/parity.stream.jsonl",
	}
	const wrong = "file does not fit the configured provider, parsing none of it"
	for provider := range streams {
		for writer, file := range streams {
			if provider == "claude" && writer == "qwen" || provider == "qwen" && writer == "claude" {
				continue // one writes a form of the other's format, so much of it is understood
			}
			t.Run(provider+" is "+writer, func(t *testing.T) {
				data, err := os.ReadFile(filepath.Join("../../testdata", file))
				require.NoError(t, err)
				lines := int64(bytes.Count(data, []byte("\n")))
				folder := t.TempDir()
				for _, name := range []string{"a.jsonl", "b.jsonl"} {
					require.NoError(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
				}
				cfg := configFor(filepath.Join(folder, "*.jsonl"))
				cfg.Stream.Provider = provider
				r := start(t, cfg, nil)
				require.Eventually(t, func() bool { return r.sum("otelcol_receiver_agent_stream_lines") >= 2*lines }, wait, tick)
				r.stop()
				if provider == writer {
					assert.Empty(t, warnings(r.logged))
					return
				}
				assert.Equal(t, []string{wrong + " provider=" + provider + " detected=" + writer}, warnings(r.logged))
			})
		}
	}
}

// TestAdviceAtShutdown checks that the shutdown logs hints for which the receiver did not run long enough.
func TestAdviceAtShutdown(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.jsonl"), []byte("{}\n"), 0o600))
	cfg := configFor(filepath.Join(folder, "*.jsonl"))
	cfg.Stream.Provider = "none"
	cfg.Identity.PathPattern = "runs/{a}.jsonl"
	r := start(t, cfg, nil)
	require.Eventually(t, func() bool { return r.sum("otelcol_receiver_agent_stream_lines") == 1 }, wait, tick)
	assert.Empty(t, warnings(r.logged))
	r.stop()
	assert.Equal(t, []string{"path_pattern matches no file, exporting without attributes of their paths path_pattern=runs/{a}.jsonl"}, warnings(r.logged))
}
