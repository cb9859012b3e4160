package render_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/render"
)

// wordSource is a source of a made-up format: "say words", "use name target", "fail name why". Lines that begin with a
// brace have an unknown type; others are malformed. "bye" is pending at the end.
type wordSource struct {
	status events.LineStatus
	out    []events.DisplayEvent
	lines  int
}

func (s *wordSource) ParseEvents(line []byte) []events.DisplayEvent {
	s.lines++
	s.out, s.status = s.out[:0], events.LineOK
	verb, rest, _ := strings.Cut(string(line), " ")
	name, target, _ := strings.Cut(rest, " ")
	switch {
	case verb == "say":
		s.out = append(s.out, events.DisplayEvent{Kind: events.KindText, Text: rest})
	case verb == "use":
		s.out = append(s.out, events.DisplayEvent{Kind: events.KindToolUse, Tool: events.Tool{ID: name, Name: name, Target: target}})
	case verb == "fail":
		s.out = append(s.out, events.DisplayEvent{Kind: events.KindToolResult, Tool: events.Tool{ID: name, Error: true, Err: target}})
	case strings.HasPrefix(verb, "{"):
		s.status = events.LineUnknownType
	default:
		s.status = events.LineMalformed
	}
	return s.out
}

func (s *wordSource) LineStatus() events.LineStatus { return s.status }

func (s *wordSource) Flush() []events.DisplayEvent {
	return []events.DisplayEvent{{Kind: events.KindText, Text: "bye"}}
}

const wordStream = "say Hello\nuse Read a.go\n{\"type\":\"new\"}\nplain \x1b[2Jwords\nfail Read no such file\nsay Sorry"

// written renders a stream that is written in pieces.
func written(t *testing.T, s render.Settings, source events.DisplayEventSource, ws render.WriterSettings, pieces ...string) string {
	t.Helper()
	var out bytes.Buffer
	ws.Mode, ws.Style = s.Mode, s.Style
	w := render.NewWriter(render.New(&out, s), source, ws)
	for _, p := range pieces {
		n, err := io.WriteString(w, p)
		require.NoError(t, err)
		require.Equal(t, len(p), n)
	}
	require.NoError(t, w.Close())
	require.NoError(t, w.Close(), "a second close does nothing")
	return out.String()
}

func TestWriter(t *testing.T) {
	verbose := func(style render.Style) render.Settings {
		return render.Settings{Mode: render.ModeVerbose, Style: style}
	}
	tests := []struct {
		name     string
		settings render.Settings
		source   events.DisplayEventSource
		want     string
	}{
		{"default", render.Settings{}, &wordSource{}, "Hello\nSorry\nbye\n"},
		{"marker", verbose(render.StyleMarker), &wordSource{}, "Hello\n[tool: Read(a.go)]\nSorry\nbye\n"},
		{"transcript shows words that are no JSON", verbose(render.StyleTranscript), &wordSource{}, "Hello\n[Read] a.go\nplain words\n→ error: no such file\nSorry\nbye\n"},
		{"progress", verbose(render.StyleProgress), &wordSource{}, "Hello\nReading a.go\nRead failed: a.go\nSorry\nbye\n"},
		{"no source", verbose(render.StyleMarker), nil, strings.ReplaceAll(wordStream, "\x1b[2J", "") + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, written(t, tt.settings, tt.source, render.WriterSettings{}, wordStream))
			assert.Equal(t, tt.want, written(t, tt.settings, tt.source, render.WriterSettings{}, strings.Split(wordStream, "")...), "byte for byte")
		})
	}
}

// TestWriterJSON checks that mode json parses nothing and changes nothing, in any style.
func TestWriterJSON(t *testing.T) {
	for style := render.StyleMarker; style.Valid(); style++ {
		source := &wordSource{}
		got := written(t, render.Settings{Mode: render.ModeJSON, Style: style, Summary: true, Reasoning: true}, source, render.WriterSettings{}, wordStream+"\r\n")
		assert.Equal(t, wordStream+"\r\n", got)
		assert.Zero(t, source.lines)
	}
}

