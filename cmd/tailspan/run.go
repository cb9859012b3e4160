package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/cli"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/eventjson"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/execute"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/export"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/guard"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/names"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/observer"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/show"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/streams"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pipeline"
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
		{
			Line: "tailspan run --step fix --otlp http://localhost:4318 -- codex exec --json 'fix the failing test'",
			Does: "the same, with spans, log records and metrics for a collector",
		},
		{
			Line: "tailspan run --mode verbose --raw run.jsonl -- gemini -p '...' --output-format stream-json",
			Does: "text and tools as one log, the agent's own lines in a file",
		},
	},
	Child: true,
	New: func(f *cli.Flags) cli.Action {
		c := &running{flags: f}
		c.stream.Add(f)
		c.look.Add(f)
		c.identity.Add(f)
		c.prices.Add(f)
		c.judge.add(f)
		f.StringVar(&c.eventsFile, "events", "",
			"write the events to this `file`, as tailspan events does; - for standard output, and the log goes to standard error")
		f.StringVar(&c.export.address, "otlp", "",
			"send spans, log records and metrics to this `address` by OTLP/HTTP; else OTEL_EXPORTER_OTLP_ENDPOINT counts")
		f.DurationVar(&c.export.timeout, "export-timeout", 15*time.Second, "how long sending may go on when the command has ended")
		f.DurationVar(&c.export.metricsEvery, "metrics-interval", export.DefaultMetricsInterval,
			"time between two exports of metrics; else "+export.MetricsIntervalVariable+" counts")
		f.BoolVar(&c.addFlags, "stream", false, "add the flags that make the command write its stream")
		f.StringVar(&c.child.Raw, "raw", "", "keep the command's output, as it is, in this `file`")
		f.BoolVar(&c.child.Pipe, "pipe", false, "let the command write to a pipe instead of a file")
		f.SizeVar(&c.child.MaxSpool, "max-spool", 0,
			"most output that is kept until it is read, what exceeds it is dropped and counted; needs --pipe, and turns it on; "+
				"without it all is kept (with --pipe alone: "+config.Size(spool.DefaultMaxBytes).String()+")")
		f.DurationVar(&c.child.Grace, "grace", process.DefaultGrace,
			"time between a SIGTERM or SIGHUP that is passed on, or the SIGTERM of a limit, and SIGKILL")
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

	judge judge

	export     exportFlags
	addFlags   bool
	eventsFile string

	screen *show.Screen
}

// exportFlags select where the command's work is sent.
type exportFlags struct {
	address               string
	timeout, metricsEvery time.Duration
}

func (c *running) run(_ context.Context, command []string, s cli.Streams) error {
	prices, err := c.check(command)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	log := s.Out
	if c.eventsFile == input.Stdin {
		log = s.Err
	}
	if c.screen, err = show.Open(&c.look, c.flags, log, s.Err); err != nil {
		return err
	}
	defer c.screen.Close()
	c.screen.Settings.NewAccount = func() render.Account { return guard.NewAccount(prices) }
	endpoints, err := otlphttp.FromEnvironment(os.Getenv, c.export.address)
	if err != nil {
		if c.export.address != "" {
			return cli.UsageError{Err: err}
		}
		c.screen.Report(fmt.Sprintf("nothing is sent: %v", err)) // settings from elsewhere must not keep the agent from running
	}
	written, err := c.openFiles(s.Out)
	if err != nil {
		return err
	}
	if every, err := export.MetricsInterval(os.Getenv); err != nil {
		c.screen.Report(err.Error())
	} else if every > 0 && !c.flags.Given("metrics-interval") {
		c.export.metricsEvery = every
	}
	problem := "" // the last one that was reported
	c.child.Stdin, c.child.Stderr, c.child.Report = s.In, c.screen.Stderr, func(text string) {
		problem = text
		c.screen.Report(text)
	}
	c.child.Suspend = c.screen.Suspend
	if c.look.NamesOnly() {
		c.child.Stderr = io.Discard
	}
	stream := c.streamSettings()
	if endpoints.Traces.URL != "" {
		c.child.Env = withStep(os.Environ(), &stream)
	}
	title := cmp.Or(stream.Telemetry.Identity.With(stream.Ambient).Value(otlp.AttrTaskName), stream.Program)
	child, err := execute.Start(c.child) // first, because its readers take milliseconds to create
	if err != nil {
		c.judge.notStarted(title, problem)
		return err
	}
	c.screen.ShareTerminal(child.Process)
	return c.follow(&following{
		child: child, export: c.exportSettings(endpoints, stream, prices), observe: c.observerSettings(stream, prices), events: written,
		title: title,
	})
}

