package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/show"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/pipeline"
)

var renderCommand = cli.Command{
	Name:  "render",
	Usage: []string{"[flags] FILE", "[flags] -     reads standard input"},
	Short: "print the readable log of a recorded or running agent",
	Long: `Prints a stream as a readable log. Lines of no known agent are printed as they
are, made safe for a terminal; in mode json all lines are, untouched.`,
	Examples: []cli.Example{
		{Line: "tailspan render run.jsonl", Does: "what the agent said"},
		{Line: "tailspan render --mode verbose --style transcript session.jsonl", Does: "text, tools and failures in their order"},
		{Line: "claude -p '...' --output-format stream-json --verbose | tailspan render --mode verbose -", Does: "a running agent, live, with a status line on a terminal"},
	},
	New: func(f *cli.Flags) cli.Action {
		c := &renders{}
		c.stream.Add(f)
		c.stream.AddContainer(f)
		c.look.Add(f)
		c.identity.AddStep(f)
		return c.run
	},
}

// renders is the command render.
type renders struct {
	stream   options.Stream
	look     options.Look
	identity options.Identity
}

func (c *renders) run(_ context.Context, args []string, s cli.Streams) error {
	name, err := oneFile("render", args)
	if err != nil {
		return err
	}
	redactor, err := options.NewRedactor(c.look.Redact)
	if err != nil {
		return err
	}
	src, err := c.stream.Events(redactor)
	if err != nil {
		return err
	}
	settings, err := c.look.Settings(s.Out)
	if err != nil {
		return err
	}
	in, err := input.Open(name, s.In, s.Err)
	if err != nil {
		return err
	}
	defer in.Close()
	if settings.Mode == render.ModeJSON {
		return show.Copy(s.Out, in)
	}
	// What is read was done at some time before, unless it comes through a pipe: then it may be written just now.
	settings.Throttle.ByEventTime = true
	live := name == input.Stdin && !isRegular(s.In)
	if settings.Replay = true; live {
		settings.Now = time.Now
	}
	lines := c.stream.Lines(name, src)
	defer c.report(lines, src, s.Err)
	r := &show.Rendering{
		Lines: lines, In: in, Events: src, Settings: settings, Redactor: redactor, NamesOnly: c.look.Show == options.ShowNames,
		Origin: render.Origin{Step: c.identity.Step, Agent: parser.InfoOf(c.stream.Provider).ServiceName},
	}
	if name != input.Stdin {
		out := bufio.NewWriterSize(s.Out, input.BufferSize)
		err = r.To(out)
		if flushed := out.Flush(); err == nil && flushed != nil {
			err = fmt.Errorf("write log: %w", flushed)
		}
		return err
	}
	r.Live = live
	if render.IsTerminal(s.Out) && os.Getenv("TERM") != "dumb" {
		terminal := render.NewTerminal(s.Out, render.TerminalSettings{Width: settings.Width, Color: settings.Color})
		defer terminal.Close()
		defer closeOnSignal(terminal)()
		r.Settings.Terminal = terminal
		return r.To(terminal.Wrap(s.Out))
	}
	return r.To(s.Out)
}

// report reports lines that the log does not show, or shows as they are because the parser did not understand them.
func (c *renders) report(lines *input.Lines, src *pipeline.Events, stderr io.Writer) {
	if n := lines.TooLong(); n > 0 {
		fmt.Fprintf(stderr, "tailspan: %s longer than %d bytes, shortened or skipped\n", cli.Count(n, "line"), c.stream.MaxLine)
	}
	stats, provider := src.Stats(), c.stream.Provider
	if stats.Malformed > 0 {
		fmt.Fprintf(stderr, "tailspan: %s not understood (malformed), of %d\n", cli.Count(stats.Malformed, "line"), stats.Lines)
	}
	if provider != parser.Auto && provider != parser.None && stats.OK == 0 && stats.Unknown > 0 {
		fmt.Fprintf(stderr, "tailspan: no line is one of %s; --provider %s finds out whose they are\n", provider, parser.Auto)
	}
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
				os.Exit(cli.ExitFailure)
			}
		case <-done:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}
