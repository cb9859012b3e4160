package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/execute"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/export"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/show"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/spool"
	"github.com/tailspan/tailspan/telemetry"
)

var runCommand = cli.Command{
	Name:  "run",
	Usage: []string{"[flags] -- COMMAND [ARGUMENT...]"},
	Short: "run an agent, show what it does and export it",
	Long: `Runs an agent and shows what it does; with an OpenTelemetry endpoint it also sends
spans, log records and metrics there. It exits as the command exits.`,
	Examples: []cli.Example{
		{Line: "tailspan run --stream -- claude -p 'fix the failing test'", Does: "what the agent says, and on a terminal what it does"},
		{Line: "tailspan run --step fix --otlp http://localhost:4318 -- codex exec --json 'fix the failing test'", Does: "the same, with spans, log records and metrics for a collector"},
		{Line: "tailspan run --mode verbose --raw run.jsonl -- gemini -p '...' --output-format stream-json", Does: "text and tools as one log, the agent's own lines in a file"},
	},
	Child: true,
	New: func(f *cli.Flags) cli.Action {
		c := &running{flags: f}
		c.stream.Add(f)
		c.look.Add(f)
		c.identity.Add(f)
		c.prices.Add(f)
		f.StringVar(&c.export.address, "otlp", "", "send spans, log records and metrics to this `address` by OTLP/HTTP; else OTEL_EXPORTER_OTLP_ENDPOINT counts")
		f.DurationVar(&c.export.timeout, "export-timeout", 15*time.Second, "how long sending may go on when the command has ended")
		f.DurationVar(&c.export.metricsEvery, "metrics-interval", export.DefaultMetricsInterval, "time between two exports of metrics; else "+export.MetricsIntervalVariable+" counts")
		f.BoolVar(&c.addFlags, "stream", false, "add the flags that make the command write its stream")
		f.StringVar(&c.child.Raw, "raw", "", "keep the command's output, as it is, in this `file`")
		f.BoolVar(&c.child.Pipe, "pipe", false, "let the command write to a pipe instead of a file")
		f.SizeVar(&c.child.MaxSpool, "max-spool", 0, fmt.Sprintf("most output that is kept until it is read, what exceeds it is dropped and counted; needs --pipe, and turns it on; without it all is kept (with --pipe alone: %s)", config.Size(spool.DefaultMaxBytes)))
		f.DurationVar(&c.child.Grace, "grace", process.DefaultGrace, "time between a SIGTERM or SIGHUP that is passed on and SIGKILL")
		return c.run
	},
}

// running is the command run.
type running struct {
	flags    *cli.Flags
	stream   options.Stream
	look     options.Look
	identity options.Identity
	prices   options.Prices
	child    execute.Settings

	export   exportFlags
	addFlags bool

	screen *show.Screen
}

// exportFlags say where the command's work is sent.
type exportFlags struct {
	address               string
	timeout, metricsEvery time.Duration
}

func (c *running) run(_ context.Context, command []string, s cli.Streams) error {
	prices, err := c.check(command)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	if c.screen, err = show.Open(&c.look, c.flags, s.Out, s.Err); err != nil {
		return err
	}
	defer c.screen.Close()
	endpoints, err := otlphttp.FromEnvironment(os.Getenv, c.export.address)
	if err != nil {
		if c.export.address != "" {
			return cli.UsageError{Err: err}
		}
		c.screen.Report(fmt.Sprintf("nothing is sent: %v", err)) // what others set must not keep the agent from running
	}
	if every, err := export.MetricsInterval(os.Getenv); err != nil {
		c.screen.Report(err.Error())
	} else if every > 0 && !c.flags.Given("metrics-interval") {
		c.export.metricsEvery = every
	}
	c.child.Stdin, c.child.Stderr, c.child.Report = s.In, c.screen.Stderr, c.screen.Report
	child, err := execute.Start(c.child)
	if err != nil {
		return err
	}
	return c.follow(child, c.exportSettings(endpoints, prices))
}

// check reports all that is wrong with the flags, and completes the command.
func (c *running) check(command []string) (ledger.Prices, error) {
	prices, err := c.prices.Read()
	errs := []error{err}
	if len(command) == 0 {
		errs = append(errs, errors.New("run needs a command: tailspan run [flags] -- COMMAND [ARGUMENT...]"))
	}
	if c.child.Grace <= 0 {
		errs = append(errs, fmt.Errorf("--grace must be positive, got %s", c.child.Grace))
	}
	if c.export.timeout < 0 {
		errs = append(errs, fmt.Errorf("--export-timeout must not be negative, got %s", c.export.timeout))
	}
	if c.export.metricsEvery <= 0 {
		errs = append(errs, fmt.Errorf("--metrics-interval must be positive, got %s", c.export.metricsEvery))
	}
	if c.addFlags && len(command) > 0 {
		command, err = parser.StreamingCommand(c.stream.Provider, command)
		errs = append(errs, err)
	}
	c.child.Command = command
	c.child.Pipe = c.child.Pipe || c.child.MaxSpool > 0
	return prices, errors.Join(errs...)
}

