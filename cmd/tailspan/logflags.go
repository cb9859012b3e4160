package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tailspan/tailspan/render"
)

// lookFlags say what the readable log looks like.
type lookFlags struct {
	mode, style, color, step, scope     string
	escape                              escapeFlag
	reasoning, results, summary, redact bool
	interval                            time.Duration
}

// addLook adds the flags of the readable log.
func (f *flags) addLook() *lookFlags {
	l := &lookFlags{}
	f.StringVar(&l.mode, "mode", render.ModeDefault.String(), "how much is shown: "+strings.Join(render.ModeNames(), ", "))
	f.StringVar(&l.style, "style", render.StyleMarker.String(), "what verbose mode looks like: "+strings.Join(render.StyleNames(), ", "))
	f.StringVar(&l.color, "color", render.ColorAuto.String(), "colours: auto (on a terminal; NO_COLOR and FORCE_COLOR count), always, never")
	f.StringVar(&l.step, "step", "", "name of the step, shown by the activity style and in quiet mode")
	f.Var(&l.escape, "escape-commands", "break what a CI system would take for a command to it: `auto` (in a job of one), on, off")
	f.BoolVar(&l.reasoning, "reasoning", false, "show in verbose mode what the agent thinks")
	f.BoolVar(&l.results, "results", false, "show in verbose mode the results of tools in every style, and how long they took")
	f.BoolVar(&l.summary, "summary", true, "sum up in verbose mode what a run did when it ends")
	f.BoolVar(&l.redact, "redact", true, "take secrets out; no effect in mode json")
	f.StringVar(&l.scope, "throttle-scope", render.ThrottleScopeStep.String(),
		"in the activity style one tool line is shown per --throttle-interval: for each step (step), or for all steps together (output)")
	f.DurationVar(&l.interval, "throttle-interval", time.Second, "least time between two tool lines of the activity style; 0 shows all")
	return l
}

// settings are those of the log; out is where it goes.
func (l *lookFlags) settings(out io.Writer) (render.LogSettings, error) {
	var s render.LogSettings
	var modeErr, styleErr, colorErr, scopeErr, intervalErr error
	s.Mode, modeErr = render.ParseMode(l.mode)
	s.Style, styleErr = render.ParseStyle(l.style)
	s.Throttle.Scope, scopeErr = render.ParseThrottleScope(l.scope)
	color, colorErr := render.ParseColor(l.color)
	switch s.Throttle.Interval = l.interval; {
	case l.interval < 0:
		intervalErr = fmt.Errorf("throttle-interval must not be negative, got %s", l.interval)
	case l.interval == 0:
		s.Throttle.Interval = -1
	}
	if err := errors.Join(modeErr, styleErr, colorErr, scopeErr, intervalErr); err != nil {
		return s, usageError{err}
	}
	s.Reasoning, s.Results, s.Summary = l.reasoning, l.results, l.summary
	s.EscapeCommands = l.escape.Systems(os.Getenv)
	s.Color = color.Wanted(render.IsTerminal(out), os.Getenv)
	s.Width = render.WidthOf(out)
	return s, nil
}

// lines sends all lines that are not text to an output of their own, which may be a terminal where the text's is none.
func (l *lookFlags) lines(s *render.LogSettings, out io.Writer) {
	color, _ := render.ParseColor(l.color) // settings has checked it
	s.LinesColor = color.Wanted(render.IsTerminal(out), os.Getenv)
	s.Width = render.WidthOf(out)
}

// escapeFlag is --escape-commands: alone it means on.
type escapeFlag struct{ render.CIEscape }

// IsBoolFlag lets the flag be without a value.
func (*escapeFlag) IsBoolFlag() bool { return true }

// Set takes auto, on or off, and what a flag of truth takes.
func (e *escapeFlag) Set(value string) error {
	if on, err := strconv.ParseBool(value); err == nil {
		value = map[bool]string{true: render.CIEscapeOn.String(), false: render.CIEscapeOff.String()}[on]
	}
	var err error
	e.CIEscape, err = render.ParseCIEscape(value)
	return err
}
