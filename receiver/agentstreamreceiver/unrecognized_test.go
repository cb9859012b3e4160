package agentstreamreceiver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver"
)

// TestUnrecognizedFiles checks which lines of no known provider are exported, what is counted, and that there is one warning.
func TestUnrecognizedFiles(t *testing.T) {
	const (
		prompt  = "zz-demo-prompt"
		history = `{"display":"` + prompt + `","project":"/srv"}` + "\n" + `{"display":"more of it","project":"/srv"}` + "\n"
		logs    = `[{"sessionId":"s","messageId":0,"type":"user","message":"` + prompt + `","timestamp":"2026-11-28T10:00:00.000Z"}]`
	)
	for _, tc := range []struct {
		name    string
		file    string // the file with the lines
		content string
		link    string // leads to file, if set; file is then outside of the watched folders
		set     func(*agentstreamreceiver.Config)
		passes  bool
		reason  string
		warning string
	}{
		{name: "any file", file: "a.jsonl", content: history, passes: true, reason: "passed", warning: "no known agent in the first lines of a file, exporting them as tailspan.raw; set provider, or unrecognized: drop"},
		{name: "any file, to be dropped", file: "a.jsonl", content: history, set: func(c *agentstreamreceiver.Config) { c.Stream.Unrecognized = config.UnrecognizedDrop },
			reason: "unrecognized", warning: "skipping unrecognized file"},
		{name: "in the folder of Claude Code", file: ".claude/projects/p/journal.jsonl", content: history, reason: "agent_folder", warning: "skipping unrecognized file in agent folder"},
		{name: "a history elsewhere", file: "copy/history.jsonl", content: history, reason: "agent_folder", warning: "skipping unrecognized file in agent folder"},
		{name: "prompts of Gemini CLI elsewhere", file: "tmp/shop/logs.json", content: logs, reason: "agent_folder", warning: "skipping unrecognized file in agent folder"},
		{name: "as it is, by wish", file: ".claude/journal.jsonl", content: history, set: func(c *agentstreamreceiver.Config) { c.Stream.Provider = "none" }, passes: true, reason: "passed"},
		{name: "behind a link that leaves the folder", file: "x.txt", content: history, link: "a.jsonl", reason: "outside_link", warning: "skipping unrecognized file behind a link that leaves the watched folder"},
		{name: "such a link, by wish", file: "x.txt", content: history, link: "a.jsonl", set: func(c *agentstreamreceiver.Config) { c.Stream.Provider = "none" }, reason: "outside_link", warning: "skipping unrecognized file behind a link that leaves the watched folder"},
		{name: "such a link, every line copied", file: "x.txt", content: history, link: "a.jsonl", set: func(c *agentstreamreceiver.Config) { c.Stream.RawLines = true }, reason: "outside_link", warning: "skipping unrecognized file behind a link that leaves the watched folder"},
		{name: "such a link to a document", file: "x.txt", content: logs, link: "a.json", reason: "outside_link", warning: "skipping unrecognized file behind a link that leaves the watched folder"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			root := t.TempDir()
			watched, file := filepath.Join(root, "watched"), filepath.Join(root, "watched", tc.file)
			if tc.link != "" {
				file = filepath.Join(root, "private", tc.file)
			}
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
			require.NoError(t, os.MkdirAll(watched, 0o700))
			require.NoError(t, os.WriteFile(file, []byte(tc.content), 0o600))
			if tc.link != "" {
				require.NoError(t, os.Symlink(file, filepath.Join(watched, tc.link)))
			}
			cfg := configFor(filepath.Join(watched, "**", "*.json*"))
			cfg.Stream.ForceFlushPeriod = tick
			if tc.set != nil {
				tc.set(cfg)
			}
			r := start(t, cfg, nil)
			lines := int64(strings.Count(strings.TrimSpace(tc.content), "\n") + 1)
			require.Eventually(t, func() bool { return r.sum("otelcol_receiver_agent_stream_lines") == lines }, wait, tick)
			r.stop()
			var bodies []string
			for _, record := range r.records() {
				bodies = append(bodies, record.Body().AsString())
			}
			if tc.passes {
				assert.Len(t, bodies, int(lines))
			} else {
				assert.NotContains(t, strings.Join(bodies, "\n"), prompt)
			}
			assert.Empty(t, r.spans())
			assert.Equal(t, lines, r.metric("otelcol_receiver_agent_stream_lines_not_parsed", "reason", tc.reason))
			var want []string
			if tc.warning != "" {
				want = []string{tc.warning}
			}
			assert.Equal(t, want, warnings(r.logged))
		})
	}
}

// TestLinkToASession checks that a link to a session is followed, wherever it leads.
func TestLinkToASession(t *testing.T) {
	root := t.TempDir()
	appendLines(t, filepath.Join(root, "elsewhere.jsonl"), session(t, "claude", "parity.jsonl")...)
	require.NoError(t, os.Mkdir(filepath.Join(root, "watched"), 0o700))
	require.NoError(t, os.Symlink(filepath.Join(root, "elsewhere.jsonl"), filepath.Join(root, "watched", "latest.jsonl")))
	r := start(t, configFor(filepath.Join(root, "watched", "*.jsonl")), nil)
	require.Eventually(t, func() bool { return len(r.texts()) > 0 }, wait, tick)
	r.stop()
	assert.Empty(t, warnings(r.logged))
}
