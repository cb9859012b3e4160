package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/otlphttp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/render"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/spool"
)

const runSynopsis = `Runs an agent and shows what it does; with an OpenTelemetry endpoint it also sends
spans, log records and metrics there. It exits as the command exits.`

// Exit codes of a command that can't be run, as shells have them.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// childExitError ends tailspan as its child has ended. It is no error of ours.
type childExitError struct{ status int }

func (e childExitError) Error() string { return fmt.Sprintf("exit status %d", e.status) }

// runFlags are those of the command run.
type runFlags struct {
	*flags
	*lookFlags
	*identityFlags
	otlp, raw            string
	stream, pipe         bool
	grace, exportTimeout time.Duration
	metricsInterval      time.Duration
	maxSpool             int64
	command              []string
}

func parseRun(args []string, stderr io.Writer) (*runFlags, error) {
	f := &runFlags{flags: newFlags("run", runSynopsis, stderr)}
	f.lookFlags = f.addLook()
	f.Usage = func() {
		fmt.Fprintf(stderr, "usage: tailspan run [flags] -- COMMAND [ARGUMENT...]\n\n%s\n\nflags:\n", runSynopsis)
		f.PrintDefaults()
	}
	f.identityFlags = f.addIdentity()
	f.StringVar(&f.otlp, "otlp", "", "send spans, log records and metrics to this address by OTLP/HTTP; else OTEL_EXPORTER_OTLP_ENDPOINT counts")
	f.DurationVar(&f.exportTimeout, "export-timeout", 15*time.Second, "how long sending may go on when the command has ended")
	f.DurationVar(&f.metricsInterval, "metrics-interval", defaultMetricsInterval, "time between two exports of metrics; else "+metricsIntervalVariable+" counts")
	f.BoolVar(&f.stream, "stream", false, "add the flags that make the command write its stream")
	f.StringVar(&f.raw, "raw", "", "keep the command's output, as it is, in this file")
	f.BoolVar(&f.pipe, "pipe", false, "let the command write to a pipe instead of a file")
	f.Int64Var(&f.maxSpool, "max-spool", 0, fmt.Sprintf("most bytes of output that are kept until they are read, what exceeds it is dropped and counted; needs --pipe, and turns it on (default %d)", int64(spool.DefaultMaxBytes)))
	f.DurationVar(&f.grace, "grace", process.DefaultGrace, "time between a SIGTERM or SIGHUP that is passed on and SIGKILL")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, errHelp) {
			return nil, err
		}
		return nil, usageError{fmt.Errorf("read flags: %w", err)}
	}
	f.command = f.Args()
	return f, f.check()
}

// check reports all that is wrong with the flags, and completes the command.
func (f *runFlags) check() error {
	errs := []error{f.identityFlags.check()}
	if len(f.command) == 0 {
		errs = append(errs, errors.New("run needs a command: tailspan run [flags] -- COMMAND [ARGUMENT...]"))
	}
	if f.maxLine <= 0 {
		errs = append(errs, fmt.Errorf("max-line-size must be positive, got %d", f.maxLine))
	}
	if f.grace <= 0 {
		errs = append(errs, fmt.Errorf("grace must be positive, got %s", f.grace))
	}
	if f.exportTimeout < 0 {
		errs = append(errs, fmt.Errorf("export-timeout must not be negative, got %s", f.exportTimeout))
	}
	if f.metricsInterval <= 0 {
		errs = append(errs, fmt.Errorf("metrics-interval must be positive, got %s", f.metricsInterval))
	}
	if f.maxSpool < 0 || f.maxSpool == 0 && f.given("max-spool") {
		errs = append(errs, fmt.Errorf("max-spool must be positive, got %d; to keep all of the output leave it out, and --pipe too", f.maxSpool))
	}
	if _, err := parser.New(f.provider); err != nil {
		errs = append(errs, err)
	}
	if f.stream && len(f.command) > 0 {
		command, err := parser.StreamingCommand(f.provider, f.command)
		errs = append(errs, err)
		f.command = command
	}
	f.pipe = f.pipe || f.maxSpool > 0
	if err := errors.Join(errs...); err != nil {
		return usageError{err}
	}
	return nil
}

// runRun is the command run.
func runRun(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	f, err := parseRun(args, stderr)
	if err != nil {
		return err
	}
	screen, err := f.openScreen(stdout, stderr)
	if err != nil {
		return err
	}
	defer screen.close()
	endpoints, err := otlphttp.FromEnvironment(os.Getenv, f.otlp)
	if err != nil {
		if f.otlp != "" {
			return usageError{err}
		}
		screen.report(fmt.Sprintf("nothing is sent: %v", err)) // what others set must not keep the agent from running
	}
	if every, err := metricsIntervalOf(os.Getenv); err != nil {
		screen.report(err.Error())
	} else if every > 0 && !f.given("metrics-interval") {
		f.metricsInterval = every
	}
	signals := catchSignals()
	defer signal.Stop(signals)
	p, err := f.start(stdin, screen)
	if err != nil {
		return f.startError(err, screen)
	}
	r := &running{flags: f, screen: screen, process: p, hurry: make(chan struct{})}
	defer r.passSignals(signals)()
	return r.follow(endpoints)
}

