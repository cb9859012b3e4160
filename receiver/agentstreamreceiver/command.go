package agentstreamreceiver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/spool"
	"github.com/tailspan/tailspan/tail"
)

// commandGrace is the default time between SIGTERM and SIGKILL of a command.
const commandGrace = 3 * time.Second

// command is an agent that the receiver runs.
type command struct {
	receiver *agentStream
	process  *process.Process
	stream   *spooled
	program  string
	origin   streamOrigin
	spools   commandSpools
	dropped  atomic.Pointer[string] // why output is dropped
}

// providerOr is name, or the provider of the receiver if name is empty.
func (c *Config) providerOr(name string) string { return cmp.Or(name, c.Stream.Provider) }

// words are the program and its arguments.
func (c *Config) words(command *config.Command) ([]string, error) {
	if !command.StreamFlags {
		return command.Command, nil
	}
	return parser.StreamingCommand(c.providerOr(command.Provider), command.Command)
}

// startCommands runs the commands, each once: one that ends is not started again. The spools of previous runs are resumed
// beside them.
func (r *agentStream) startCommands(ctx context.Context) error {
	alike := map[string]int{}
	for i := range r.config.Commands {
		c, err := r.startCommand(&r.config.Commands[i], alike)
		if err != nil {
			r.stopCommands(ctx) // nobody else would
			return fmt.Errorf("commands[%d]: %w", i, err)
		}
		r.commands = append(r.commands, c)
		r.running.Go(func() { c.follow(ctx) })
		r.running.Go(func() { c.resumeSpools(ctx) })
	}
	return nil
}

// startCommand starts one command. alike counts those with the same words in the same folder, this one included.
func (r *agentStream) startCommand(set *config.Command, alike map[string]int) (*command, error) {
	words, err := r.config.words(set)
	if err != nil {
		return nil, err
	}
	identity := set.Identity()
	c := &command{receiver: r, program: filepath.Base(words[0]), origin: streamOrigin{
		provider: r.config.providerOr(set.Provider), identity: identityOf(&identity).With(r.identity), awaitExit: true,
		resumed: parser.ResumesTotals(words),
	}}
	key := set.Dir + "\x00" + strings.Join(words, "\x00")
	alike[key]++
	if c.spools, err = r.openSpools(c.program, key, alike[key]); err != nil {
		return nil, err
	}
	p, err := process.Start(process.Settings{
		Command: words, Dir: set.Dir, Env: set.Environment(os.Environ()), Grace: cmp.Or(set.GracePeriod, commandGrace),
		Spool: spool.Settings{Dir: c.spools.dir}, Pipe: set.Pipe,
		Copy: spool.CopySettings{MaxBytes: int64(r.config.Spool.MaxSize), Dropping: c.dropping},
	})
	if err != nil {
		if fields := strings.Fields(words[0]); len(words) == 1 && len(fields) > 1 && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)) {
			err = fmt.Errorf("%w; commands run without a shell: write command as a list, [%s, ...]", err, fields[0])
		}
		return nil, errors.Join(err, c.spools.close())
	}
	c.process = p
	st, err := r.newStream(tail.Stream{ID: commandStream(p.Spool()), Path: c.program, Name: c.program}, c.origin)
	if err != nil {
		p.Stop(syscall.SIGKILL)
		<-p.Done()
		return nil, errors.Join(err, p.Close(), c.spools.close())
	}
	r.logger.Info("command started", zap.String("program", c.program))
	c.stream = r.newSpooled(st, p.Spool())
	if c.spools.dir != "" {
		c.stream.store = r.storage
	}
	return c, nil
}

// dropping logs once that output is dropped. The exit has the number of bytes.
func (c *command) dropping(err error) {
	reason, advice := dropReason(err)
	c.dropped.Store(&reason)
	c.receiver.logger.Error("dropping command output until it ends",
		zap.String("program", c.program), zap.String("reason", reason), zap.String("advice", advice), zap.Error(err))
}

// follow exports the output of the command until it ends or ctx does. What no consumer has acknowledged by then stays in
// the spool.
func (c *command) follow(ctx context.Context) {
	r := c.receiver
	err := tail.Follow(ctx, c.process.Tail(), c.stream, r.followSettings())
	exit := c.process.Wait()
	if reason := c.dropped.Load(); reason != nil {
		r.meter.inputDropped(*reason, exit.Dropped)
	}
	ended := c.exit(exit)
	if err == nil {
		err = c.stream.exited(ctx, ended)
	} else {
		err = errors.Join(err, c.stream.abandon())
	}
	c.stream.leave()
	fields := []zap.Field{zap.String("program", c.program), zap.Stringer("exit", ended)}
	if ended.Failed() {
		fields = append(fields, zap.String("stderr", ended.Stderr))
	}
	r.logger.Info("command ended", fields...)
	if err != nil {
		c.stream.keepExit(ctx, ended)
	}
	c.settle(ctx, c.process.Spool(), c.process, err)
}

// followSettings are those of reading a spool.
func (r *agentStream) followSettings() tail.Settings {
	return tail.Settings{
		MaxLineSize: int(r.config.Stream.MaxLineSize), IdleFlush: r.config.Stream.ForceFlushPeriod, Observer: r.observer(),
	}
}

// exit converts how the process ended, without secrets.
func (c *command) exit(e process.Exit) *outcome.Exit {
	exit := &outcome.Exit{Code: max(e.Code, 0), Signal: e.SignalName(), Time: e.At, Dropped: e.Dropped, Stopped: e.Stopped, Stderr: process.Clean(e.Stderr)}
	if r := c.receiver.redactor; r != nil {
		exit.Stderr = r.String(exit.Stderr)
	}
	return exit
}

// stopCommands ends commands and pipes, and waits until their output was exported; when ctx ends, commands are killed.
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
	for _, c := range r.commands {
		_ = c.spools.close() // the process's end would do the same
	}
}
