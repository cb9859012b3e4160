package parser_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
)

const (
	textLine   = `{"type":"assistant","message":{"id":"m%d","role":"assistant","content":[{"type":"text","text":"t%d"}]},"session_id":"s","uuid":"u%d"}`
	useLine    = `{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"c","name":"Read","input":{"file_path":"a"}}]},"session_id":"s","uuid":"a"}`
	resultLine = `{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"%s","content":"out of %s"}]},"uuid":"%s"}`
)

func text(n int) []byte { return fmt.Appendf(nil, textLine, n, n, n) }

func newSource(t *testing.T, provider string) *parser.Source {
	t.Helper()
	s, err := parser.New(provider)
	require.NoError(t, err)
	return s
}

func TestNewUnknown(t *testing.T) {
	_, err := parser.New("cloud")
	assert.ErrorContains(t, err, `provider "cloud" is not known, want one of claude, `)
	for _, name := range parser.Names() {
		_, err := parser.New(name)
		assert.NoError(t, err, name)
	}
}

func TestSourceOfAProvider(t *testing.T) {
	s := newSource(t, "claude")
	assert.Equal(t, "claude", s.Provider())
	assert.Len(t, s.ParseEvents(text(1)), 1)
	assert.Equal(t, events.LineOK, s.LineStatus())
	assert.Empty(t, s.Raw())
	s.ParseEvents([]byte("words"))
	s.ParseEvents([]byte(`{"type":"mode"}`))
	s.ParseEvents([]byte(`{"type":"hologram"}`))
	assert.Equal(t, parser.Stats{Lines: 4, Events: 1, OK: 1, Ignored: 1, Unknown: 1, Malformed: 1, UnknownTypes: map[string]int{"hologram": 1}}, s.Stats())
}

func TestNonePassesAll(t *testing.T) {
	s := newSource(t, "none")
	for _, line := range [][]byte{text(1), []byte("words"), nil} {
		assert.Empty(t, s.ParseEvents(line))
		assert.Equal(t, [][]byte{line}, s.Raw())
		assert.Equal(t, events.LinePassed, s.LineStatus())
	}
	assert.Empty(t, s.Flush())
	assert.Empty(t, s.Raw())
	assert.Empty(t, s.Provider())
	assert.Equal(t, parser.Stats{Lines: 3, Passed: 3}, s.Stats())
}

func TestAutoBuffersUntilDetection(t *testing.T) {
	s := newSource(t, "auto")
	const undecided = `{"type":"user","message":{"content":[{"type":"new"},{"type":"tool_result","tool_use_id":"%s","content":"out of %s"}]}}`
	buffered := [][]byte{[]byte("npm warn"), fmt.Appendf(nil, undecided, "x", "x"), fmt.Appendf(nil, undecided, "y", "y")}
	for _, line := range buffered {
		buffer := bytes.Clone(line)
		require.Empty(t, s.ParseEvents(buffer))
		assert.Equal(t, events.LineHeld, s.LineStatus())
		clear(buffer) // the reader reuses its memory
	}
	assert.Equal(t, 3, s.Stats().Held)
	out := s.ParseEvents(text(7))
	require.Len(t, out, 3)
	assert.Equal(t, "out of x", string(out[0].Tool.Output))
	assert.Equal(t, "out of y", string(out[1].Tool.Output), "results of held lines keep their output")
	assert.Equal(t, "t7", out[2].Text)
	assert.Equal(t, "claude", s.Provider())
	assert.Equal(t, events.LineOK, s.LineStatus())
	assert.Equal(t, parser.Stats{Lines: 4, Events: 3, OK: 3, Malformed: 1}, s.Stats())
	assert.Len(t, s.ParseEvents([]byte(useLine)), 1)
}

func TestAutoGivesUp(t *testing.T) {
	for _, tc := range []struct {
		name string
		line []byte
		most int
	}{
		{"after many objects", []byte(`{"a":1}`), parser.DetectLines},
		{"after many words", []byte("words"), parser.DetectNoise},
		{"after many bytes", bytes.Repeat([]byte("x"), parser.DetectBytes/8), 8},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSource(t, "auto")
			n := 0
			for ; len(s.Raw()) == 0; n++ {
				require.Less(t, n, tc.most)
				require.Empty(t, s.ParseEvents(tc.line))
			}
			assert.Equal(t, tc.most, n)
			assert.Len(t, s.Raw(), n)
			assert.Equal(t, events.LinePassed, s.LineStatus())
			assert.Empty(t, s.ParseEvents(text(1)), "it does not change its mind")
			assert.Len(t, s.Raw(), 1)
			assert.Equal(t, parser.Stats{Lines: n + 1, Passed: n + 1}, s.Stats())
		})
	}
}

func TestNoiseDoesNotDefeatAuto(t *testing.T) {
	s := newSource(t, "auto")
	for i := range 3 * parser.DetectLines {
		line := fmt.Appendf(nil, "npm warn deprecated demo-%d@1.0.0 {see https://example.com}", i)
		require.Empty(t, s.ParseEvents(line))
		clear(line)
		require.Empty(t, s.ParseEvents([]byte("\x1b[33mwarn\x1b[0m a coloured word")))
	}
	assert.Len(t, s.ParseEvents(text(1)), 1)
	assert.Equal(t, "claude", s.Provider())
	assert.Equal(t, parser.Stats{Lines: 6*parser.DetectLines + 1, Events: 1, OK: 1, Malformed: 6 * parser.DetectLines}, s.Stats())
}

func TestAutoPassesAtTheEnd(t *testing.T) {
	s := newSource(t, "auto")
	s.ParseEvents([]byte("one"))
	s.ParseEvents([]byte("two"))
	assert.Empty(t, s.Flush())
	assert.Equal(t, [][]byte{[]byte("one"), []byte("two")}, s.Raw())
	assert.False(t, s.Incomplete())
}

