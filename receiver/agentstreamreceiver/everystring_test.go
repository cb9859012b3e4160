package agentstreamreceiver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/config"
)

// words are members whose value is the kind of an object; with another value the kind would be unknown.
var words = []string{
	"type", "subtype", "role", "status", "stop_reason", "finish_reason", "object", "kind", "event", "phase", "level", "finish", "reason", "state",
	"terminal_reason", "operation", "source", "originator",
}

// spoil appends the secret to every string of a JSON value and prepends it to the keys of maps of models; with all, it appends
// it to the words too. Strings that contain JSON still do after that, and times stay times.
func spoil(v any, key string, all bool) any {
	switch v := v.(type) {
	case string:
		var inner any
		if len(v) > 1 && (v[0] == '{' || v[0] == '[') && json.Unmarshal([]byte(v), &inner) == nil {
			spoiled, _ := json.Marshal(spoil(inner, "", all))
			return string(spoiled)
		}
		if _, err := time.Parse(time.RFC3339, v); err == nil || !all && slices.Contains(words, key) {
			return v
		}
		return v + " " + oddSecret
	case []any:
		for i := range v {
			v[i] = spoil(v[i], key, all)
		}
	case map[string]any:
		for k := range v {
			v[k] = spoil(v[k], k, all)
		}
		if models, ok := v["modelUsage"].(map[string]any); ok {
			for k, value := range models {
				delete(models, k)
				models[k+" "+oddSecret] = value
			}
		}
	}
	return v
}

// TestSecretInEveryString puts a secret into every string of recorded sessions, one provider after another: no span, record or
// log message shows it, whatever is captured.
func TestSecretInEveryString(t *testing.T) {
	for _, provider := range []string{"claude", "codex", "gemini", "openai", "opencode", "qwen"} {
		for _, all := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,words=%v", provider, all), func(t *testing.T) {
				dir := t.TempDir()
				files, err := filepath.Glob(filepath.Join(samples, provider, "*.jsonl"))
				require.NoError(t, err)
				require.NotEmpty(t, files)
				for _, name := range files {
					data, err := os.ReadFile(name)
					require.NoError(t, err)
					var out bytes.Buffer
					for line := range bytes.Lines(data) {
						var v any
						if json.Unmarshal(line, &v) != nil {
							continue
						}
						spoiled, err := json.Marshal(spoil(v, "", all))
						require.NoError(t, err)
						out.Write(append(spoiled, '\n'))
					}
					require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(name)), out.Bytes(), 0o600))
				}
				cfg := configFor(filepath.Join(dir, "*"))
				cfg.Stream.Provider = strings.Replace(provider, "openai", "openai_compatible", 1)
				cfg.Telemetry.Capture = config.Capture{Messages: true} // which alone requires all of it
				if !all {
					cfg.Telemetry.Capture = config.Capture{Text: true, Prompts: true, Reasoning: true, ToolInput: true, ToolOutput: true, Messages: true}
				}
				r := start(t, cfg, nil)
				if !all {
					require.Eventually(t, func() bool { return len(r.spanNames()) > len(files) && r.logs.LogRecordCount() > len(files) }, wait, tick)
				}
				r.stopAnyhow()
				shown := r.exported()
				for _, entry := range r.logged.All() {
					shown += fmt.Sprintln(entry.Message, entry.ContextMap())
				}
				if i := strings.Index(shown, oddSecret[:12]); i >= 0 {
					assert.Fail(t, "the secret is shown", "... %s", shown[max(0, i-300):min(len(shown), i+60)])
				}
				if !all {
					assert.Contains(t, shown, "[redacted:github]")
				}
			})
		}
	}
}
