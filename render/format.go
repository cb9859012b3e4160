package render

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/tailspan/tailspan/events"
)

// Formatter returns the text of events instead of writing it, for programs that show it themselves. Use it from
// one goroutine at a time.
type Formatter struct {
	out      bytes.Buffer
	renderer *Renderer
}

// NewFormatter returns a Formatter for any settings.
func NewFormatter(s Settings) *Formatter {
	f := &Formatter{}
	s.Lines = nil
	f.renderer = New(&f.out, s)
	return f
}

// NewProgress returns a Formatter that says what the agent is doing: its own text if there is one, otherwise
// "Reading src/auth.ts", "Finished reading src/auth.ts". An event with nothing to show gives "".
func NewProgress() *Formatter {
	return NewFormatter(Settings{Mode: ModeVerbose, Style: StyleProgress})
}

// Format returns what one event adds to the log: whole lines, except for a text in pieces; "" if it shows nothing.
func (f *Formatter) Format(e *events.DisplayEvent) string {
	f.renderer.Emit(e)
	return f.take()
}

// End returns the rest of the log after the stream has ended.
func (f *Formatter) End() string {
	_ = f.renderer.Close() // writing to a buffer never fails
	return f.take()
}

func (f *Formatter) take() string {
	s := f.out.String()
	f.out.Reset()
	return s
}

// Transcript formats the lines of one stream in the transcript style. Use it from one goroutine at a time.
type Transcript struct {
	formatter *Formatter
	writer    *Writer
}

// NewTranscript returns a Transcript whose lines source parses. Without a source, lines are only sanitised.
func NewTranscript(source events.DisplayEventSource) *Transcript {
	s := Settings{Mode: ModeVerbose, Style: StyleTranscript}
	f := NewFormatter(s)
	return &Transcript{formatter: f, writer: NewWriter(f.renderer, source, WriterSettings{Mode: s.Mode, Style: s.Style})}
}

// FormatLine returns what one line of the stream, passed without its newline, adds to the log: one line per block, each with
// a newline. A line that is not JSON is sanitised and otherwise unchanged; a line without meaning to a reader gives "".
func (t *Transcript) FormatLine(line string) string {
	t.writer.line([]byte(strings.TrimSuffix(line, "\n")))
	return t.formatter.take()
}

// End returns the rest of the log after the stream has ended.
func (t *Transcript) End() string {
	_ = t.writer.Close() // writing to a buffer never fails
	return t.formatter.take()
}

// FormatFile returns the log of a whole file, whose lines source parses.
func FormatFile(path string, source events.DisplayEventSource) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("format file: %w", err)
	}
	defer file.Close()
	t := NewTranscript(source)
	if _, err := file.WriteTo(t.writer); err != nil {
		return "", fmt.Errorf("format file: %w", err)
	}
	return t.End(), nil
}

// FormatLine formats a single line like [Transcript.FormatLine]. Only a [Transcript] can name a result after the call of
// an earlier line.
func FormatLine(line string, source events.DisplayEventSource) string {
	t := NewTranscript(source)
	return t.FormatLine(line) + t.End()
}
