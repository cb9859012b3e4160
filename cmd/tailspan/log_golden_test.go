package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/internal/goldentest"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/program"
	"github.com/tailspan/tailspan/telemetry"
)

// logCases are the fixtures whose readable log is in golden files, in every form that a provider has: a plain run,
// parallel calls, sub-agents, failures and retries, and every kind of character.
var logCases = []string{
	"parity", "parallel", "interleaved", "subagent", "subagents-v1", "subagents-v2", "background",
	"failures", "fatal-400", "fatal-401", "unauthorized", "bad-request", "retry", "max-turns", "budget", "overflow", "bad-stream",
	"denied", "interrupted", "openai-stream-tools", "openai-errors",
	"unicode", "partial-messages", "case-terminal-injection", "case-newlines-in-arguments", "case-preview-cut-40-runes",
	"case-known-tool-odd-input",
}

// logForms are the name endings of a fixture: a stream, a transcript, a document, the bodies of a server.
var logForms = []string{".jsonl", ".stream.jsonl", ".session.jsonl", ".export.json", ".bodies.jsonl", ".sse"}

// looks are the renderings in a golden file, one after the other.
var looks = []struct {
	name string
	render.Settings
}{
	{"default", render.Settings{Mode: render.ModeDefault}},
	{"quiet", render.Settings{Mode: render.ModeQuiet}},
	{"marker", render.Settings{Mode: render.ModeVerbose, Style: render.StyleMarker}},
	{"transcript", render.Settings{Mode: render.ModeVerbose, Style: render.StyleTranscript}},
	{"progress", render.Settings{Mode: render.ModeVerbose, Style: render.StyleProgress}},
	{"activity", render.Settings{Mode: render.ModeVerbose, Style: render.StyleActivity, Location: time.UTC, Replay: true}},
}

// providersWithFixtures returns the providers with a parser.
func providersWithFixtures(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, name := range parser.Names() {
		if name != parser.Auto && name != parser.None {
			require.DirExists(t, fixtureFolder(name))
			all = append(all, name)
		}
	}
	return all
}

// fixtureFolder returns the folder of a provider's fixtures.
func fixtureFolder(provider string) string {
	folder := filepath.Join("..", "..", "testdata", provider)
	if _, err := os.Stat(folder); err != nil && provider == "openai_compatible" {
		return filepath.Join("..", "..", "testdata", "openai")
	}
	return folder
}

// fixturesOf returns the fixtures of a provider that match one of the patterns, without golden files.
func fixturesOf(t *testing.T, provider string, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, pattern := range patterns {
		found, err := filepath.Glob(filepath.Join(fixtureFolder(provider), pattern))
		require.NoError(t, err)
		for _, path := range found {
			if ext := filepath.Ext(path); ext == ".jsonl" || ext == ".json" || ext == ".sse" {
				all = append(all, path)
			}
		}
	}
	return all
}

// TestReadableLogs renders real streams in every look, from the events and from the log records that the receiver makes
// of them. Both must be equal.
func TestReadableLogs(t *testing.T) {
	for _, provider := range providersWithFixtures(t) {
		var patterns []string
		for _, name := range logCases {
			for _, form := range logForms {
				patterns = append(patterns, name+form)
			}
		}
		paths := fixturesOf(t, provider, patterns...)
		require.NotEmpty(t, paths, provider)
		for _, path := range paths {
			t.Run(provider+" "+filepath.Base(path), func(t *testing.T) {
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				var all strings.Builder
				for _, look := range looks {
					fromEvents, fromRecords := readableLogs(t, provider, path, data, look.Settings)
					fmt.Fprintf(&all, "== %s ==\n%s", look.name, fromEvents)
					if look.Style == render.StyleActivity { // a record always has a time, an event may have none
						fromEvents, fromRecords = withoutTimes(fromEvents), withoutTimes(fromRecords)
					}
					assert.Equal(t, fromEvents, fromRecords, "%s: records show what their events show", look.name)
				}
				goldentest.Compare(t, strings.TrimSuffix(path, ".jsonl")+".log.golden", all.String())
			})
		}
	}
}

// withoutTimes removes the times of the activity style.
func withoutTimes(log string) string {
	return regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d `).ReplaceAllString(log, "")
}

// TestDisplayOutput checks the result of DisplayOutput for the plain run of every provider, byte for byte. It also
// checks that the default mode writes only the texts, each once, cleaned and with a final newline.
func TestDisplayOutput(t *testing.T) {
	for _, provider := range providersWithFixtures(t) {
		for _, path := range fixturesOf(t, provider, "*") {
			t.Run(provider+" "+filepath.Base(path), func(t *testing.T) {
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				var output events.DisplayOutput
				var concatenated, lines strings.Builder
				inPieces := false
				parse(t, provider, path, data, func(_ int64, evs []events.DisplayEvent) {
					for i := range evs {
						output.Emit(&evs[i])
						if evs[i].Kind != events.KindText {
							continue
						}
						inPieces = inPieces || evs[i].Delta
						concatenated.WriteString(evs[i].Text)
						text := render.Sanitize(evs[i].Text)
						lines.WriteString(text)
						if text != "" && !strings.HasSuffix(text, "\n") {
							lines.WriteByte('\n')
						}
					}
				})
				assert.Equal(t, concatenated.String(), output.String())
				if !inPieces {
					got, _ := readableLogs(t, provider, path, data, render.Settings{})
					assert.Equal(t, lines.String(), got)
				}
				if strings.HasPrefix(filepath.Base(path), "parity") {
					goldentest.Compare(t, strings.TrimSuffix(path, ".jsonl")+".output.golden", output.String())
				}
			})
		}
	}
}

// parse passes on the events of each line of a stream, or of a document.
func parse(t *testing.T, provider, path string, data []byte, f func(offset int64, evs []events.DisplayEvent)) {
	t.Helper()
	source, err := parser.New(provider)
	require.NoError(t, err)
	var offset int64
	if parser.IsDocument(path) {
		f(0, source.ParseEvents(data))
		f(int64(len(data)), source.Flush())
		return
	}
	for line := range bytes.Lines(data) {
		f(offset, source.ParseEvents(bytes.TrimSuffix(line, []byte("\n"))))
		offset += int64(len(line))
	}
	f(offset, source.Flush())
}

func readableLogs(t *testing.T, provider, path string, data []byte, s render.Settings) (fromEvents, fromRecords string) {
	t.Helper()
	var direct, indirect bytes.Buffer
	r := render.New(&direct, s)
	stream := telemetry.NewRegistry(telemetry.NewDefaultSettings()).Open(telemetry.StreamSettings{
		ID: "fixture", Agent: program.Agent{Provider: provider},
	})
	parse(t, provider, path, data, func(offset int64, evs []events.DisplayEvent) {
		for i := range evs {
			r.Emit(&evs[i])
		}
		stream.Feed(telemetry.Line{Offset: offset}, evs)
	})
	require.NoError(t, r.Close())
	stream.Close(otlp.CloseReasonTruncated)

	r = render.New(&indirect, s)
	for _, rl := range stream.Take().Logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, lr := range sl.LogRecords().All() {
				var ev events.DisplayEvent
				if lr.EventName() == otlp.EventNameRunEnd {
					continue // it has no event
				}
				require.True(t, otlp.EventFromRecord(lr, &ev))
				r.Emit(&ev)
			}
		}
	}
	require.NoError(t, r.Close())
	return direct.String(), indirect.String()
}
