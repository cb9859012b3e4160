package show

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/render"
)

// Screen shows a running agent: the log's text on standard output; the log's other lines, the agent's standard error and messages
// of tailspan on standard error.
type Screen struct {
	Stdout, Stderr io.Writer
	Settings       render.LogSettings
	// OnTerminal reports whether standard error is a terminal.
	OnTerminal bool
	terminal   *render.Terminal // nil if there is none
	program    atomic.Pointer[process.Process]
}

// Open decides on the look of the log. A terminal gets the activity style with a status line below, any other output only the
// text.
func Open(look *options.Look, f *cli.Flags, stdout, stderr io.Writer) (*Screen, error) {
	out, errs := render.IsTerminal(stdout), render.IsTerminal(stderr)
	if (out || errs) && !f.Given("mode") && !f.Given("style") {
		look.Mode, look.Style = render.ModeVerbose.String(), render.StyleActivity.String()
	}
	settings, err := look.Settings(stdout)
	if err != nil {
		return nil, err
	}
	settings.Now = time.Now // the input is live
	separate := settings.Mode == render.ModeVerbose && settings.Style == render.StyleActivity
	if separate {
		look.Lines(&settings, stderr)
	}
	s := &Screen{Stdout: stdout, Stderr: stderr, Settings: settings, OnTerminal: errs}
	if errs && os.Getenv("TERM") != "dumb" && settings.Mode != render.ModeJSON && settings.Mode != render.ModeQuiet {
		status := settings
		look.Lines(&status, stderr)
		s.terminal = render.NewTerminal(stderr, render.TerminalSettings{
			Width: status.Width, Color: status.LinesColor,
			Foreground: func() bool { return process.InForeground(stderr.(*os.File), s.program.Load()) },
		})
		s.Settings.Terminal = s.terminal
		s.Stderr = s.terminal.Wrap(render.BreakCommands(stderr, settings.EscapeCommands))
		if out {
			s.Stdout = s.terminal.Wrap(stdout)
		}
	} else {
		s.Stderr = &lockedWriter{w: render.BreakCommands(stderr, settings.EscapeCommands)}
	}
	if separate {
		s.Settings.Lines = s.Stderr
	}
	return s, nil
}

// ShareTerminal lets the program of p be in the foreground of the terminal without hiding the status line.
func (s *Screen) ShareTerminal(p *process.Process) { s.program.Store(p) }

// Report writes a message of tailspan. It ignores write errors: nobody may be reading.
func (s *Screen) Report(problem string) {
	_, _ = fmt.Fprintf(s.Stderr, "tailspan: %s\n", render.Sanitize(problem))
}

// Plain writes a line of plain text that the agent wrote between its records, unless the mode is quiet.
func (s *Screen) Plain(line []byte) {
	if text := render.Sanitize(string(line)); s.Settings.Mode != render.ModeQuiet && strings.TrimSpace(text) != "" {
		_, _ = io.WriteString(s.Stderr, strings.TrimRight(text, "\n")+"\n")
	}
}

// Suspend removes the status line and calls stop, which suspends the process.
func (s *Screen) Suspend(stop func()) {
	if s.terminal == nil {
		stop()
		return
	}
	s.terminal.Suspend(stop)
}

// Close removes the status line.
func (s *Screen) Close() {
	if s.terminal != nil {
		_ = s.terminal.Close() // a status line cannot fail: it is only shown
	}
}

// lockedWriter serializes concurrent writes.
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
