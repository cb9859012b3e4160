package render_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

func said(text string) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindText, MessageID: "m", Text: text}
}

func piece(message, parent, text string) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: events.KindText, Delta: true, MessageID: message, ParentID: parent, Text: text}
}

func of(kind events.Kind, parent string) *events.DisplayEvent {
	return &events.DisplayEvent{Kind: kind, MessageID: "m", ParentID: parent}
}

func TestTextInDefaultMode(t *testing.T) {
	tests := []struct {
		name string
		in   []*events.DisplayEvent
		want string
	}{
		{"one", []*events.DisplayEvent{said("Hello.")}, "Hello.\n"},
		{"two of one message", []*events.DisplayEvent{said("a"), said("b")}, "a\nb\n"},
		{"ends in a newline", []*events.DisplayEvent{said("a\n"), said("b\n\n"), said("c")}, "a\nb\n\nc\n"},
		{"ends in CRLF", []*events.DisplayEvent{said("a\r\n"), said("b\r")}, "a\nb\n"},
		{"empty", []*events.DisplayEvent{said(""), said("\x1b[2J"), said("a")}, "a\n"},
		{"white space stays", []*events.DisplayEvent{said("  "), said("\n")}, "  \n\n"},
		{"pieces", []*events.DisplayEvent{piece("m", "", "Hel"), piece("m", "", "lo")}, "Hello\n"},
		{"pieces, sequence across", []*events.DisplayEvent{piece("m", "", "a\x1b]0;own"), piece("m", "", "ed\x1b"), piece("m", "", "\\b")}, "ab\n"},
		{"pieces, CRLF across", []*events.DisplayEvent{piece("m", "", "a\r"), piece("m", "", "\nb")}, "a\nb\n"},
		{"sequence ends with its text", []*events.DisplayEvent{said("a\x1b]0;own"), said("ed")}, "a\ned\n"},
		{"pieces closed by a message", []*events.DisplayEvent{piece("m", "", "a"), of(events.KindMessage, ""), piece("m", "", "b")}, "a\nb\n"},
		{"pieces of another message", []*events.DisplayEvent{piece("m", "", "a"), piece("n", "", "b")}, "a\nb\n"},
		{"pieces of a sub-agent", []*events.DisplayEvent{piece("m", "", "a"), piece("m", "t1", "b"), piece("m", "", "c")}, "a\nb\nc\n"},
		{"pieces, then a whole", []*events.DisplayEvent{piece("m", "", "a"), said("b")}, "a\nb\n"},
		{"pieces around a tool call", []*events.DisplayEvent{piece("", "", "a"), of(events.KindToolUse, ""), piece("", "", "b")}, "a\nb\n"},
		{"pieces around a sub-agent's call", []*events.DisplayEvent{piece("m", "", "a"), of(events.KindToolUse, "t1"), piece("m", "", "b")}, "ab\n"},
		{"pieces around usage", []*events.DisplayEvent{piece("m", "", "a"), of(events.KindUsage, ""), piece("m", "", "b")}, "ab\n"},
		{"a run ends every text", []*events.DisplayEvent{piece("m", "t1", "a"), of(events.KindSessionEnded, ""), piece("m", "t1", "b")}, "a\nb\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, emit(render.Settings{}, tt.in...))
		})
	}
}

// TestDefaultModeIsTextAlone checks that no other kind, known or not, changes how default mode writes whole texts.
func TestDefaultModeIsTextAlone(t *testing.T) {
	texts := []*events.DisplayEvent{said("one"), said("two\n"), said("")}
	want := emit(render.Settings{}, texts...)
	for _, k := range append(events.Kinds(), 200) {
		if k == events.KindText {
			continue
		}
		var mixed []*events.DisplayEvent
		for _, e := range texts {
			mixed = append(mixed, full(k), e, full(k))
		}
		assert.Equal(t, want, emit(render.Settings{}, mixed...), "kind %s", k)
	}
}

