package show_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/show"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/pipeline"
)

// TestLosses checks the report about lines that a log does not show, and the input that it names.
func TestLosses(t *testing.T) {
	for _, tc := range []struct {
		name, provider, show string
		args                 []string
		stats                parser.Stats
		last                 string
		tooLong              int
		want                 string
	}{
		{"nothing", parser.Auto, options.ShowAll, []string{"a"}, parser.Stats{Lines: 3, OK: 3}, "", 0, ""},
		{"too long", parser.Auto, options.ShowAll, []string{"a"}, parser.Stats{}, "", 2, "tailspan: 2 lines longer than 100 bytes, read in part\n"},
		{"malformed", "claude", options.ShowAll, []string{"a"}, parser.Stats{Lines: 3, OK: 2, Malformed: 1}, "", 0, "tailspan: 1 line not understood (malformed), of 3\n"},
		{"not recognized", parser.Auto, options.ShowAll, []string{"a"}, parser.Stats{Lines: 2, Passed: 2}, "", 0, "tailspan: 2 lines not recognized and shown unchanged; --provider names the agent: claude, codex, gemini, "},
		{"hidden", parser.Auto, options.ShowNames, []string{"a"}, parser.Stats{Lines: 2, Passed: 2}, "", 0, "tailspan: 2 lines not recognized and not shown; --provider names the agent: "},
		{"another's", "codex", options.ShowAll, []string{"a"}, parser.Stats{Lines: 2, Unknown: 2}, "", 0, "tailspan: no line is one of codex; --provider auto finds out whose they are\n"},
		{"text, as was asked for", parser.None, options.ShowAll, []string{"a"}, parser.Stats{Lines: 2, Passed: 2}, "", 0, ""},
		{"one of several", parser.Auto, options.ShowAll, []string{"a", "b"}, parser.Stats{}, "", 1, `tailspan: "a": 1 line longer than 100 bytes`},
		{"of a folder", parser.Auto, options.ShowAll, []string{"folder"}, parser.Stats{}, "", 1, `tailspan: "a": 1 line longer than 100 bytes`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var stderr bytes.Buffer
			losses := show.Losses{
				Name: "a", Args: tc.args, Stream: options.Stream{Provider: tc.provider, MaxLine: 100}, Look: &options.Look{Show: tc.show},
				Stats: tc.stats, Last: tc.last, TooLong: tc.tooLong,
			}
			losses.Report(&stderr)
			if tc.want == "" {
				assert.Empty(t, stderr.String())
			}
			assert.True(t, strings.HasPrefix(stderr.String(), tc.want), stderr.String())
		})
	}
}

// open opens a screen without a terminal, as the flags say.
func open(t *testing.T, stdout, stderr io.Writer, args ...string) (screen *show.Screen) {
	t.Helper()
	program := cli.Program{Name: "demo", Commands: []cli.Command{{Name: "do", New: func(f *cli.Flags) cli.Action {
		look := &options.Look{}
		look.Add(f)
		return func(_ context.Context, _ []string, s cli.Streams) (err error) {
			screen, err = show.Open(look, f, s.Out, s.Err)
			return err
		}
	}}}}
	require.Zero(t, program.Run(t.Context(), append([]string{"do"}, args...), cli.Streams{Out: stdout, Err: stderr}))
	t.Cleanup(screen.Close)
	return screen
}

// TestScreen checks the destinations of output without a terminal, and that our messages contain no control sequences.
func TestScreen(t *testing.T) {
	var stdout, stderr bytes.Buffer
	screen := open(t, &stdout, &stderr)
	assert.Equal(t, render.ModeDefault, screen.Settings.Mode, "the text alone")
	assert.Nil(t, screen.Settings.Lines)
	screen.Report("a \x1b[31mfile\x1b]0;title\x07 \u009b31m")
	assert.Equal(t, "tailspan: a file \n", stderr.String())

	screen = open(t, &stdout, &stderr, "--mode", "verbose", "--style", "activity")
	assert.Equal(t, screen.Stderr, screen.Settings.Lines, "the lines beside the text")
	assert.Empty(t, stdout.String())
}

// TestScreenOfSeveral: concurrent writes to standard error do not mix within a line.
func TestScreenOfSeveral(t *testing.T) {
	var stderr bytes.Buffer
	screen := open(t, io.Discard, &stderr)
	var writing sync.WaitGroup
	for range 8 {
		writing.Go(func() {
			for range 100 {
				screen.Report("words")
			}
		})
	}
	writing.Wait()
	assert.Equal(t, strings.Repeat("tailspan: words\n", 800), stderr.String())
}

// TestCopy checks whether an error belongs to the input or to the log.
func TestCopy(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, show.Copy(&out, strings.NewReader("\x1b[31mas it is\n")))
	assert.Equal(t, "\x1b[31mas it is\n", out.String())
	unread := input.Error{Err: errors.New("read a: torn")}
	require.Equal(t, unread, show.Copy(&out, broken{unread}))
	err := show.Copy(full{}, strings.NewReader("words"))
	require.EqualError(t, err, "write log: write /dev/stdout: no space left on device")
	assert.False(t, errors.As(err, &input.Error{}))
}

// TestKeyOverDetection checks that a private key is redacted that begins before the agent is known and ends as plain text.
func TestKeyOverDetection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		part := strings.Repeat("MadeUp0123456789", 4)
		r, err := redact.NewRedactor(redact.Settings{})
		require.NoError(t, err)
		src, err := pipeline.NewEvents(pipeline.EventSettings{Provider: parser.Auto, Redactor: r, Plain: true})
		require.NoError(t, err)
		var out bytes.Buffer
		rendering := show.Rendering{Events: src, Live: true, Plain: func(line []byte) { out.Write(append(line, '\n')) }}
		shown := rendering.Open(render.NewLog(&out, render.LogSettings{}))
		record := func(line string) { require.NoError(t, shown.Record([]byte(line))) }
		record("-----BEGIN PRIVATE KEY-----")
		record(part)
		time.Sleep(2 * pipeline.QuietAfter)
		require.NoError(t, shown.Tick())
		record(`{"type":"system","subtype":"init","session_id":"a","cwd":"/","tools":[],"model":"m"}`)
		record(part)
		record("that is all")
		require.NoError(t, shown.Close(0))
		assert.NotContains(t, out.String(), part[:16])
		assert.Equal(t, 2, strings.Count(out.String(), "[redacted:private-key]"), out.String())
		assert.Contains(t, out.String(), "that is all")
	})
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}