// exportSettings reads what the environment says of an export.
func (c *running) exportSettings(endpoints otlphttp.Endpoints, prices ledger.Prices) export.Settings {
	s := export.Settings{
		Endpoints: endpoints, MaxLine: c.stream.MaxLine, MetricsEvery: c.export.metricsEvery, Timeout: c.export.timeout, Report: c.screen.Report,
	}
	if endpoints.Empty() {
		return s
	}
	registry := options.RegistrySettings(prices)
	registry.Metrics.InstanceID = otlp.NewInstanceID() // two commands at once are two
	var err error
	if registry.Metrics.Delta, err = export.Delta(os.Getenv); err != nil {
		c.screen.Report(err.Error())
	}
	redactor, err := options.NewRedactor(c.look.Redact)
	if err != nil {
		c.screen.Report(fmt.Sprintf("nothing is sent: %v", err))
		return export.Settings{}
	}
	set := c.identity.PipelineSettings(c.stream.Provider, telemetry.NewRegistry(registry), redactor)
	set.Program, set.Ambient = execute.Program(c.child.Command), otlp.IdentityFromEnvironment(os.Getenv)
	set.Telemetry.ID, set.Telemetry.AwaitExit = "process/"+rand.Text(), true
	set.Telemetry.Resumed = parser.ResumesTotals(c.child.Command)
	if set.Telemetry.Parent, err = otlp.ParseTraceParent(os.Getenv("TRACEPARENT")); err != nil {
		c.screen.Report(err.Error()) // it is exported without a parent
	}
	set.OnInvalidParent = func(err error) { c.screen.Report(fmt.Sprintf("first line of the command: %v", err)) }
	set.OnDropped = func(n int) {
		c.screen.Report(fmt.Sprintf("first line of the command: %s not taken (--in-band %s)", cli.Count(n, "attribute"), c.identity.InBand))
	}
	s.Pipeline = set
	return s
}

// follow shows and sends what the command does until all of it is done, and gives how the command ended.
func (c *running) follow(child *execute.Child, sending export.Settings) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-child.Hurry():
			cancel()
		case <-ctx.Done():
		}
	}()
	shown := make(chan error, 1)
	go func() { shown <- c.show(ctx, child) }()
	sent := export.Start(ctx, sending, child.Process)
	exit := child.Wait()
	select {
	case err := <-shown:
		if err != nil && !show.IsEndOfReader(err) && ctx.Err() == nil {
			c.screen.Report(err.Error())
		}
	case <-ctx.Done(): // it may hang in a write that nobody reads
	}
	<-sent
	c.reportLosses(exit, child.Spool().Path())
	if err := child.Close(); err != nil {
		c.screen.Report(err.Error())
	}
	return cli.ExitError{Status: exit.Status()}
}

// reportLosses reports output that was not kept.
func (c *running) reportLosses(exit process.Exit, spool string) {
	if exit.Status() != 0 && !c.child.Pipe && saysDiskFull(exit.Stderr) {
		c.screen.Report(fmt.Sprintf("if the full disk is that of %q, set TMPDIR or --raw to another one; with --pipe the command would go on, and what is not kept is counted", spool))
	}
	if exit.Dropped > 0 {
		c.screen.Report(fmt.Sprintf("dropped %s of the command's output", cli.Count(exit.Dropped, "byte")))
	}
}

// saysDiskFull reports whether a program complains of one.
func saysDiskFull(stderr []byte) bool {
	return bytes.Contains(bytes.ToLower(stderr), []byte("no space left on device"))
}

// show renders what the command writes, to its end.
func (c *running) show(ctx context.Context, child *execute.Child) error {
	in := child.Tail().Reader(ctx)
	if c.screen.Settings.Mode == render.ModeJSON {
		return show.Copy(c.screen.Stdout, in)
	}
	redactor, err := options.NewRedactor(c.look.Redact)
	if err != nil {
		return err
	}
	src, err := c.stream.Events(redactor)
	if err != nil {
		return err
	}
	lines := input.NewLines(input.LineSettings{Name: input.Stdin, Max: c.stream.MaxLine})
	shown := &show.Rendering{
		Lines: lines, In: in, Events: src, Settings: c.screen.Settings, Redactor: redactor, Live: true,
		Origin: render.Origin{Step: c.identity.Step, Agent: parser.InfoOf(c.stream.Provider).ServiceName},
		Exit:   func() *outcome.Exit { return execute.ExitOf(child.Wait()) },
	}
	err = shown.To(c.screen.Stdout)
	if n := lines.TooLong(); n > 0 {
		c.screen.Report(fmt.Sprintf("%s longer than %d bytes, shortened or skipped", cli.Count(n, "line"), c.stream.MaxLine))
	}
	return err
}
