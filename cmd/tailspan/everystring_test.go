package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spoil appends a secret to every string of a JSON value except those that identify the type of an object.
func spoil(v any, key, secret string) any {
	switch v := v.(type) {
	case string:
		if strings.Contains(" type subtype role status object kind event finish_reason stop_reason timestamp ", " "+key+" ") {
			return v
		}
		return v + " " + secret
	case []any:
		for i := range v {
			v[i] = spoil(v[i], key, secret)
		}
	case map[string]any:
		for k := range v {
			v[k] = spoil(v[k], k, secret)
		}
	}
	return v
}

// TestSecretInEveryString checks that neither render, in any style, nor events with --redact shows a secret, wherever
// it is in a provider's session.
func TestSecretInEveryString(t *testing.T) {
	const secret = "ghp_" + "MadeUpMadeUp0123456789MadeUpMadeUp01"
	for _, provider := range []string{"claude", "codex", "gemini", "openai_compatible", "opencode", "qwen"} {
		t.Run(provider, func(t *testing.T) {
			folder, _, _ := strings.Cut(provider, "_")
			files, err := filepath.Glob(filepath.Join("..", "..", "testdata", folder, "parity*.jsonl"))
			require.NoError(t, err)
			require.NotEmpty(t, files)
			for _, name := range files {
				data, err := os.ReadFile(name)
				require.NoError(t, err)
				var in strings.Builder
				for line := range strings.Lines(string(data)) {
					var v any
					require.NoError(t, json.Unmarshal([]byte(line), &v), name)
					spoiled, err := json.Marshal(spoil(v, "", secret))
					require.NoError(t, err)
					in.Write(append(spoiled, '\n'))
				}
				_, plain, _ := tailspan(in.String(), "events", "--provider", provider, "-")
				require.Contains(t, plain, secret, "it is looked for where it is")
				for _, args := range [][]string{
					{"events", "--redact"}, {"render"}, {"render", "--mode", "quiet"}, {"render", "--mode", "verbose", "--style", "marker"},
					{"render", "--mode", "verbose", "--style", "transcript"}, {"render", "--mode", "verbose", "--style", "progress"},
					{"render", "--mode", "verbose", "--style", "activity"},
				} {
					_, stdout, stderr := tailspan(in.String(), append(args, "--provider", provider, "-")...)
					if i := strings.Index(stdout+stderr, secret[:12]); i >= 0 {
						assert.Fail(t, "the secret is shown", "%s, %v: %q", name, args, (stdout + stderr)[max(0, i-100):i+20])
					}
				}
			}
		})
	}
}