func TestWriterSkipsLongLines(t *testing.T) {
	var warnings []string
	ws := render.WriterSettings{MaxLine: 20, Warn: func(m string) { warnings = append(warnings, m) }}
	long := "say " + strings.Repeat("x", 17)
	in := "say one\n" + long + "\nsay " + strings.Repeat("y", 16) + "\n" + long
	var out bytes.Buffer
	w := render.NewWriter(render.New(&out, render.Settings{}), &wordSource{}, ws)
	for piece := range strings.SplitSeq(in, "") {
		_, err := io.WriteString(w, piece)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	assert.Equal(t, "one\n"+strings.Repeat("y", 16)+"\nbye\n", out.String())
	assert.Equal(t, 2, w.Skipped())
	assert.Equal(t, []string{"skipped a line of 21 bytes, longer than 20", "skipped a line of 21 bytes, longer than 20"}, warnings)
}

// TestWriterDefaultLimit checks the line limit of 16 MiB, and that a longer line takes no memory.
func TestWriterDefaultLimit(t *testing.T) {
	var out bytes.Buffer
	w := render.NewWriter(render.New(&out, render.Settings{}), &wordSource{}, render.WriterSettings{})
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range 64 {
		_, err := w.Write(chunk)
		require.NoError(t, err)
	}
	_, err := io.WriteString(w, "\nsay on\nsay ")
	require.NoError(t, err)
	for range 15 {
		_, err := w.Write(chunk)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	assert.Equal(t, 1, w.Skipped())
	assert.Equal(t, "on\n"+strings.Repeat("x", 15<<20)+"\nbye\n", out.String())
}

func TestWriterErrors(t *testing.T) {
	full := errors.New("disk full")
	w := render.NewWriter(render.New(writerFunc(func([]byte) (int, error) { return 0, full }), render.Settings{}), &wordSource{}, render.WriterSettings{})
	n, err := io.WriteString(w, "say x\n")
	assert.Equal(t, 6, n, "the bytes are taken")
	require.ErrorIs(t, err, full)
	assert.EqualError(t, err, "write output: disk full")
	assert.ErrorIs(t, w.WriteRecord([]byte("say y")), full)
	assert.ErrorIs(t, w.Close(), full)
	_, err = io.WriteString(w, "more")
	assert.EqualError(t, err, "write stream: writer is closed")
}

func TestWriterTakesRecords(t *testing.T) {
	var out bytes.Buffer
	w := render.NewWriter(render.New(&out, render.Settings{}), &wordSource{}, render.WriterSettings{MaxLine: 3})
	require.NoError(t, w.WriteRecord([]byte("say two\nlines")), "a record is not held to the limit of lines")
	assert.Equal(t, "two\nlines\n", out.String())
}

// passing is a source that gives up and passes lines unchanged, like one that finds no provider.
type passing struct {
	wordSource
	raw [][]byte
}

func (p *passing) ParseEvents(line []byte) []events.DisplayEvent {
	p.raw = append(p.raw[:0], line)
	return nil
}
func (p *passing) Flush() []events.DisplayEvent { p.raw = nil; return nil }
func (p *passing) Raw() [][]byte                { return p.raw }

func TestWriterPassesOnWhatItsSourceLetsPass(t *testing.T) {
	got := written(t, render.Settings{Mode: render.ModeVerbose, Style: render.StyleMarker}, &passing{}, render.WriterSettings{}, "one\ntwo \x1b[1mwords")
	assert.Equal(t, "one\ntwo words\n", got)
}

func TestFormatFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stream.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(wordStream), 0o600))
	got, err := render.FormatFile(path, &wordSource{})
	require.NoError(t, err)
	assert.Equal(t, written(t, render.Settings{Mode: render.ModeVerbose, Style: render.StyleTranscript}, &wordSource{}, render.WriterSettings{}, wordStream), got)
	_, err = render.FormatFile(path+".no", &wordSource{})
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "format file: ")
	_, err = render.FormatFile(filepath.Dir(path), &wordSource{})
	assert.ErrorContains(t, err, "format file: ")
}

func TestFormatLine(t *testing.T) {
	assert.Equal(t, "[Read] calc.go\nbye\n", render.FormatLine("use Read src/calc.go\n", &wordSource{}))
	transcript := render.NewTranscript(&wordSource{})
	assert.Equal(t, "npm warn\n", transcript.FormatLine("npm warn"))
	assert.Empty(t, transcript.FormatLine(`{"type":"of tomorrow"}`))
	assert.Equal(t, "bye\n", transcript.End())
	assert.Empty(t, transcript.End())
	assert.Equal(t, "words\n", render.FormatLine("\x1b[1mwords", nil))
}

func TestProgressFormatter(t *testing.T) {
	p := render.NewProgress()
	assert.Equal(t, "I look.\n", p.Format(said("I look.")))
	assert.Empty(t, p.Format(said(" \n")))
	assert.Equal(t, "Reading a.go\n", p.Format(use("t", "read", "a.go")))
	assert.Equal(t, "Read failed: a.go\n", p.Format(refusal("t", "no such file")))
	assert.Equal(t, "half", p.Format(piece("m", "", "half")))
	assert.Equal(t, "\n", p.End())
}

