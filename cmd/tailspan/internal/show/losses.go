package show

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/render"
)

// Losses are the lines of an input that a log does not show, or shows in another form.
type Losses struct {
	// Name is the name of the input, Args are the arguments that name all inputs.
	Name string
	Args []string
	// Stream and Look say how it was read and shown.
	Stream options.Stream
	Look   *options.Look
	Stats  parser.Stats
	// Last is the last line of plain text, if it is quoted.
	Last string
	// TooLong is the number of lines that were read in part.
	TooLong int
}

// Report reports the losses. It names the input unless that is the only argument.
func (l *Losses) Report(stderr io.Writer) {
	s, stats := &l.Stream, &l.Stats
	prefix := ""
	if !slices.Equal(l.Args, []string{l.Name}) {
		prefix = fmt.Sprintf("%q: ", l.Name)
	}
	report := func(format string, a ...any) {
		_, _ = fmt.Fprintf(stderr, "tailspan: %s\n", render.Sanitize(prefix+fmt.Sprintf(format, a...)))
	}
	if l.TooLong > 0 {
		report("%s", s.TooLong(l.TooLong))
	}
	if stats.Malformed > 0 {
		text := fmt.Sprintf("%s not understood (malformed), of %d", cli.Count(stats.Malformed, "line"), stats.Lines)
		if l.Last != "" {
			text += ", the last text: " + l.Last
		}
		report("%s", text)
	}
	switch {
	case s.Provider == parser.Auto && stats.Passed > 0:
		report("%s not recognized and %s; --provider names the agent: %s", cli.Count(stats.Passed, "line"), l.Look.Unrecognized(), providers())
	case s.Provider != parser.Auto && s.Provider != parser.None && stats.OK == 0 && stats.Unknown+stats.Malformed > 0:
		report("no line is one of %s; --provider %s finds out whose they are", s.Provider, parser.Auto)
	}
}

// providers are the agents that may have written a stream.
func providers() string {
	names := slices.DeleteFunc(parser.Names(), func(name string) bool { return name == parser.Auto || name == parser.None })
	return strings.Join(names, ", ")
}