// full returns an event of kind k with every payload.
func full(k events.Kind) *events.DisplayEvent {
	return &events.DisplayEvent{
		Kind: k, SessionID: "1a2b3c4d-0000", Model: "demo-1", Text: "words", Reasoning: "thoughts",
		Tool:     events.Tool{ID: "t1", Name: "Read", Target: "calc.go", Summary: "package calc"},
		Usage:    &events.Usage{},
		Notice:   events.Notice{Level: events.LevelWarn, Code: "slow"},
		Session:  &events.Session{Version: "1"},
		End:      &events.End{Error: true, Err: "went wrong", Result: "the result", Principle: "do no harm"},
		Approval: &events.Approval{Tool: "Bash", Subject: "rm -r build"},
		Ask:      &events.Ask{Questions: []events.AskQuestion{{Prompt: "Which?", Options: []events.AskOption{{Label: "a"}, {Label: "b"}}}}},
	}
}

// TestBarePayloads checks that an event without its payload, of any kind, does no harm in any mode and style.
func TestBarePayloads(t *testing.T) {
	for _, k := range append(events.Kinds(), events.KindUnspecified, 200) {
		for mode := render.ModeDefault; mode <= render.ModeJSON; mode++ {
			for style := render.StyleMarker; style.Valid(); style++ {
				out := emit(render.Settings{Mode: mode, Style: style}, &events.DisplayEvent{Kind: k})
				assert.NotContains(t, out, " \n", "kind %s, mode %s, style %s", k, mode, style)
				if k == events.KindUnspecified || k == 200 {
					assert.Empty(t, out, "kind %s, mode %s, style %s", k, mode, style)
				}
			}
		}
	}
}

func TestVerboseLineBreaksUnfinishedText(t *testing.T) {
	warn := &events.DisplayEvent{Kind: events.KindNotice, Text: "slow", Notice: events.Notice{Level: events.LevelWarn}}
	got := emit(render.Settings{Mode: render.ModeVerbose}, piece("m", "", "a"), warn, piece("m", "", "b"))
	assert.Equal(t, "a\n[warning: slow]\nb\n", got)
	got = emit(render.Settings{Mode: render.ModeVerbose}, piece("m", "", "a\x1b]0;ow"), warn, piece("m", "", "ned\ab"))
	assert.Equal(t, "a\n[warning: slow]\nb\n", got, "the text goes on, and so does the sequence in it")
}

func TestQuietMode(t *testing.T) {
	end := func(e events.End) *events.DisplayEvent {
		return &events.DisplayEvent{Kind: events.KindSessionEnded, SessionID: "1a2b3c4d-0000-4000", End: &e}
	}
	s := render.Settings{Mode: render.ModeQuiet}
	assert.Equal(t, "Run finished (session 1a2b3c4d, 4.1s)\n", emit(s, said("Hello"), full(events.KindToolUse), end(events.End{Duration: 4123e6})))
	assert.Equal(t, "Run failed: out of turns (session 1a2b3c4d, 12ms)\n", emit(s, end(events.End{Error: true, Err: "out of turns", Duration: 12e6})))
	assert.Equal(t, "Run failed: error_max_turns (session 1a2b3c4d)\n", emit(s, end(events.End{Error: true, Code: "error_max_turns"})))
	assert.Equal(t, "Run interrupted (session 1a2b3c4d)\n", emit(s, end(events.End{Error: true, Interrupted: true})))
	assert.Equal(t, "Turn failed: went wrong (session 1a2b3c4d)\n", emit(s, full(events.KindTurnDone)))
	assert.Equal(t, "Turn aborted: do no harm (session 1a2b3c4d)\n", emit(s, full(events.KindTurnAborted)))
	assert.Empty(t, emit(s, full(events.KindToolResult), full(events.KindNotice)))
}