// FuzzWriter checks that the log of a stream does not depend on how the stream is split into writes, that it is safe,
// and that long lines are counted and nothing else.
func FuzzWriter(f *testing.F) {
	f.Add([]byte(wordStream), uint16(3), uint8(200), uint8(0))
	f.Add([]byte("say \xff\nuse \x1b]0;x\a y\n\n\r\nsay "+strings.Repeat("z", 99)), uint16(7), uint8(16), uint8(5))
	for i, s := range hostile {
		f.Add([]byte("say "+s+"\nuse "+s), uint16(i), uint8(64), uint8(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint16, limit, how uint8) {
		s := render.Settings{Mode: render.Mode(how % 3), Style: render.Style(how >> 2 % 4), Summary: how&16 != 0, Results: how&32 != 0}
		ws := render.WriterSettings{MaxLine: int(limit) + 1, Mode: s.Mode, Style: s.Style}
		run := func(r io.Reader) (string, int) {
			var out bytes.Buffer
			w := render.NewWriter(render.New(&out, s), &wordSource{}, ws)
			_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, make([]byte, int(cut)%50+1))
			require.NoError(t, err)
			require.NoError(t, w.Close())
			return out.String(), w.Skipped()
		}
		want, skipped := run(bytes.NewReader(data))
		got, again := run(iotest.HalfReader(bytes.NewReader(data)))
		require.Equal(t, want, got)
		require.Equal(t, skipped, again)
		checkSafe(t, string(data), want)
		s.Color = true
		colored, _ := run(bytes.NewReader(data))
		require.Equal(t, want, withoutInks.Replace(colored), "colours are the only difference")
		long := 0
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			if len(line) > ws.MaxLine {
				long++
			}
		}
		require.Equal(t, long, skipped)
	})
}

// withoutInks removes the colours of lines.
var withoutInks = strings.NewReplacer("\x1b[0m", "", "\x1b[1m", "", "\x1b[38;5;243m", "", "\x1b[38;5;160m", "", "\x1b[38;5;28m", "", "\x1b[38;5;130m", "", "\x1b[38;5;30m", "")

func ExampleWriter() {
	// In a real program, use a parser of package parser instead of words.
	w := render.NewWriter(render.New(os.Stdout, render.Settings{Mode: render.ModeVerbose}), &wordSource{}, render.WriterSettings{
		Warn: func(message string) { fmt.Fprintln(os.Stderr, message) },
	})
	fmt.Fprint(w, "say I'll look at the fail")
	fmt.Fprint(w, "ing test.\nuse Read calc_test.go\nsay Found it.")
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// I'll look at the failing test.
	// [tool: Read(calc_test.go)]
	// Found it.
	// bye
}

func ExampleTranscript() {
	t := render.NewTranscript(&wordSource{})
	for _, line := range []string{"say I'll look.", "use Read src/calc.go", "fail Read no such file", "npm warn deprecated", `{"type":"of tomorrow"}`} {
		fmt.Print(t.FormatLine(line))
	}
	fmt.Print(t.End())
	// Output:
	// I'll look.
	// [Read] calc.go
	// → error: no such file
	// npm warn deprecated
	// bye
}

func ExampleFormatLine() {
	fmt.Print(render.FormatLine("use Grep func Discount", nil))
	// Output:
	// use Grep func Discount
}

func ExampleFormatFile() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "run.log")
	if err := os.WriteFile(path, []byte("say Hello.\nuse Bash go test ./...\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	text, err := render.FormatFile(path, &wordSource{})
	fmt.Print(text, err)
	// Output:
	// Hello.
	// [Bash] $ go test ./...
	// bye
	// <nil>
}

func ExampleNewProgress() {
	p := render.NewProgress()
	for _, e := range []events.DisplayEvent{
		{Kind: events.KindToolUse, Tool: events.Tool{ID: "t1", Name: "edit", Target: "src/tool.ts"}},
		{Kind: events.KindText, Text: "  "},
		{Kind: events.KindToolResult, Tool: events.Tool{ID: "t1", Error: true}},
	} {
		fmt.Print(p.Format(&e))
	}
	// Output:
	// Editing src/tool.ts
	// Edit failed: src/tool.ts
}

func ExampleLog() {
	log := render.NewLog(os.Stdout, render.LogSettings{Settings: render.Settings{Mode: render.ModeVerbose}})
	build, test := log.Open(render.Origin{Step: "build"}), log.Open(render.Origin{Step: "test"})
	build.Emit(&events.DisplayEvent{Kind: events.KindText, Delta: true, Text: "I build"})
	test.Emit(&events.DisplayEvent{Kind: events.KindText, Text: "I test."})
	build.Emit(&events.DisplayEvent{Kind: events.KindText, Delta: true, Text: " it."})
	for _, s := range []*render.Stream{build, test} {
		if err := s.Close(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// --- [build] ---
	// I build
	// --- [test] ---
	// I test.
	// --- [build] ---
	//  it.
}
