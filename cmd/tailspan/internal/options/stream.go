package options

import (
	"fmt"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/pipeline"
)

// Stream holds the flags for how a stream is read.
type Stream struct {
	Provider  string
	MaxLine   config.Size
	Container string
}

// Add declares the flags that all commands that read a stream share.
func (s *Stream) Add(f *cli.Flags) {
	f.ChoiceVar(&s.Provider, "provider", parser.Auto, parser.Names(), "who wrote the stream")
	f.SizeVar(&s.MaxLine, "max-line-size", input.DefaultMaxLine, "longest line, such as 64MiB; longer ones are counted, and read in part")
}

// AddContainer declares the flag of commands that read files of container runtimes.
func (s *Stream) AddContainer(f *cli.Flags) {
	f.ChoiceVar(&s.Container, "container", config.ContainerAuto, []string{config.ContainerAuto, config.ContainerNone},
		"take the framing of CRI, Docker's json-file and CI logs off lines that have one")
}

// Events returns the conversion of lines to events. No command shows the arguments of calls or the texts of results.
func (s *Stream) Events(r *redact.Redactor) (*pipeline.Events, error) {
	return pipeline.NewEvents(pipeline.EventSettings{Provider: s.Provider, Redactor: r})
}

// QuotedEvents is Events for a command that quotes the plain text around and between the records.
func (s *Stream) QuotedEvents(r *redact.Redactor) (*pipeline.Events, error) {
	return pipeline.NewEvents(pipeline.EventSettings{Provider: s.Provider, Redactor: r, Plain: true})
}

// Lines returns the line reader for an input and its parser.
func (s *Stream) Lines(name string, src *pipeline.Events) *input.Lines {
	return input.NewLines(input.LineSettings{Name: name, Max: s.MaxLine, Container: s.Container, Noted: src.Note})
}

// TooLong formats how many lines of an input exceeded the limit.
func (s *Stream) TooLong(lines int) string {
	return fmt.Sprintf("%s longer than %d bytes, read in part", cli.Count(lines, "line"), s.MaxLine)
}

// NewRedactor returns nil if redaction is off.
func NewRedactor(on bool) (*redact.Redactor, error) {
	if !on {
		return nil, nil
	}
	return redact.NewRedactor(redact.Settings{DropInput: true, DropOutput: true})
}
