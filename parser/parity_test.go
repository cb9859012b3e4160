package parser_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
)

// eachFixture calls f with every fixture of every provider, and its events.
func eachFixture(t *testing.T, pattern string, f func(t *testing.T, file string, input []byte, all []events.DisplayEvent)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "*", pattern))
	require.NoError(t, err)
	found := 0
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.IsDir() || !slices.Contains([]string{".jsonl", ".json", ".sse"}, filepath.Ext(file)) {
			continue
		}
		found++
		input, err := os.ReadFile(file)
		require.NoError(t, err)
		t.Run(filepath.Base(filepath.Dir(file))+"/"+filepath.Base(file), func(t *testing.T) { f(t, file, input, eventsOf(t, file, input)) })
	}
	require.Positive(t, found, pattern)
}

// eventsOf reads a file as `tailspan events` does: in lines, or as one document. The events are copies.
func eventsOf(t *testing.T, file string, input []byte) (all []events.DisplayEvent) {
	t.Helper()
	return read(sourceOf(t, file), file, input)
}

// sourceOf returns the parser of a fixture's provider.
func sourceOf(t *testing.T, file string) *parser.Source {
	t.Helper()
	provider := filepath.Base(filepath.Dir(file))
	if provider == "openai" {
		provider = "openai_compatible"
	}
	return newSource(t, provider)
}

func read(s *parser.Source, file string, input []byte) (all []events.DisplayEvent) {
	lines := [][]byte{input}
	if filepath.Ext(file) != ".json" {
		lines = bytes.Split(bytes.TrimSuffix(input, []byte("\n")), []byte("\n"))
	}
	take := func(out []events.DisplayEvent) {
		for _, e := range out {
			e.Tool.Output, e.Tool.Input = bytes.Clone(e.Tool.Output), bytes.Clone(e.Tool.Input)
			all = append(all, e)
		}
	}
	for _, line := range lines {
		take(s.ParseEvents(line))
	}
	take(s.Flush())
	return all
}

// Every agent received the same small task: read a Go file, search, edit it, run its tests. Every record of it must
// have these categories of events. Reasoning and marks of turns exist if a model reasoned and a format marks turns.
var (
	parityCategories = []events.Kind{events.KindText, events.KindToolUse, events.KindToolResult, events.KindUsage, events.KindSessionStarted}
	parityOptional   = []events.Kind{events.KindReasoning, events.KindTurnStarted, events.KindTurnDone, events.KindPrompt, events.KindSessionEnded}
)

// parityLacks lists what a form does not contain, and why.
var parityLacks = map[string][]events.Kind{
	// The stream of 0.42 --experimental-json has no tokens, nor do the rollouts of 0.29.
	"codex/parity-0.42-experimental.jsonl": {events.KindUsage},
	"codex/parity-0.29.session.jsonl":      {events.KindUsage},
	// The single document of --output-format json has the answer and the totals.
	"gemini/parity.result.json": {events.KindToolUse, events.KindToolResult, events.KindSessionStarted},
	// Bodies of answers; the requests contain the results of tools. Neither describes a session.
	"openai/parity.bodies.jsonl":   {events.KindToolResult, events.KindSessionStarted},
	"openai/parity.requests.jsonl": {events.KindText, events.KindToolUse, events.KindUsage, events.KindSessionStarted},
}