func TestJSONModeRendersNothing(t *testing.T) {
	var out bytes.Buffer
	r := render.New(&out, render.Settings{Mode: render.ModeJSON, Style: render.StyleTranscript, EscapeCommands: render.CIAll})
	for _, k := range events.Kinds() {
		r.Emit(full(k))
	}
	r.Raw([]byte(`{"a":"\u001b` + "\x1b[2J::\xff\"}"))
	r.PassThrough([]byte("plain \x1b[1mwords\r\n"))
	r.Raw(nil)
	require.NoError(t, r.Close())
	assert.Equal(t, `{"a":"\u001b`+"\x1b[2J::\xff\"}\nplain \x1b[1mwords\r\n\n", out.String())
}

func TestPassThrough(t *testing.T) {
	for mode := render.ModeDefault; mode < render.ModeJSON; mode++ {
		var out bytes.Buffer
		r := render.New(&out, render.Settings{Mode: mode})
		r.PassThrough([]byte("npm \x1b[31mWARN\x1b[0m deprecated"))
		r.PassThrough([]byte("done\r\n"))
		require.NoError(t, r.Close())
		assert.Equal(t, "npm WARN deprecated\ndone\n", out.String(), "mode %s", mode)
	}
	var out bytes.Buffer
	r := render.New(&out, render.Settings{})
	r.Emit(piece("m", "", "half"))
	r.PassThrough([]byte("line"))
	r.Emit(piece("m", "", "a text"))
	r.Break()
	assert.Equal(t, "half\nline\na text\n", out.String())
	require.NoError(t, r.Close())
	assert.Equal(t, "half\nline\na text\n", out.String(), "the line is ended already")
}

func TestEscapeCommands(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"GitHub", "line 1\n::error::boo\n::add-mask::a", "line 1\n:\\:error::boo\n:\\:add-mask::a\n"},
		{"white space before it", "  \t\u00a0::set-output::x", "  \t\u00a0:\\:set-output::x\n"},
		{"not at the line's start", "std::vector a::b", "std::vector a::b\n"},
		{"older form anywhere", "see ##[error]x", "see ##\\[error]x\n"},
		{"Azure", "##vso[task.complete]", "##vso\\[task.complete]\n"},
		{"TeamCity", "##TeamCity[x]", "##TeamCity\\[x]\n"},
		{"Markdown stays", "## Title\n- [x] done\n#[a]", "## Title\n- [x] done\n#[a]\n"},
		{"Azure without the others", "x ##vso[task.setvariable variable=a]b ##[section]y", "x ##vso\\[task.setvariable variable=a]b ##\\[section]y\n"},
		{"GitLab", "section_start:1791187200:s1[collapsed=true]\r\x1b[0KHidden\nsection_end:1:s1\r\x1b[0K", "section_start\\:1791187200:s1[collapsed=true]\nHidden\nsection_end\\:1:s1\n"},
		{"Buildkite", "--- a\n+++\tb\n~~~ c\n^^^ +++\n --- d", "---\\ a\n+++\\\tb\n~~~\\ c\n^^^\\ +++\n ---\\ d\n"},
		{"rulers and other marks stay", "---\n----- x\n-- y\n--+ z\n+++b\ntext --- more", "---\n----- x\n-- y\n--+ z\n+++b\ntext --- more\n"},
		{"built over what is removed", "\u200b:\u00ad:error::x #\u2060#[y]\n-\ufeff-- z", ":\\:error::x ##\\[y]\n---\\ z\n"},
		{"built by a control", ":\x1b[m:error::", ":\\:error::\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, emit(render.Settings{EscapeCommands: render.CIAll}, said(tt.in)))
			var pieces []*events.DisplayEvent
			for i := range len(tt.in) {
				pieces = append(pieces, &events.DisplayEvent{Kind: events.KindText, MessageID: "m", Delta: true, Text: tt.in[i : i+1]})
			}
			assert.Equal(t, tt.want, emit(render.Settings{EscapeCommands: render.CIAll}, pieces...), "byte by byte")
		})
	}
	marker := &events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{Name: "Bash", Target: "echo '##[error]x'"}}
	assert.Equal(t, "[tool: Bash(echo '##\\[error]x')]\n", emit(render.Settings{Mode: render.ModeVerbose, EscapeCommands: render.CIAll}, marker))
	assert.Equal(t, "::error::boo\n", emit(render.Settings{}, said("::error::boo")), "off unless asked for")
}

