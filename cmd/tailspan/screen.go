package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/render"
)

// screen is where a running agent is shown: the log's text on standard output, and beside it on standard error its other
// lines, what the agent says there itself, and our own words.
type screen struct {
	stdout, stderr io.Writer
	settings       render.LogSettings
	terminal       *render.Terminal // nil without one
}

// openScreen decides what the log looks like. On a terminal it begins in the activity style, with a status line below;
// elsewhere it is the text alone.
func (f *runFlags) openScreen(stdout, stderr io.Writer) (*screen, error) {
	out, errs := render.IsTerminal(stdout), render.IsTerminal(stderr)
	if (out || errs) && !f.given("mode") && !f.given("style") {
		f.mode, f.style = render.ModeVerbose.String(), render.StyleActivity.String()
	}
	settings, err := f.lookFlags.settings(stdout)
	if err != nil {
		return nil, err
	}
	settings.Now = time.Now // what comes is new
	separate := settings.Mode == render.ModeVerbose && settings.Style == render.StyleActivity
	if separate {
		f.lookFlags.lines(&settings, stderr)
	}
	s := &screen{stdout: stdout, stderr: stderr, settings: settings}
	if errs && os.Getenv("TERM") != "dumb" && settings.Mode != render.ModeJSON && settings.Mode != render.ModeQuiet {
		status := settings
		f.lookFlags.lines(&status, stderr)
		s.terminal = render.NewTerminal(stderr, render.TerminalSettings{Width: status.Width, Color: status.LinesColor})
		s.settings.Terminal = s.terminal
		s.stderr = s.terminal.Wrap(render.BreakCommands(stderr, settings.EscapeCommands))
		if out {
			s.stdout = s.terminal.Wrap(stdout)
		}
	} else {
		s.stderr = &lockedWriter{w: render.BreakCommands(stderr, settings.EscapeCommands)}
	}
	if separate {
		s.settings.Lines = s.stderr
	}
	return s, nil
}

// given reports whether a flag was set.
func (f *flags) given(name string) bool {
	found := false
	f.Visit(func(set *flag.Flag) { found = found || set.Name == name })
	return found
}

// report writes a line of our own. That nobody may be there to read it is not our business.
func (s *screen) report(problem string) {
	_, _ = fmt.Fprintf(s.stderr, "tailspan: %s\n", render.Sanitize(problem))
}

// close takes the status line away.
func (s *screen) close() {
	if s.terminal != nil {
		_ = s.terminal.Close() // a status line can't fail: it is only shown
	}
}

// lockedWriter lets several goroutines write.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write writes p at once.
func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// isEndOfReader reports whether a write failed since nobody reads any more, which is a normal end.
func isEndOfReader(err error) bool { return errors.Is(err, syscall.EPIPE) }