// start runs the command.
func (f *runFlags) start(stdin io.Reader, s *screen) (*process.Process, error) {
	settings := process.Settings{
		Command: f.command, Stderr: s.stderr, Grace: f.grace, Pipe: f.pipe, Terminal: true, EndWithParent: true,
		Spool: spool.Settings{Path: f.raw},
		Copy: spool.CopySettings{MaxBytes: f.maxSpool, Dropping: func(reason error) {
			s.report(fmt.Sprintf("the command's output is not kept any more: %v", reason))
		}},
	}
	settings.Stdin, _ = stdin.(*os.File)
	return process.Start(settings)
}

// startError reports why the command could not be run, and returns the exit code of a shell.
func (f *runFlags) startError(err error, s *screen) error {
	if errors.Is(err, process.ErrNoSpool) {
		s.report(fmt.Sprintf("the command is not run: %v; set TMPDIR to a folder that can be written to, or name a file by --raw", err))
		return childExitError{exitError}
	}
	s.report(err.Error())
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return childExitError{exitNotFound}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EISDIR):
		return childExitError{exitNotExecutable}
	default:
		return childExitError{exitError}
	}
}

// running is a command at work.
type running struct {
	flags   *runFlags
	screen  *screen
	process *process.Process
	hurry   chan struct{} // closed when a signal comes after the command has ended: what is left to do is left
}

// follow shows and sends what the command does until all of it is done, and gives how the command ended.
func (r *running) follow(endpoints otlphttp.Endpoints) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-r.hurry:
			cancel()
		case <-ctx.Done():
		}
	}()
	shown := make(chan error, 1)
	go func() { shown <- r.show(ctx) }()
	sent := r.send(ctx, endpoints)
	exit := r.process.Wait()
	select {
	case err := <-shown:
		if err != nil && !isEndOfReader(err) && ctx.Err() == nil {
			r.screen.report(err.Error())
		}
	case <-ctx.Done(): // it may hang in a write that nobody reads
	}
	<-sent
	if exit.Status() != 0 && !r.flags.pipe && saysDiskFull(exit.Stderr) {
		r.screen.report(fmt.Sprintf("if the full disk is that of %q, set TMPDIR or --raw to another one; with --pipe the command would go on, and what is not kept is counted", r.process.Spool().Path()))
	}
	if exit.Dropped > 0 {
		r.screen.report(fmt.Sprintf("dropped %s of the command's output", plural(exit.Dropped, "byte")))
	}
	if err := r.process.Close(); err != nil {
		r.screen.report(err.Error())
	}
	return childExitError{exit.Status()}
}

// saysDiskFull reports whether a program complains of one.
func saysDiskFull(stderr []byte) bool {
	return bytes.Contains(bytes.ToLower(stderr), []byte("no space left on device"))
}

// show renders what the command writes, to its end.
func (r *running) show(ctx context.Context) error {
	in := r.process.Tail().Reader(ctx)
	if r.screen.settings.Mode == render.ModeJSON {
		return copyLines(r.screen.stdout, in)
	}
	redactor, err := newRedactor(r.flags.redact)
	if err != nil {
		return err
	}
	src, err := r.flags.events(redactor)
	if err != nil {
		return err
	}
	lines := &lineReader{name: stdinName, max: r.flags.maxLine}
	shown := &rendering{
		lines: lines, in: in, events: src, settings: r.screen.settings, redactor: redactor, live: true,
		origin: render.Origin{Step: r.flags.step, Agent: parser.InfoOf(r.flags.provider).ServiceName},
		exit:   func() *outcome.Exit { return exitOf(r.process.Wait()) },
	}
	err = shown.to(r.screen.stdout)
	if lines.skipped > 0 {
		r.screen.report(fmt.Sprintf("%s longer than %d bytes, shortened or skipped", plural(lines.skipped, "line"), lines.max))
	}
	return err
}

// exitOf converts the exit of a process.
func exitOf(e process.Exit) *outcome.Exit {
	return &outcome.Exit{
		Code: max(e.Code, 0), Signal: e.SignalName(), Time: e.At, Dropped: e.Dropped, Stopped: e.Stopped, Interrupted: e.Interrupted,
	}
}

// userAgent names us to servers.
const userAgent = "tailspan"

// program is the name of the command's program.
func (f *runFlags) program() string {
	name := f.command[0]
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return name
}