// TestEscapeOnlyOfTheSystem: commands that the system that runs this job does not obey are unchanged.
func TestEscapeOnlyOfTheSystem(t *testing.T) {
	const all = "::error::a\n##[group]b\n##vso[c]\n##teamcity[d]\nsection_start:1:e\n--- f\n"
	for system, want := range map[render.CISystems]string{
		render.CIGitHub:    ":\\:error::a\n##\\[group]b\n##vso[c]\n##teamcity[d]\nsection_start:1:e\n--- f\n",
		render.CIAzure:     "::error::a\n##\\[group]b\n##vso\\[c]\n##teamcity[d]\nsection_start:1:e\n--- f\n",
		render.CITeamCity:  "::error::a\n##[group]b\n##vso[c]\n##teamcity\\[d]\nsection_start:1:e\n--- f\n",
		render.CIGitLab:    "::error::a\n##[group]b\n##vso[c]\n##teamcity[d]\nsection_start\\:1:e\n--- f\n",
		render.CIBuildkite: "::error::a\n##[group]b\n##vso[c]\n##teamcity[d]\nsection_start:1:e\n---\\ f\n",
	} {
		assert.Equal(t, want, emit(render.Settings{EscapeCommands: system}, said(all)), "%b", system)
	}
}

func TestDetectCI(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want render.CISystems
	}{
		{"none", nil, 0},
		{"GitHub", map[string]string{"GITHUB_ACTIONS": "true", "CI": "true"}, render.CIGitHub},
		{"Azure", map[string]string{"TF_BUILD": "True"}, render.CIAzure},
		{"TeamCity", map[string]string{"TEAMCITY_VERSION": "2026.1"}, render.CITeamCity},
		{"GitLab", map[string]string{"GITLAB_CI": "true"}, render.CIGitLab},
		{"Buildkite", map[string]string{"BUILDKITE": "true"}, render.CIBuildkite},
		{"two, one in the other", map[string]string{"GITHUB_ACTIONS": "true", "TF_BUILD": "True"}, render.CIGitHub | render.CIAzure},
		{"an unknown one", map[string]string{"CI": "woodpecker"}, render.CIAll},
		{"switched off", map[string]string{"CI": "false", "GITHUB_ACTIONS": "0"}, 0},
	} {
		get := func(key string) string { return tt.env[key] }
		assert.Equal(t, tt.want, render.DetectCI(get), tt.name)
		assert.Equal(t, tt.want, render.CIEscapeAuto.Systems(get), tt.name)
		assert.Equal(t, render.CIAll, render.CIEscapeOn.Systems(get), tt.name)
		assert.Zero(t, render.CIEscapeOff.Systems(get), tt.name)
	}
	for _, name := range []string{"auto", "on", "off"} {
		c, err := render.ParseCIEscape(name)
		require.NoError(t, err)
		assert.Equal(t, name, c.String())
	}
	_, err := render.ParseCIEscape("yes")
	assert.EqualError(t, err, `must be one of auto, on, off, got "yes"`)
}

// limitedWriter accepts n bytes and then fails, or reports a short write if short.
type limitedWriter struct {
	strings.Builder
	n     int
	short bool
}

var errFull = errors.New("disk full")

func (w *limitedWriter) Write(p []byte) (int, error) {
	n, _ := w.Builder.Write(p[:min(w.n, len(p))]) // writing to a Builder never fails
	w.n -= n
	if n < len(p) && !w.short {
		return n, errFull
	}
	return n, nil
}

