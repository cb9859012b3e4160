package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report/page/pagetest"
)

// hostile are texts that would have an effect if they were not treated as text: elements, ends of elements and attributes,
// script URLs, entities, styles, templates, and characters that are invisible or change the direction of text.
const hostile = `"'` + "`" + `><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)></title></style></pre></textarea>` +
	`<style>*{background:url(http://example.invalid/a)}</style><a href="javascript:alert(4)">x</a><iframe src="data:text/html,<script>alert(5)</script>">` +
	`<link rel=stylesheet href=//example.invalid/b><meta http-equiv=refresh content="0;url=http://example.invalid/c"><base href=//example.invalid>` +
	`&lt;script&gt;alert(6)&lt;/script&gt; --><!-- {{.}} ${x} style="x:expression(alert(7))" javascript:alert(8) data:text/html,x ` +
	"\u202e\u2066\u200b\u200e\ufeff\u00ad\U000e0041\x00\x1b[31m\x1b]0;t\x07\u0085\u2028 @team ![x](http://example.invalid/d.png) | x"

// spoiledFiles returns lines of recordings of every provider with a text appended to every string.
func spoiledFiles(t *testing.T, text string) map[string]string {
	t.Helper()
	spoiled := map[string]string{}
	for _, pattern := range []string{"*/parity*.jsonl", "*/subagent*.jsonl", "*/failures*.jsonl", "*/denied*.jsonl", "*/retry*.jsonl", "*/fatal*.jsonl", "*/plan.jsonl", "*/reasoning*.jsonl", "*/mcp.jsonl"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "testdata", pattern))
		require.NoError(t, err)
		for _, name := range files {
			if strings.Contains(name, ".requests.") || strings.Contains(name, ".storage.") || strings.Contains(name, ".log.") {
				continue
			}
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			var in strings.Builder
			for line := range strings.Lines(string(data)) {
				var v any
				if json.Unmarshal([]byte(line), &v) != nil {
					in.WriteString(line + "\n") // of a server's events
					continue
				}
				out, err := json.Marshal(spoil(v, "", text))
				require.NoError(t, err)
				in.Write(append(out, '\n'))
			}
			spoiled[name] = in.String()
		}
	}
	return spoiled
}

// providerOf returns the provider of a recording, which detection may not recognize once it is spoiled.
func providerOf(name string) string {
	provider := filepath.Base(filepath.Dir(name))
	if provider == "openai" {
		return "openai_compatible"
	}
	return provider
}

// TestReportOfHostileTexts has hostile text in every text of every provider. The page must not have its elements, attributes or links.
func TestReportOfHostileTexts(t *testing.T) {
	seen := map[string]int{}
	for name, in := range spoiledFiles(t, hostile) {
		code, got, problems := tailspan(in, "report", "--provider", providerOf(name), "-")
		if code != cli.ExitOK {
			require.Contains(t, problems, "no run of an agent", name)
			continue
		}
		pagetest.Check(t, got)
		require.False(t, t.Failed(), name)
		if strings.Contains(got, "&lt;script&gt;alert(1)") {
			seen[providerOf(name)]++
		}
	}
	for _, provider := range []string{"claude", "codex", "gemini", "openai_compatible", "opencode", "qwen"} {
		assert.Positive(t, seen[provider], "pages of %s that show the words", provider)
	}
}

// TestReportHasNoSecrets has a secret in every text of every provider.
func TestReportHasNoSecrets(t *testing.T) {
	const secret = "ghp_" + "MadeUpMadeUp0123456789MadeUpMadeUp01"
	shown := 0
	for name, in := range spoiledFiles(t, secret) {
		for _, format := range []string{"html", "markdown"} {
			code, got, problems := tailspan(in, "report", "--format", format, "--provider", providerOf(name), "-")
			if code == cli.ExitOK {
				shown++
			}
			if i := strings.Index(got+problems, secret[:12]); i >= 0 {
				assert.Fail(t, "the secret is shown", "%s, %s: %q", name, format, (got + problems)[max(0, i-200):i+20])
			}
		}
	}
	assert.Greater(t, shown, 60)
}

func TestReportCommand(t *testing.T) {
	session := filepath.Join(fixtures, "interactive.session.jsonl")
	code, all, problems := tailspan("", "report", session)
	require.Equal(t, cli.ExitOK, code, problems)
	pagetest.Check(t, all)
	traces := regexp.MustCompile(`<dt>Trace</dt><dd>([0-9a-f]{32})</dd>`).FindAllStringSubmatch(all, -1)
	require.Len(t, traces, 6, "one of each run")

	code, one, problems := tailspan("", "report", "--run", traces[4][1][:12], session)
	require.Equal(t, cli.ExitOK, code, problems)
	pagetest.Check(t, one)
	assert.Contains(t, one, "<h1>Third: wait a long time</h1>")
	assert.Contains(t, one, `class="verdict incomplete"`)
	assert.NotContains(t, one, traces[0][1])

	code, _, problems = tailspan("", "report", "--run", "nope", session)
	assert.Equal(t, cli.ExitFailure, code)
	assert.Contains(t, problems, `none of 6 runs has an ID that begins with "nope"`)

	code, got, problems := tailspan("", "report", filepath.Join(t.TempDir(), "none.jsonl"))
	assert.Equal(t, cli.ExitUsage, code)
	assert.Empty(t, got)
	assert.Contains(t, problems, "none.jsonl")

	code, got, problems = tailspan("plain words\n", "report", "-")
	assert.Equal(t, cli.ExitFailure, code)
	assert.Empty(t, got)
	assert.Contains(t, problems, "no run of an agent in the input")
}
