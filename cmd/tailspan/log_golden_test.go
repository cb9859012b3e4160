package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/telemetry"
)

// logCases are the fixtures whose readable log is held by golden files, by provider: a plain run, parallel calls,
// sub-agents, failures and retries, and every kind of character.
var logCases = map[string][]string{
	"claude": {
		"parity", "parallel", "subagent", "background", "retry", "fatal-401", "max-turns", "denied", "interrupted",
		"partial-messages", "unicode", "case-terminal-injection", "case-newlines-in-arguments", "case-preview-cut-40-runes",
		"case-known-tool-odd-input",
	},
}

// looks are the ways to render that have a golden file a fixture.
var looks = map[string]render.Settings{
	"default":    {Mode: render.ModeDefault},
	"quiet":      {Mode: render.ModeQuiet},
	"marker":     {Mode: render.ModeVerbose, Style: render.StyleMarker},
	"transcript": {Mode: render.ModeVerbose, Style: render.StyleTranscript},
	"progress":   {Mode: render.ModeVerbose, Style: render.StyleProgress},
}

// TestReadableLogs renders real streams in every look, once from the events and once from the log records that the
// receiver makes of them, which must give the same.
func TestReadableLogs(t *testing.T) {
	for provider, cases := range logCases {
		folder := filepath.Join("..", "..", "testdata", provider)
		for _, name := range cases {
			data, err := os.ReadFile(filepath.Join(folder, name+".jsonl"))
			require.NoError(t, err)
			for look, s := range looks {
				t.Run(provider+" "+name+" "+look, func(t *testing.T) {
					fromEvents, fromRecords := readableLogs(t, provider, data, s)
					goldentest.Compare(t, filepath.Join(folder, name+"."+look+".log.golden"), fromEvents)
					assert.Equal(t, fromEvents, fromRecords, "records show what their events show")
				})
			}
		}
	}
}

// TestDefaultModeSaysTheText holds that default mode writes each text once, cleaned and closed, and nothing else.
func TestDefaultModeSaysTheText(t *testing.T) {
	for provider := range logCases {
		all, err := filepath.Glob(filepath.Join("..", "..", "testdata", provider, "*.jsonl"))
		require.NoError(t, err)
		require.NotEmpty(t, all)
		for _, path := range all {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			var want strings.Builder
			parse(t, provider, data, func(_ int64, evs []events.DisplayEvent) {
				for _, ev := range evs {
					if ev.Kind != events.KindText {
						continue
					}
					text := render.Sanitize(ev.Text)
					want.WriteString(text)
					if text != "" && !strings.HasSuffix(text, "\n") {
						want.WriteByte('\n')
					}
				}
			})
			got, _ := readableLogs(t, provider, data, render.Settings{})
			assert.Equal(t, want.String(), got, filepath.Base(path))
		}
	}
}

// parse hands on the events of each line of a stream.
func parse(t *testing.T, provider string, data []byte, f func(offset int64, evs []events.DisplayEvent)) {
	t.Helper()
	source, err := parser.New(provider)
	require.NoError(t, err)
	var offset int64
	for line := range bytes.Lines(data) {
		f(offset, source.ParseEvents(bytes.TrimSuffix(line, []byte("\n"))))
		offset += int64(len(line))
	}
	f(offset, source.Flush())
}

func readableLogs(t *testing.T, provider string, data []byte, s render.Settings) (fromEvents, fromRecords string) {
	t.Helper()
	var direct, indirect bytes.Buffer
	r := render.New(&direct, s)
	stream := telemetry.NewRegistry(telemetry.NewDefaultSettings()).Open(telemetry.StreamSettings{
		ID: "fixture", Agent: telemetry.Agent{Provider: provider},
	})
	parse(t, provider, data, func(offset int64, evs []events.DisplayEvent) {
		for i := range evs {
			r.Emit(&evs[i])
		}
		stream.Feed(telemetry.Line{Offset: offset}, evs)
	})
	require.NoError(t, r.Close())
	stream.Close(telemetry.CloseReasonTruncated)

	r = render.New(&indirect, s)
	for _, rl := range stream.Take().Logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				var ev events.DisplayEvent
				require.True(t, telemetry.EventFromRecord(lr, &ev))
				r.Emit(&ev)
			}
		}
	}
	require.NoError(t, r.Close())
	return direct.String(), indirect.String()
}
