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
	"github.com/tailspan/tailspan/internal/transcripttest"
	"github.com/tailspan/tailspan/parser"
)

// parse returns the IDs in the events of a stream.
func parse(t *testing.T, provider string, stream []byte) (all []events.DisplayEvent) {
	t.Helper()
	p, err := parser.New(provider)
	require.NoError(t, err)
	for line := range bytes.Lines(stream) {
		for _, e := range p.ParseEvents(bytes.TrimSuffix(line, []byte("\n"))) {
			all = append(all, events.DisplayEvent{
				Kind: e.Kind, SessionID: strings.Clone(e.SessionID), MessageID: strings.Clone(e.MessageID),
			})
		}
	}
	return all
}

func countKinds(all []events.DisplayEvent) map[string]int {
	counts := map[string]int{}
	for _, e := range all {
		counts[e.Kind.String()]++
	}
	return counts
}

// common returns the IDs that both have. A parser creates IDs with a "#" from the time and count of a line.
func common(a, b []events.DisplayEvent) (names []string) {
	seen := map[string]bool{}
	for _, e := range a {
		seen[e.SessionID], seen[e.MessageID] = true, true
	}
	for _, e := range b {
		for _, name := range [...]string{e.SessionID, e.MessageID} {
			if name != "" && seen[name] && !strings.Contains(name, "#") {
				names = append(names, name)
			}
		}
	}
	return names
}

func TestTranscript(t *testing.T) {
	var a, again, other bytes.Buffer
	lines, err := transcripttest.Write(&a, 1, 200_000)
	require.NoError(t, err)
	_, err = transcripttest.Write(&again, 1, 200_000)
	require.NoError(t, err)
	_, err = transcripttest.Write(&other, 2, 200_000)
	require.NoError(t, err)
	assert.Equal(t, a.String(), again.String(), "the same seed")
	assert.NotEqual(t, a.String(), other.String(), "another seed")
	assert.Equal(t, bytes.Count(a.Bytes(), []byte("\n")), lines)
	assert.GreaterOrEqual(t, a.Len(), 200_000)

	kinds := countKinds(parse(t, "claude", a.Bytes()))
	assert.Positive(t, kinds["text"])
	assert.Positive(t, kinds["prompt"])
	assert.Positive(t, kinds["tool_use"])
	assert.Equal(t, kinds["tool_use"], kinds["tool_result"], "each call has its result")
}

func TestRepeatedRecording(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.jsonl.zst")
	require.NoError(t, err)
	require.Len(t, paths, 7)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			r, err := readRecording(path)
			require.NoError(t, err)
			var original strings.Builder
			for _, p := range r.pieces {
				original.WriteString(p.text + p.id)
			}
			var first, second bytes.Buffer
			require.NoError(t, r.write(&first, 0))
			require.NoError(t, r.write(&second, 1))
			assert.Equal(t, original.Len(), first.Len(), "each name has the length that it had")

			want, got, next := parse(t, r.provider, []byte(original.String())), parse(t, r.provider, first.Bytes()), parse(t, r.provider, second.Bytes())
			require.NotEmpty(t, want)
			assert.Equal(t, countKinds(want), countKinds(got), "what was named alike is named alike")
			assert.Equal(t, countKinds(want), countKinds(next))
			names := common(got, next)
			assert.Empty(t, names[:min(len(names), 5)], "named alike in two repetitions")
		})
	}
}

func TestRename(t *testing.T) {
	tests := []struct{ name, id, form string }{
		{"UUID", "255ed797-675a-4cb1-96d6-f5e9ed7823fd", `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`},
		{"with a prefix", "msg_01d0kBdpG5MsVojZ9WULmmYY", `^msg_[0-9A-Za-z]{24}$`},
		{"Gemini's call", "read_file__read_file_1795813335503_0", `^read_file__read_file_[0-9]{13}_[0-9]$`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.True(t, isID(tt.id))
			got := rename(tt.id, 1)
			assert.Regexp(t, tt.form, got)
			assert.NotEqual(t, tt.id, got)
			assert.NotEqual(t, rename(tt.id, 2), got)
			assert.Equal(t, rename(tt.id, 1), got)
		})
	}
	for _, word := range []string{"item_0", "2026-11-27T20", "1795813006938", "notes__notes_12_0", "claude-sonnet-4-5-20250929", "call_graph"} {
		assert.False(t, isID(word), word)
	}
	id := "01a21eca-47ae-7621-9260-4707c10f7c13"
	assert.Equal(t, "msg_"+rename(id, 1), rename("msg_"+id, 1), "one name with and without its prefix")
}

func TestPrepareDataTakesWhatIsWhole(t *testing.T) {
	s := Settings{Out: t.TempDir(), MB: 1, Files: 3, Testdata: "testdata"}
	first, err := transcripts(t.Context(), s)
	require.NoError(t, err)
	assert.Equal(t, 3, first.Files)
	assert.Greater(t, first.Bytes, 1_000_000)
	size, lines := 0, 0
	paths, err := filepath.Glob(filepath.Join(first.Dir, "*.jsonl"))
	require.NoError(t, err)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		size, lines = size+len(content), lines+bytes.Count(content, []byte("\n"))
	}
	assert.Equal(t, []int{size, lines}, []int{first.Bytes, first.Lines})

	require.NoError(t, os.Remove(paths[0]))
	again, err := transcripts(t.Context(), s)
	require.NoError(t, err)
	assert.Equal(t, first, again)
	assert.NoFileExists(t, paths[0], "it is not made again")

	require.NoError(t, os.Remove(first.Dir+".json"), "as if an earlier run had been stopped")
	_, err = transcripts(t.Context(), s)
	require.NoError(t, err)
	assert.FileExists(t, paths[0])

	s.Testdata = t.TempDir()
	_, err = recordings(t.Context(), s)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestSpread(t *testing.T) {
	assert.Equal(t, spread{1, 2, 9}, spreadOf([]float64{9, 1, 2}))
	assert.Equal(t, spread{1, 1.5, 2}, spreadOf([]float64{2, 1}))
}