// openFiles opens the files written in addition to the log. out is standard output.
func (c *running) openFiles(out io.Writer) (events io.Writer, err error) {
	c.judge.escape = c.screen.Settings.EscapeCommands
	c.judge.report, c.judge.silentUnlessFails = c.screen.Report, c.screen.Settings.Mode == render.ModeJSON
	c.judge.countPlain = c.screen.Settings.Mode == render.ModeQuiet && !c.look.NamesOnly()
	if c.look.NamesOnly() {
		c.judge.name = names.Name
	}
	switch c.eventsFile {
	case "":
	case input.Stdin:
		events = out
	default:
		if events, err = create("--events", c.eventsFile); err != nil {
			return nil, err
		}
	}
	return events, c.judge.open()
}

// check returns all errors in the flags and completes the command.
func (c *running) check(command []string) (ledger.Prices, error) {
	prices, err := c.prices.Read()
	errs := []error{err, c.judge.check(c.flags.Given), c.checkFiles()}
	if c.eventsFile == input.Stdin && c.look.Mode == render.ModeJSON.String() {
		errs = append(errs, errors.New("--events - and --mode json both need standard output"))
	}
	if c.eventsFile == input.Stdin && c.look.NamesOnly() {
		errs = append(errs, errors.New("--events - would show the texts that --show names omits; use --events FILE"))
	}
	if len(command) == 0 || command[0] == "" {
		errs = append(errs, errors.New("run needs a command: tailspan run [flags] -- COMMAND [ARGUMENT...]"))
	}
	if c.child.Grace <= 0 {
		errs = append(errs, fmt.Errorf("--grace must be positive, got %s", c.child.Grace))
	}
	if c.export.timeout <= 0 {
		errs = append(errs, fmt.Errorf("--export-timeout must be positive, got %s", c.export.timeout))
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

// checkFiles returns an error if two flags name the same file, or one that needs a file names standard output.
func (c *running) checkFiles() error {
	var files []outFile
	for _, f := range []outFile{{"--raw", c.child.Raw}, {"--events", c.eventsFile}, {"--summary-file", c.judge.summaryFile}} {
		switch {
		case f.path == "", f.path == input.Stdin && f.flag == "--events":
			continue
		case f.path == input.Stdin:
			return fmt.Errorf("%s must name a file, got %q", f.flag, f.path)
		}
		files = append(files, f)
	}
	return distinct(files)
}

// streamSettings returns the settings of the command's stream for the export and the observer; each adds its own registry.
func (c *running) streamSettings() pipeline.Settings {
	set := c.identity.PipelineSettings(c.stream.Provider, nil, nil)
	set.Program, set.Ambient = execute.Program(c.child.Command), otlp.IdentityFromEnvironment(os.Getenv)
	set.Telemetry.ID, set.Telemetry.AwaitExit = "process/"+rand.Text(), true
	set.Telemetry.Resumed = parser.ResumesTotals(c.child.Command)
	var err error
	if set.Telemetry.Parent, err = otlp.ParseTraceParent(os.Getenv(traceParentVariable)); err != nil {
		c.screen.Report(fmt.Sprintf("%s is ignored: %v", traceParentVariable, err))
	}
	return set
}

// exportSettings returns the settings of the export, including those of the environment.
func (c *running) exportSettings(endpoints otlphttp.Endpoints, set pipeline.Settings, prices ledger.Prices) export.Settings {
	s := export.Settings{
		Endpoints: endpoints, MaxLine: c.stream.MaxLine, MetricsEvery: c.export.metricsEvery, Timeout: c.export.timeout, Report: c.screen.Report,
		Waited: c.screen.OnTerminal,
	}
	if endpoints.Empty() {
		return s
	}
	registry := options.RegistrySettings(prices)
	registry.Metrics.InstanceID = otlp.NewInstanceID() // concurrent commands are separate instances
	registry.StallAfter = cmp.Or(c.judge.limits.StallAfter, registry.StallAfter)
	var err error
	if registry.Metrics.Delta, err = export.Delta(os.Getenv); err != nil {
		c.screen.Report(err.Error())
	}
	if set.Events.Redactor, err = options.NewRedactor(c.look.Redact); err != nil {
		c.screen.Report(fmt.Sprintf("nothing is sent: %v", err))
		return export.Settings{}
	}
	set.Registry = telemetry.NewRegistry(registry)
	set.OnInvalidParent = func(err error) { c.screen.Report(fmt.Sprintf("first line of the command: %v", err)) }
	set.OnDropped = func(n int) {
		c.screen.Report(fmt.Sprintf("first line of the command: ignored %s (--in-band %s)", cli.Count(n, "attribute"), c.identity.InBand))
	}
	s.Pipeline = set
	return s
}

// observerSettings returns the settings of the command's observer. It reads the arguments of calls to detect loops.
func (c *running) observerSettings(set pipeline.Settings, prices ledger.Prices) observer.Settings {
	registry := options.RegistrySettings(prices)
	registry.ProgressInterval, registry.StallAfter = 0, 0
	set.Registry = telemetry.NewRegistry(registry)
	set.Events.Inputs, set.Events.Plain = true, true
	return observer.Settings{Pipeline: set, Redact: c.look.Redact, MaxLine: c.stream.MaxLine, Prices: prices}
}

// traceParentVariable holds the span that is the parent of a program's work.
const traceParentVariable = "TRACEPARENT"

// withStep returns an environment that makes the stream's step the parent of what the command itself exports, unless it
// already names another span, which is then the step's parent too.
func withStep(environment []string, set *pipeline.Settings) []string {
	step, ok := set.Telemetry.Identity.With(set.Ambient).Step()
	if !ok || !set.Telemetry.Parent.Empty() {
		return environment
	}
	return append(environment, traceParentVariable+"="+step.TraceParent())
}

// following is a running command with everything that reads its output.
type following struct {
	child   *execute.Child
	export  export.Settings
	observe observer.Settings
	events  io.Writer // nil if events are not written
	title   string
}

// follow shows and sends the command's work until it is complete. It returns how the command ended.
func (c *running) follow(f *following) error {
	child := f.child
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() {
		select {
		case <-child.Hurry():
			cancel(errHurry)
		case <-ctx.Done():
		}
	}()
	judged, stopped := c.judge.start(ctx, f.observe, child)
	f.export.StopReason = func(ctx context.Context) (why otlp.StopReason) {
		select {
		case why = <-stopped:
		case <-ctx.Done():
		}
		return why
	}
	shown := goRead(func() error { return c.show(ctx, child) })
	written := goRead(func() error { return c.writeEvents(ctx, child, f.events) })
	sent := export.Start(ctx, f.export, child.Process)
	exit := child.Wait()
	full := !c.child.Pipe && execute.DiskFull(child.Spool())
	var result *observer.Result
	failed := 0 // exit code for output that was not written
	for _, reader := range []<-chan error{shown, written} {
		select {
		case err := <-reader:
			if err != nil && !cli.IsEndOfReader(err) && ctx.Err() == nil {
				c.screen.Report(err.Error())
				failed = cli.ExitFailure
			}
		case <-ctx.Done(): // it may be blocked in a write that nobody reads
		}
	}
	select {
	case result = <-judged:
	case <-ctx.Done():
	}
	status := cmp.Or(c.judge.finish(result, f.title, exit), failed)
	<-sent
	status = c.reportLosses(status, exit, full, child.Spool().Path())
	if err := child.Close(); err != nil {
		c.screen.Report(err.Error())
		if c.child.Raw != "" {
			status = cmp.Or(status, cli.ExitFailure)
		}
	}
	return cli.ExitError{Status: status, Interrupted: exit.Signal == syscall.SIGINT, Typed: exit.Foreground && !exit.Interrupted}
}

// errHurry is why unsent output is kept after a signal.
var errHurry = errors.New("stopped by a signal")

func goRead(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	return done
}

// show renders the output of the command to its end.
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
	read := c.reading(redactor)
	read.Open = func(streams.Origin) (streams.Stream, error) {
		r := &show.Rendering{
			Events: src, Settings: c.screen.Settings, Live: true, NamesOnly: c.look.NamesOnly(),
			Origin: render.Origin{Step: c.identity.Step, Agent: parser.InfoOf(c.stream.Provider).ServiceName},
			Plain:  c.screen.Plain,
			Exit:   func() *outcome.Exit { return execute.ExitOf(child.Wait()) },
		}
		return &reported{r.Open(render.NewLog(c.screen.Stdout, c.screen.Settings)), func(tooLong int) { c.reportUnread(src, tooLong) }}, nil
	}
	return read.Read(ctx, commandOutput, in)
}

// commandOutput is the origin of the command's output.
var commandOutput = streams.Origin{Name: input.Stdin, Live: true}

// reading returns how the output of the command is read. The export reports what its in-band line may not set.
func (c *running) reading(redactor *redact.Redactor) streams.Settings {
	return streams.Settings{Stream: c.stream, Identity: c.identity, Redactor: redactor, Streams: cli.Streams{Err: io.Discard}}
}

// reportUnread reports the parts of the output that are not shown, or not in their own form.
func (c *running) reportUnread(src *pipeline.Events, tooLong int) {
	switch stats := src.Stats(); {
	case c.stream.Provider != parser.Auto:
		losses := show.Losses{Name: input.Stdin, Args: []string{input.Stdin}, Stream: c.stream, Look: &c.look, Stats: stats}
		losses.Report(c.screen.Stderr)
	case src.Provider() == "" && stats.Passed > 0:
		c.screen.Report(c.hint() + c.judge.blind())
	}
	if tooLong > 0 {
		c.screen.Report(c.stream.TooLong(tooLong))
	}
}

// hint returns advice for unrecognized output.
func (c *running) hint() string {
	shown := c.look.Unrecognized()
	streaming, err := parser.StreamingCommand(c.stream.Provider, c.child.Command)
	if err == nil && !slices.Equal(streaming, c.child.Command) {
		return "the command writes text, which is " + shown + "; run --stream has it write its stream, with its tools, tokens and cost"
	}
	return "the command's output is not recognized and " + shown + "; if it is an agent's, --provider names whose"
}

// writeEvents writes the events of the command's output to its end, if to is not nil.
func (c *running) writeEvents(ctx context.Context, child *execute.Child, to io.Writer) error {
	if to == nil {
		return nil
	}
	redactor, err := options.NewRedactor(c.look.Redact)
	if err != nil {
		return err
	}
	src, err := c.stream.Events(redactor)
	if err != nil {
		return err
	}
	printer := eventjson.New(to)
	read := c.reading(redactor)
	read.Open = func(o streams.Origin) (streams.Stream, error) {
		return printer.Open(&eventjson.Stream{
			Events: src, Live: true, Origin: eventjson.OriginOf(o.Identity),
			End: func() *events.DisplayEvent { return execute.ExitOf(child.Wait()).IncompleteEnd() },
		}), nil
	}
	if err = read.Read(ctx, commandOutput, child.Tail().Reader(ctx)); err == nil {
		err = printer.Summary()
	}
	if flushed := printer.Flush(); err == nil {
		err = flushed // most often the same error again
	}
	if file, ok := to.(*os.File); ok && c.eventsFile != input.Stdin {
		if closed := file.Close(); err == nil && closed != nil {
			err = fmt.Errorf("write events: %w", closed)
		}
	}
	return err
}
