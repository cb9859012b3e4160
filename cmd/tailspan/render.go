package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/render"
)

const renderSynopsis = `Prints a stream as a readable log. Lines of no known agent are printed as they
are, made safe for a terminal; in mode json all lines are, untouched.`

func runRender(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	f := newFlags("render", renderSynopsis, stderr)
	look := f.addLook()
	name, src, err := f.source(args)
	if err != nil {
		return err
	}
	settings, err := look.settings(stdout)
	if err != nil {
		return err
	}
	in, err := openInput(name, stdin)
	if err != nil {
		return err
	}
	defer in.Close()
	if settings.Mode == render.ModeJSON {
		if _, err := io.Copy(stdout, in); err != nil {
			return fmt.Errorf("write log: %w", err)
		}
		return nil
	}
	// What is read was done at some time before; only lines that tell no time are judged by the clock.
	settings.Throttle.ByEventTime = true
	if name != stdinName {
		out := bufio.NewWriterSize(stdout, readBytes)
		err = renderAll(in, out, stderr, src, f, look, settings)
		if flushed := out.Flush(); err == nil && flushed != nil {
			err = fmt.Errorf("write log: %w", flushed)
		}
		return err
	}
	if render.IsTerminal(stdout) && os.Getenv("TERM") != "dumb" {
		settings.Terminal = render.NewTerminal(stdout, render.TerminalSettings{Width: settings.Width, Color: settings.Color})
		defer settings.Terminal.Close()
		defer closeOnSignal(settings.Terminal)()
		stderr, stdout = settings.Terminal.Wrap(stderr), settings.Terminal.Wrap(stdout)
	}
	return renderAll(in, stdout, stderr, src, f, look, settings)
}

// renderAll renders in to its end.
func renderAll(in io.Reader, out, stderr io.Writer, src *parser.Source, f *flags, look *lookFlags, settings render.LogSettings) error {
	stream := render.NewLog(out, settings).Open(render.Origin{Step: look.step, Agent: parser.InfoOf(f.provider).ServiceName})
	w := render.NewWriter(stream, src, render.WriterSettings{MaxLine: f.maxLine, Mode: settings.Mode, Style: settings.Style})
	_, err := io.Copy(w, in)
	if closed := w.Close(); err == nil {
		err = closed
	}
	if n := w.Skipped(); n > 0 {
		fmt.Fprintf(stderr, "tailspan: skipped %d lines longer than %d bytes\n", n, f.maxLine)
	}
	if err != nil {
		return fmt.Errorf("write log: %w", err)
	}
	return nil
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