func TestWriteError(t *testing.T) {
	w := &limitedWriter{n: 6}
	r := render.New(w, render.Settings{Mode: render.ModeVerbose})
	r.Emit(said("one"))
	require.NoError(t, r.Err())
	r.Emit(said("two"))
	require.ErrorIs(t, r.Err(), errFull)
	assert.EqualError(t, r.Err(), "write output: disk full")
	w.n = 100
	r.Emit(said("three"))
	r.Raw([]byte("four"))
	r.PassThrough([]byte("five"))
	r.Break()
	assert.ErrorIs(t, r.Close(), errFull, "the first error stays")
	assert.Equal(t, "one\ntw", w.String(), "nothing is written after a failed write")

	r = render.New(&limitedWriter{short: true}, render.Settings{})
	r.Emit(said("one"))
	assert.ErrorIs(t, r.Err(), io.ErrShortWrite)
}

// writeCounter counts writes.
type writeCounter struct{ n int }

func (w *writeCounter) Write(p []byte) (int, error) { w.n++; return len(p), nil }

func TestEveryEventIsWrittenAtOnce(t *testing.T) {
	w := &writeCounter{}
	r := render.New(w, render.Settings{Mode: render.ModeVerbose, Style: render.StyleTranscript})
	for i, e := range []*events.DisplayEvent{piece("m", "", "a"), piece("m", "", "b"), full(events.KindToolUse), full(events.KindSessionEnded)} {
		r.Emit(e)
		assert.Equal(t, i+1, w.n)
	}
}

func TestNames(t *testing.T) {
	assert.Equal(t, []string{"default", "verbose", "quiet", "json"}, render.ModeNames())
	assert.Equal(t, []string{"marker", "transcript", "progress", "activity"}, render.StyleNames())
	for _, name := range render.ModeNames() {
		m, err := render.ParseMode(name)
		require.NoError(t, err)
		assert.Equal(t, name, m.String())
	}
	for _, name := range render.StyleNames() {
		s, err := render.ParseStyle(name)
		require.NoError(t, err)
		assert.Equal(t, name, s.String())
	}
	_, err := render.ParseMode("Verbose")
	assert.EqualError(t, err, `mode must be one of default, verbose, quiet, json, got "Verbose"`)
	_, err = render.ParseStyle("")
	assert.EqualError(t, err, `style must be one of marker, transcript, progress, activity, got ""`)
	assert.Equal(t, "mode(9)", render.Mode(9).String())
	assert.Equal(t, "style(9)", render.Style(9).String())
	assert.Equal(t, "[tool: Read(calc.go)]\n", emit(render.Settings{Mode: render.ModeVerbose, Style: 9}, full(events.KindToolUse)))
}

// TestBreakCommands: commands are broken however the writes are split, and nothing else changes.
func TestBreakCommands(t *testing.T) {
	const in = "\x1b[31mred\x1b[0m \xff\n\u00a0::error::a\n--- b\n## c ##[d] \u3000é\r::warning::e\nsection_end:1:x\n"
	const want = "\x1b[31mred\x1b[0m \xff\n\u00a0:\\:error::a\n---\\ b\n## c ##\\[d] \u3000é\r:\\:warning::e\nsection_end\\:1:x\n"
	for size := 1; size < len(in); size++ {
		var out bytes.Buffer
		w := render.BreakCommands(&out, render.CIAll)
		for rest := in; rest != ""; {
			n := min(size, len(rest))
			wrote, err := io.WriteString(w, rest[:n])
			require.NoError(t, err)
			require.Equal(t, n, wrote)
			rest = rest[n:]
		}
		require.Equal(t, want, out.String(), "size %d", size)
	}
	var out bytes.Buffer
	assert.Same(t, &out, render.BreakCommands(&out, 0))
}