func TestQwenIsNotClaude(t *testing.T) {
	lines := [][]byte{
		[]byte(`{"type":"system","subtype":"init","uuid":"s","session_id":"s","tools":[],"qwen_code_version":"0.15.10"}`),
		[]byte(`{"type":"user","uuid":"a","session_id":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"x"}]}}`),
	}
	name, ok := parser.Detect(lines)
	assert.True(t, ok)
	assert.Equal(t, "qwen", name, "also with a line of the same shape as Claude Code's behind its first one")
	s := newSource(t, "auto")
	for _, line := range lines {
		assert.NotEmpty(t, s.ParseEvents(line))
	}
	assert.Equal(t, "qwen", s.Provider())
}

func TestUnknownTypesAreBounded(t *testing.T) {
	s := newSource(t, "claude")
	for i := range 100 {
		s.ParseEvents(fmt.Appendf(nil, `{"type":"new_%d"}`, i))
	}
	types := s.Stats().UnknownTypes
	assert.Len(t, types, 65)
	assert.Equal(t, 36, types[parser.OtherTypes])
}

func TestStatsAreACopy(t *testing.T) {
	s := newSource(t, "claude")
	s.ParseEvents([]byte(`{"type":"new"}`))
	before := s.Stats()
	s.ParseEvents([]byte(`{"type":"new"}`))
	assert.Equal(t, 1, before.UnknownTypes["new"])
}

func TestDetect(t *testing.T) {
	for _, tc := range []struct{ name, line, want string }{
		{"claude init", `{"type":"system","subtype":"init","session_id":"s","tools":["Task"]}`, "claude"},
		{"claude stream", strings.ReplaceAll(textLine, "%d", "1"), "claude"},
		{"claude transcript", `{"parentUuid":null,"type":"user","message":{"role":"user","content":"go"},"uuid":"u","sessionId":"s"}`, "claude"},
		{"claude init without a session", `{"type":"system","subtype":"init","tools":["Task"],"model":"m"}`, "claude"},
		{"claude text without a session", `{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"t"}]}}`, "claude"},
		{"claude call without a session", `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"c","name":"Read","input":{}}]}}`, "claude"},
		{"claude result without a session", `{"type":"result","subtype":"success","num_turns":1}`, "claude"},
		{"claude array", `[{"type":"system","subtype":"init","session_id":"s","tools":[]}]`, "claude"},
		{"claude bookkeeping", `{"type":"queue-operation","operation":"enqueue","sessionId":"s"}`, "claude"},
		{"claude with a mark", "\xef\xbb\xbf" + `{"type":"system","subtype":"init","session_id":"s","tools":[]}`, "claude"},
		{"qwen init", `{"type":"system","subtype":"init","uuid":"s","session_id":"s","tools":[],"qwen_code_version":"0.15.10"}`, "qwen"},
		{"qwen message", `{"type":"assistant","uuid":"a","session_id":"s","message":{"id":"a","role":"assistant","content":[{"type":"text","text":"x"}]}}`, "qwen"},
		{"qwen transcript without an id", `{"parentUuid":null,"type":"user","sessionId":"s","version":"0.15.10","message":{"role":"user","parts":[{"text":"go"}]}}`, ""},
		{"gemini", `{"type":"init","timestamp":"2026-11-27T20:46:41.189Z","session_id":"s","model":"gemini-2.5-pro"}`, "gemini"},
		{"gemini message", `{"type":"message","session_id":"s","role":"user","content":"hi"}`, ""},
		{"codex", `{"type":"thread.started","thread_id":"t"}`, "codex"},
		{"words", `hello`, ""}, {"empty", ``, ""}, {"number", `1`, ""}, {"empty array", `[]`, ""}, {"torn", `{"type":"system","subtype":"init","session_id":"s","tools":[`, ""},
	} {
		got, ok := parser.Detect([][]byte{[]byte("npm warn"), []byte(tc.line)})
		assert.Equal(t, tc.want, got, tc.name)
		assert.Equal(t, tc.want != "", ok, tc.name)
	}
}

// TestQuietPassesBufferedLines checks that lines that do not identify their provider pass once when nothing arrives for a
// while, and that the events are the same as without the quiet time.
func TestQuietPassesBufferedLines(t *testing.T) {
	s := newSource(t, "auto")
	require.Empty(t, s.ParseEvents([]byte("loading")))
	assert.Empty(t, s.Raw())
	assert.True(t, s.Pending())
	require.Empty(t, s.Quiet())
	assert.Equal(t, [][]byte{[]byte("loading")}, s.Raw())
	assert.False(t, s.Pending())
	assert.True(t, s.Undecided())
	assert.Empty(t, s.Quiet())
	assert.Empty(t, s.Raw(), "once")

	got := s.ParseEvents(text(1))
	assert.Equal(t, "claude", s.Provider())
	fast := newSource(t, "auto")
	require.Empty(t, fast.ParseEvents([]byte("loading")))
	assert.Equal(t, fast.ParseEvents(text(1)), got)
	assert.Equal(t, fast.Stats(), s.Stats())
}

// TestQuietThenGivenUp checks that lines that passed in a quiet time do not pass again at the end, and are counted once.
func TestQuietThenGivenUp(t *testing.T) {
	s := newSource(t, "auto")
	s.ParseEvents([]byte("one"))
	s.Quiet()
	s.ParseEvents([]byte("two"))
	assert.Empty(t, s.Flush())
	assert.Equal(t, [][]byte{[]byte("two")}, s.Raw())
	assert.Equal(t, 2, s.Stats().Passed)
	assert.Equal(t, 2, s.Stats().Lines)
	assert.Zero(t, s.Stats().Held)
}
