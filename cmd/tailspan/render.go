package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/guard"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/names"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/show"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/streams"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/pipeline"
)

var renderCommand = cli.Command{
	Name:  "render",
	Usage: []string{"[flags] FILE|DIR|GLOB...", "[flags] -     reads standard input"},
	Short: "print the readable log of recorded or running agents",
	Long: `Prints streams and sessions as a readable log, one after the other, or with --follow as they
are written. Lines of no known agent are printed as they are, made safe for a terminal; in
mode json all lines are, untouched.`,
	Examples: []cli.Example{
		{Line: "tailspan render --mode verbose --style transcript session.jsonl", Does: "text, tools and failures of a session in their order"},
		{
			Line: "tailspan render --follow --mode verbose --style activity 'runs/**/*.jsonl'",
			Does: "all runs below a folder while they are written, those that begin later too",
		},
		{
			Line: "claude -p '...' --output-format stream-json --verbose | tailspan render --mode verbose -",
			Does: "a running agent, live, with a status line on a terminal",
		},
	},
	New: func(f *cli.Flags) cli.Action {
		c := &renders{}
		c.stream.Add(f)
		c.stream.AddContainer(f)
		c.look.Add(f)
		c.identity.Add(f)
		c.prices.Add(f)
		f.BoolVar(&c.follow, "follow", false, "read files while they are written, and those that come later, until Ctrl-C")
		return c.run
	},
}

// renders is the command render.
type renders struct {
	stream   options.Stream
	look     options.Look
	identity options.Identity
	prices   options.Prices
	follow   bool
	redactor *redact.Redactor
	inputs   []string
	labels   *input.Labels // of the inputs, nil if there is only one
}

func (c *renders) run(ctx context.Context, args []string, s cli.Streams) error {
	settings, err := c.look.Settings(s.Out)
	if err != nil {
		return err
	}
	prices, err := c.prices.Read()
	if err != nil {
		return cli.UsageError{Err: err}
	}
	settings.NewAccount = func() render.Account { return guard.NewAccount(prices) }
	if c.redactor, err = options.NewRedactor(c.look.Redact); err != nil {
		return err
	}
	read := streams.Settings{
		Stream: c.stream, Identity: c.identity, Redactor: c.redactor, Streams: s,
		Follow: c.follow, IdleClose: config.NewDefaultStream().IdleClose,
	}
	if settings.Mode == render.ModeJSON {
		read.Identity.InBand = config.InBandOff
		return c.copy(ctx, args, read)
	}
	// Recorded input has the times of its events, but live input is being written now.
	settings.Throttle.ByEventTime, settings.Replay = true, true
	stdin := len(args) == 1 && args[0] == input.Stdin
	if err := c.findInputs(args, &read); err != nil {
		return err
	}
	if settings.Introduce = c.labels != nil; settings.Introduce && c.look.NamesOnly() {
		c.labels.Show = names.Name // no path
	}
	if c.follow || stdin && streams.IsLive(s.In) {
		settings.Now = time.Now
	}
	if !c.follow && !stdin {
		out := bufio.NewWriterSize(s.Out, input.BufferSize)
		err := c.render(ctx, args, read, settings, out)
		if flushed := out.Flush(); err == nil && flushed != nil {
			err = fmt.Errorf("write log: %w", flushed)
		}
		return err
	}
	out := s.Out
	if render.IsTerminal(s.Out) && os.Getenv("TERM") != "dumb" {
		terminal := render.NewTerminal(s.Out, render.TerminalSettings{
			Width: settings.Width, Color: settings.Color,
			Foreground: func() bool { return process.InForeground(s.Out.(*os.File), nil) },
		})
		defer terminal.Close()
		defer process.OnSuspend(terminal.Suspend)()
		if stdin {
			defer closeOnSignal(terminal)()
		}
		settings.Terminal = terminal
		out = terminal.Wrap(s.Out)
	}
	return c.render(ctx, args, read, settings, out)
}

