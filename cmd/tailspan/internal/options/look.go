package options

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/render"
)

// Look holds the flags for the look of the readable log.
type Look struct {
	Mode, Style string
	Redact      bool
	// Show is [ShowAll] or [ShowNames]; see NamesOnly.
	Show string

	color, scope                string
	escape                      Escape
	reasoning, results, summary bool
	interval                    time.Duration
	given                       func(flag string) bool
}

// Values of --show: everything, or a log for everybody, without texts, arguments, outputs and paths.
const (
	ShowAll   = "all"
	ShowNames = "names"
)

// Add declares the flags.
func (l *Look) Add(f *cli.Flags) {
	f.ChoiceVar(&l.Mode, "mode", render.ModeDefault.String(), render.ModeNames(), "how much is shown")
	f.ChoiceVar(&l.Style, "style", render.StyleMarker.String(), render.StyleNames(), "what verbose mode looks like")
	l.given = f.Given
	f.ChoiceVar(&l.Show, "show", ShowAll, []string{ShowAll, ShowNames},
		"names: a log for everybody to read, without any text, argument, output or path, in verbose mode and transcript style "+
			"unless something else is asked for; run then drops what the command writes to standard error")
	colors := []string{render.ColorAuto.String(), render.ColorAlways.String(), render.ColorNever.String()}
	f.ChoiceVar(&l.color, "color", render.ColorAuto.String(), colors, "colours; auto: on a terminal (NO_COLOR and FORCE_COLOR count)")
	l.escape.Add(f)
	f.BoolVar(&l.reasoning, "reasoning", false, "show in verbose mode what the agent thinks")
	f.BoolVar(&l.results, "results", false, "show in verbose mode the results of tools in every style, and how long they took")
	f.BoolVar(&l.summary, "summary", true, "sum up in verbose mode what a run did when it ends")
	f.BoolVar(&l.Redact, "redact", true, "take secrets out; no effect in mode json")
	scopes := []string{render.ThrottleScopeStep.String(), render.ThrottleScopeOutput.String()}
	f.ChoiceVar(&l.scope, "throttle-scope", render.ThrottleScopeStep.String(), scopes,
		"in the activity style one tool line is shown per --throttle-interval: for each step, or for all of the output")
	f.DurationVar(&l.interval, "throttle-interval", time.Second, "least time between two tool lines of the activity style; 0 shows all")
}

// Settings returns the settings of a log that is written to out.
func (l *Look) Settings(out io.Writer) (render.LogSettings, error) {
	var s render.LogSettings
	if err := l.showNames(); err != nil {
		return s, cli.UsageError{Err: err}
	}
	var modeErr, styleErr, colorErr, scopeErr, intervalErr error
	s.Mode, modeErr = render.ParseMode(l.Mode)
	s.Style, styleErr = render.ParseStyle(l.Style)
	s.Throttle.Scope, scopeErr = render.ParseThrottleScope(l.scope)
	color, colorErr := render.ParseColor(l.color)
	switch s.Throttle.Interval = l.interval; {
	case l.interval < 0:
		intervalErr = fmt.Errorf("--throttle-interval must not be negative, got %s", l.interval)
	case l.interval == 0:
		s.Throttle.Interval = -1
	}
	if err := errors.Join(modeErr, styleErr, colorErr, scopeErr, intervalErr); err != nil {
		return s, cli.UsageError{Err: err}
	}
	s.Reasoning, s.Results, s.Summary = l.reasoning, l.results, l.summary
	s.EscapeCommands = l.escape.Systems(os.Getenv)
	s.Color = color.Wanted(render.IsTerminal(out), os.Getenv)
	s.Width = render.WidthOf(out)
	return s, nil
}

// showNames selects a look that shows names only.
func (l *Look) showNames() error {
	if !l.NamesOnly() {
		return nil
	}
	if l.Mode == render.ModeDefault.String() && !l.given("mode") {
		l.Mode = render.ModeVerbose.String()
		if !l.given("style") {
			l.Style = render.StyleTranscript.String()
		}
	}
	if l.Mode == render.ModeJSON.String() {
		return fmt.Errorf("--show %s has no effect on --mode %s", ShowNames, l.Mode)
	}
	return nil
}

// NamesOnly reports whether texts, arguments, outputs and paths are hidden.
func (l *Look) NamesOnly() bool { return l.Show == ShowNames }

// Unrecognized says what the log does with lines of no known agent.
func (l *Look) Unrecognized() string {
	if l.NamesOnly() {
		return "not shown"
	}
	return "shown unchanged"
}

// Lines writes all lines that are not text to a separate output, which may be a terminal even if that of the text is not.
func (l *Look) Lines(s *render.LogSettings, out io.Writer) {
	color, _ := render.ParseColor(l.color) // validated by Settings
	s.LinesColor = color.Wanted(render.IsTerminal(out), os.Getenv)
	s.Width = render.WidthOf(out)
}
