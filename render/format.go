package render

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/tailspan/tailspan/events"
)

// Formatter gives the text of events instead of writing it, for those who show it themselves. It is used by one
// goroutine at a time.
type Formatter struct {
	out      bytes.Buffer
	renderer *Renderer
}

// NewFormatter makes a Formatter of any look.
func NewFormatter(s Settings) *Formatter {
	f := &Formatter{}
	s.Lines = nil
	f.renderer = New(&f.out, s)
	return f
}

// NewProgress makes a Formatter for what the agent is doing: its own text where there is one, else "Reading
// src/auth.ts", "Finished reading src/auth.ts". An event with nothing to show gives "".
func NewProgress() *Formatter {
	return NewFormatter(Settings{Mode: ModeVerbose, Style: StyleProgress})
}

// Format is what one event adds to the log: whole lines, but for a text in pieces. "" if it shows nothing.
func (f *Formatter) Format(e *events.DisplayEvent) string {
	f.renderer.Emit(e)
	return f.take()
}

// End is what the log still lacks when the stream has ended.
func (f *Formatter) End() string {
	_ = f.renderer.Close() // a buffer takes everything
	return f.take()
}

func (f *Formatter) take() string {
	s := f.out.String()
	f.out.Reset()
	return s
}

// Transcript formats the lines of one stream in the transcript style. It is used by one goroutine at a time.
type Transcript struct {
	formatter *Formatter
	writer    *Writer
}

// NewTranscript makes a Transcript whose lines source parses; without a source, lines stay as they are, made safe.
func NewTranscript(source events.DisplayEventSource) *Transcript {
	s := Settings{Mode: ModeVerbose, Style: StyleTranscript}
	f := NewFormatter(s)
	return &Transcript{formatter: f, writer: NewWriter(f.renderer, source, WriterSettings{Mode: s.Mode, Style: s.Style})}
}

// FormatLine is what one line of the stream, without its newline, adds to the log: one line of text a block, each with a
// newline. A line that is no JSON stays as it is, made safe; one that means nothing to a reader gives "".
func (t *Transcript) FormatLine(line string) string {
	t.writer.line([]byte(strings.TrimSuffix(line, "\n")))
	return t.formatter.take()
}

// End is what the log still lacks when the stream has ended.
func (t *Transcript) End() string {
	_ = t.writer.Close() // a buffer takes everything
	return t.formatter.take()
}

// FormatFile is the log of a whole file, whose lines source parses.
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

// FormatLine formats a single line as [Transcript.FormatLine] does. A result is named by the call of an earlier line only
// in a [Transcript].
func FormatLine(line string, source events.DisplayEventSource) string {
	t := NewTranscript(source)
	return t.FormatLine(line) + t.End()
}
