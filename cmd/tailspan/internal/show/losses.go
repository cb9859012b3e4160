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

// ReportLosses reports the lines of an input that a log does not show, or shows unchanged because the parser did not recognize
// them, or that names hide; last is the last of these that is plain text. It names the input unless that is the only argument.
func ReportLosses(stderr io.Writer, name string, args []string, s options.Stream, stats parser.Stats, last string, tooLong int) {
	prefix := ""
	if !slices.Equal(args, []string{name}) {
		prefix = fmt.Sprintf("%q: ", name)
	}
	report := func(format string, a ...any) {
		_, _ = fmt.Fprintf(stderr, "tailspan: %s\n", render.Sanitize(prefix+fmt.Sprintf(format, a...)))
	}
	if tooLong > 0 {
		report("%s", s.TooLong(tooLong))
	}
	if stats.Malformed > 0 {
		text := fmt.Sprintf("%s not understood (malformed), of %d", cli.Count(stats.Malformed, "line"), stats.Lines)
		if last != "" {
			text += ", the last text: " + last
		}
		report("%s", text)
	}
	shown := "shown unchanged"
	if s.Hidden {
		shown = "not shown"
	}
	switch {
	case s.Provider == parser.Auto && stats.Passed > 0:
		report("%s not recognized and %s; --provider names the agent: %s", cli.Count(stats.Passed, "line"), shown, providers())
	case s.Provider != parser.Auto && s.Provider != parser.None && stats.OK == 0 && stats.Unknown+stats.Malformed > 0:
		report("no line is one of %s; --provider %s finds out whose they are", s.Provider, parser.Auto)
	}
}

// providers are the agents that may have written a stream.
func providers() string {
	names := slices.DeleteFunc(parser.Names(), func(name string) bool { return name == parser.Auto || name == parser.None })
	return strings.Join(names, ", ")
}