// TestParity checks that the same work yields the same categories of events from every provider, in every form and
// version, whatever its tools are called.
func TestParity(t *testing.T) {
	providers := map[string]bool{}
	eachFixture(t, "parity*", func(t *testing.T, file string, _ []byte, all []events.DisplayEvent) {
		name := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file)
		providers[filepath.Dir(name)] = true
		seen := map[events.Kind]int{}
		edited, tested := false, false
		open := map[string]bool{}
		for i := range all {
			e := &all[i]
			seen[e.Kind]++
			switch e.Kind {
			case events.KindToolUse:
				edited = edited || strings.HasSuffix(e.Tool.Target, "calc.go")
				tested = tested || strings.Contains(e.Tool.Target, "go test")
				open[e.Tool.ID] = true
			case events.KindToolResult:
				delete(open, e.Tool.ID)
			}
		}
		lacks := parityLacks[name]
		for _, kind := range parityCategories {
			assert.Equal(t, !slices.Contains(lacks, kind), seen[kind] > 0, "%s: %d", kind, seen[kind])
			delete(seen, kind)
		}
		for kind, n := range seen {
			assert.Contains(t, parityOptional, kind, "%d of another category", n)
		}
		if !slices.Contains(lacks, events.KindToolUse) {
			assert.True(t, edited, "the file that was edited is a target")
			assert.True(t, tested, "the tests that were run are a target")
		}
		if !slices.Contains(lacks, events.KindToolUse) && !slices.Contains(lacks, events.KindToolResult) {
			assert.Empty(t, open, "calls without a result")
		}
	})
	for _, name := range parser.Names() {
		if name != parser.Auto && name != parser.None {
			assert.True(t, providers[folderOf(name)], "%s has no record of the task", name)
		}
	}
}

// TestDroppedOutputs checks that dropping the texts of results and the arguments of calls drops nothing else, and keeps
// the head of a text whose summary was cut. Arguments that are dropped are dropped everywhere.
func TestDroppedOutputs(t *testing.T) {
	dropped := 0
	eachFixture(t, "*", func(t *testing.T, file string, input []byte, kept []events.DisplayEvent) {
		s := sourceOf(t, file)
		s.DropInput()
		s.DropOutput()
		all := read(s, file, input)
		require.Len(t, all, len(kept))
		for i := range all {
			text, head := kept[i].Tool.Output, all[i].Tool.Output
			if strings.HasSuffix(kept[i].Tool.Summary, "…") && strings.HasPrefix(string(text), kept[i].Tool.Summary[:10]) {
				assert.GreaterOrEqual(t, len(head), min(events.OutputHead, len(text)), "%q", kept[i].Tool.Summary)
			}
			assert.True(t, bytes.HasPrefix(text, head))
			if len(head) < len(text) {
				dropped++
			}
			if input := all[i].Tool.Input; len(input) > 0 {
				assert.Equal(t, string(kept[i].Tool.Input), string(input))
			}
			kept[i].Tool.Input, all[i].Tool.Input = nil, nil
			kept[i].Tool.Output, all[i].Tool.Output = nil, nil
			assert.Equal(t, kept[i], all[i])
		}
	})
	assert.Positive(t, dropped)
}

// TestDroppedInput checks that a parser that saves work by it omits arguments, even if it is selected later.
func TestDroppedInput(t *testing.T) {
	for _, name := range []string{"codex", parser.Auto} {
		s := newSource(t, name)
		s.DropInput()
		s.ParseEvents([]byte(`{"timestamp":"2026-11-27T20:50:50.318Z","type":"session_meta","payload":{"id":"01a21ec6-6cb3-7ee3-9163-df3962fcab7f"}}`))
		out := s.ParseEvents([]byte(`{"timestamp":"2026-11-27T20:50:51.318Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\"}","call_id":"c"}}`))
		require.Equal(t, "codex", s.Provider())
		require.NotEmpty(t, out)
		call := out[len(out)-1].Tool // a source that detects the provider returns the held events too
		assert.Equal(t, "ls", call.Target)
		assert.Empty(t, call.Input)
	}
}

// TestDropBeforeTheProviderIsKnown checks that a parser that is selected later drops too.
func TestDropBeforeTheProviderIsKnown(t *testing.T) {
	s := newSource(t, parser.Auto)
	s.DropOutput()
	s.ParseEvents(text(1))
	require.Equal(t, "claude", s.Provider())
	out := s.ParseEvents(fmt.Appendf(nil, resultLine, "c", "c", "u"))
	require.Len(t, out, 1)
	assert.Empty(t, out[0].Tool.Output)
	assert.Equal(t, "out of c", out[0].Tool.Summary)
	assert.Equal(t, len("out of c"), out[0].Tool.Size)
}
