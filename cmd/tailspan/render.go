package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/pipeline"
)

const renderSynopsis = `Prints a stream as a readable log. Lines of no known agent are printed as they
are, made safe for a terminal; in mode json all lines are, untouched.`

func runRender(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	f := newFlags("render", renderSynopsis, stderr)
	f.addContainer()
	look := f.addLook()
	name, err := f.source(args)
	if err != nil {
		return err
	}
	redactor, err := newRedactor(look.redact)
	if err != nil {
		return err
	}
	src, err := f.events(redactor)
	if err != nil {
		return err
	}
	settings, err := look.settings(stdout)
	if err != nil {
		return err
	}
	in, err := openInput(name, stdin, stderr)
	if err != nil {
		return err
	}
	defer in.Close()
	if settings.Mode == render.ModeJSON {
		return copyLines(stdout, in)
	}
	// What is read was done at some time before, unless it comes through a pipe: then it may be written just now.
	settings.Throttle.ByEventTime = true
	live := name == stdinName && !isRegular(stdin)
	if settings.Replay = true; live {
		settings.Now = time.Now
	}
	lines := f.newLineReader(name, src)
	defer func() { lines.report(src, f.provider, stderr) }()
	r := &rendering{
		lines: lines, in: in, events: src, settings: settings, redactor: redactor,
		origin: render.Origin{Step: look.step, Agent: parser.InfoOf(f.provider).ServiceName},
	}
	if name != stdinName {
		out := bufio.NewWriterSize(stdout, readBytes)
		err = r.to(out)
		if flushed := out.Flush(); err == nil && flushed != nil {
			err = fmt.Errorf("write log: %w", flushed)
		}
		return err
	}
	r.live = live
	if render.IsTerminal(stdout) && os.Getenv("TERM") != "dumb" {
		terminal := render.NewTerminal(stdout, render.TerminalSettings{Width: settings.Width, Color: settings.Color})
		defer terminal.Close()
		defer closeOnSignal(terminal)()
		r.settings.Terminal = terminal
		stdout = terminal.Wrap(stdout)
	}
	return r.to(stdout)
}

// report reports lines that the log does not show, or shows as they are because the parser did not understand them.
func (l *lineReader) report(src *pipeline.Events, provider string, stderr io.Writer) {
	if l.skipped > 0 {
		fmt.Fprintf(stderr, "tailspan: %s longer than %d bytes, shortened or skipped\n", plural(l.skipped, "line"), l.max)
	}
	stats := src.Stats()
	if stats.Malformed > 0 {
		fmt.Fprintf(stderr, "tailspan: %s not understood (malformed), of %d\n", plural(stats.Malformed, "line"), stats.Lines)
	}
	if provider != parser.Auto && provider != parser.None && stats.OK == 0 && stats.Unknown > 0 {
		fmt.Fprintf(stderr, "tailspan: no line is one of %s; --provider %s finds out whose they are\n", provider, parser.Auto)
	}
}

// copyLines writes an input as it is.
func copyLines(stdout io.Writer, in io.Reader) error {
	_, err := io.Copy(stdout, in)
	if err == nil || errors.As(err, &inputError{}) {
		return err
	}
	return fmt.Errorf("write log: %w", err)
}

// isRegular reports whether r is a file on a disk.
func isRegular(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// closeOnSignal takes the status line away when a signal ends the process, which it then does as if nobody had asked.
func closeOnSignal(t *render.Terminal) (cancel func()) {
	signals := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			_ = t.Close()
			signal.Reset(os.Interrupt, syscall.SIGTERM)
			if self, err := os.FindProcess(os.Getpid()); err != nil || self.Signal(s) != nil {
				os.Exit(exitError)
			}
		case <-done:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
