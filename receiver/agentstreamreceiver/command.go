package agentstreamreceiver

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/source/process"
	"github.com/tailspan/tailspan/source/spool"
	"github.com/tailspan/tailspan/telemetry"
)

// commandGrace is the time between SIGTERM and SIGKILL unless a command's settings tell another.
const commandGrace = 3 * time.Second

// command is an agent that the receiver runs.
type command struct {
	receiver *agentStream
	process  *process.Process
	stream   *spooled
	program  string
	dropped  atomic.Pointer[string] // why output is dropped
}

// providerOr is a provider that settings of their own name, else that of the receiver.
func (c *Config) providerOr(name string) string { return cmp.Or(name, c.Stream.Provider) }

// words are the program and its arguments.
func (c *Config) words(command *config.Command) ([]string, error) {
	if !command.Stream {
		return command.Command, nil
	}
	return parser.StreamingCommand(c.providerOr(command.Provider), command.Command)
}

// startCommands runs the commands. They are started once; one that ends is not started again.
func (r *agentStream) startCommands(ctx context.Context) error {
	for i := range r.config.Commands {
		c, err := r.startCommand(&r.config.Commands[i])
		if err != nil {
			r.stopCommands(ctx) // nobody else would
			return fmt.Errorf("commands[%d]: %w", i, err)
		}
		r.commands = append(r.commands, c)
		r.running.Go(func() { c.follow(ctx) })
	}
	return nil
}

func (r *agentStream) startCommand(set *config.Command) (*command, error) {
	words, err := r.config.words(set)
	if err != nil {
		return nil, err
	}
	identity := set.Identity()
	program := filepath.Base(words[0])
	st, err := r.newStream(source.Stream{ID: "process/" + crand.Text(), Path: program, Name: program}, streamOrigin{
		provider: r.config.providerOr(set.Provider), identity: identityOf(&identity).With(r.identity), awaitExit: true,
	})
	if err != nil {
		return nil, err
	}
	c := &command{receiver: r, program: program}
	if r.spoolDir != "" {
		if err := os.MkdirAll(r.spoolDir, 0o700); err != nil {
			r.streams.remove(st)
			return nil, fmt.Errorf("spool_directory: %w", err)
		}
	}
	p, err := process.Start(process.Settings{
		Command: words, Dir: set.Dir, Env: set.Environment(os.Environ()), Grace: cmp.Or(set.Grace, commandGrace),
		Spool: spool.Settings{Dir: r.spoolDir}, Pipe: set.Pipe,
		Copy: spool.CopySettings{MaxBytes: r.config.Spool.MaxBytes, Dropping: c.dropping},
	})
	if err != nil {
		r.streams.remove(st)
		return nil, err
	}
	r.logger.Info("command started", zap.String("program", program))
	c.process, c.stream = p, r.newSpooled(st, p.Spool())
	return c, nil
}

// dropping tells once that output is not kept any more. How much it was, the exit tells.
func (c *command) dropping(err error) {
	reason, advice := dropReason(err)
	c.dropped.Store(&reason)
	c.receiver.logger.Error("output of a command is not kept any more; it is read, dropped and counted",
		zap.String("program", c.program), zap.String("reason", reason), zap.String("advice", advice), zap.Error(err))
}

// follow hands on what the command does, until it ends or ctx does. What no consumer has accepted by then stays in the
// spool.
func (c *command) follow(ctx context.Context) {
	r := c.receiver
	err := source.Follow(ctx, c.process.Tail(), c.stream, r.followSettings())
	exit := c.process.Wait()
	if reason := c.dropped.Load(); reason != nil {
		r.meter.inputDropped(*reason, exit.Dropped)
	}
	told := c.exit(exit)
	if err == nil {
		err = c.stream.exited(ctx, told)
	} else {
		err = errors.Join(err, c.stream.abandon())
	}
	c.stream.leave()
	fields := []zap.Field{zap.String("program", c.program), zap.Stringer("exit", told)}
	if told.Failed() {
		fields = append(fields, zap.String("stderr", told.Stderr))
	}
	r.logger.Info("command ended", fields...)
	if err != nil {
		c.process.Spool().Keep()
		r.gaveUp(ctx, err)
		r.logger.Error("not all of a command's output was accepted, it is left in its spool",
			zap.String("program", c.program), zap.String("path", c.process.Spool().Path()), zap.Error(err))
	}
	if err := c.process.Close(); err != nil {
		r.logger.Warn("spool of a command not removed", zap.String("program", c.program), zap.Error(err))
	}
}

// followSettings are those of reading a spool.
func (r *agentStream) followSettings() source.Settings {
	return source.Settings{
		MaxLineSize: r.config.Stream.MaxLineSize, IdleFlush: r.config.Stream.IdleFlush, Observer: r.observer(),
	}
}

// exit is how the process ended, in the words of the fold, without secrets.
func (c *command) exit(e process.Exit) *telemetry.Exit {
	told := &telemetry.Exit{Code: max(e.Code, 0), Signal: e.SignalName(), Time: e.At, Dropped: e.Dropped, Stderr: process.Clean(e.Stderr)}
	if r := c.receiver.redactor; r != nil {
		told.Stderr = r.String(told.Stderr)
	}
	return told
}

// stopCommands ends commands and pipes, and waits until what they gave was handed on; when ctx ends commands are killed.
func (r *agentStream) stopCommands(ctx context.Context) {
	r.closePipes()
	for _, c := range r.commands {
		c.process.Stop(syscall.SIGTERM)
	}
	for _, c := range r.commands {
		select {
		case <-c.process.Done():
		case <-ctx.Done():
			c.process.Signal(syscall.SIGKILL)
		}
	}
	timer := time.AfterFunc(finalDelivery, r.cancel)
	defer timer.Stop()
	defer context.AfterFunc(ctx, r.cancel)()
	r.running.Wait()
}