// render shows all inputs in one log.
func (c *renders) render(ctx context.Context, args []string, read streams.Settings, settings render.LogSettings, out io.Writer) error {
	log := render.NewLog(out, settings)
	read.Open = func(o streams.Origin) (streams.Stream, error) {
		src, err := c.stream.QuotedEvents(c.redactor)
		if err != nil {
			return nil, err
		}
		r := &show.Rendering{
			Events: src, Settings: settings, Origin: c.origin(&o), Live: o.Live,
			NamesOnly: c.look.NamesOnly(),
		}
		return &reported{r.Open(log), func(tooLong int) {
			losses := show.Losses{
				Name: o.Name, Args: args, Stream: c.stream, Look: &c.look, Stats: src.Stats(), Last: c.lastPlain(src), TooLong: tooLong,
			}
			losses.Report(read.Streams.Err)
		}}, nil
	}
	return read.Run(ctx, c.inputs)
}

// lastPlain is the last line of plain text, unless a transcript shows it or only names are shown.
func (c *renders) lastPlain(src *pipeline.Events) string {
	if c.look.NamesOnly() || c.look.Mode == render.ModeVerbose.String() && c.look.Style == render.StyleTranscript.String() {
		return ""
	}
	return src.PlainText().Last
}

// copy writes all inputs unchanged.
func (c *renders) copy(ctx context.Context, args []string, read streams.Settings) error {
	if c.follow {
		read.Stream.Container = config.ContainerNone
		read.Open = func(streams.Origin) (streams.Stream, error) { return lineCopy{read.Streams.Out}, nil }
		return read.Run(ctx, args)
	}
	files, err := read.Files(args)
	if err != nil {
		return err
	}
	for _, name := range files {
		in, err := input.Open(name, read.Streams.In, read.Streams.Err)
		if err != nil {
			return err
		}
		err = show.Copy(read.Streams.Out, in)
		if closed := in.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lineCopy writes lines unchanged.
type lineCopy struct{ w io.Writer }

func (lineCopy) Note(parser.Noted) {}

// Record implements [streams.Stream].
func (c lineCopy) Record(line []byte) error {
	_, err := c.w.Write(append(bytes.Clone(line), '\n'))
	return err
}

// Replay implements [streams.Stream].
func (lineCopy) Replay([]byte) {}

func (lineCopy) Tick() error { return nil }

func (lineCopy) Close(int) error { return nil }

// findInputs finds the inputs and, if there are several, or may be, their names.
func (c *renders) findInputs(args []string, read *streams.Settings) (err error) {
	if c.inputs = args; c.follow {
		if !isOneFile(args) || streams.IsDatabase(args[0]) {
			c.labels = input.NewLabels(nil)
		}
		return nil
	}
	if c.inputs, err = read.Files(args); len(c.inputs) > 1 {
		c.labels = input.NewLabels(c.inputs)
	}
	return err
}

// isOneFile reports whether the arguments are certainly one file.
func isOneFile(args []string) bool {
	if len(args) != 1 {
		return false
	}
	info, err := os.Stat(args[0])
	return err == nil && !info.IsDir()
}

// origin returns how the log introduces an input: by the identity of its work or, if there are several inputs, by its own step or
// its file.
func (c *renders) origin(o *streams.Origin) render.Origin {
	id := o.Identity.Value
	origin := render.Origin{
		Pipeline: id(otlp.AttrPipelineName), Run: id(otlp.AttrPipelineRunID), Step: id(otlp.AttrTaskName), StepRun: id(otlp.AttrTaskRunID),
		Agent: cmp.Or(id(otlp.AttrGenAIAgentName), parser.InfoOf(c.stream.Provider).ServiceName),
	}
	if c.labels != nil {
		if shared := c.identity.Of(config.InBand{}, c.redactor, os.Getenv); origin.Step == shared.Value(otlp.AttrTaskName) {
			origin.Step = "" // the same for all inputs
		}
		origin.Step, origin.StepRun = c.labels.Of(o.Name, origin.Step), cmp.Or(o.Session, origin.StepRun)
	}
	return origin
}

// reported is an input that reports what was not shown.
type reported struct {
	streams.Stream
	report func(tooLong int)
}

// Close ends the stream of the input and reports what was not shown.
func (r *reported) Close(tooLong int) error {
	err := r.Stream.Close(tooLong)
	r.report(tooLong)
	return err
}

// closeOnSignal removes the status line when a signal ends the process, and then sends the signal again.
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
