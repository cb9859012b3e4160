package spooled

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
	"github.com/tailspan/tailspan/internal/retry"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/process"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/spool"
)

// commandGrace is the default time between SIGTERM and SIGKILL for a command.
const commandGrace = 3 * time.Second

// Words returns the program of a command and its arguments. provider is that of the command or of the receiver.
func Words(command *config.Command, provider string) ([]string, error) {
	if !command.StreamFlags {
		return command.Command, nil
	}
	return parser.StreamingCommand(provider, command.Command)
}

// command is an agent that the receiver runs. It is not restarted when it ends.
type command struct {
	input
	process *process.Process
	reading *reading
	dropped atomic.Pointer[string] // why output is dropped
}

// startCommand starts one command. alike counts commands with the same words and working folder, including this one, because
// each has its own spool folder.
func (in *Inputs) startCommand(ctx context.Context, set *config.Command, alike map[string]int) error {
	provider := cmp.Or(set.Provider, in.settings.Provider)
	words, err := Words(set, provider)
	if err != nil {
		return err
	}
	identity := set.Identity()
	program := filepath.Base(words[0])
	c := &command{input: input{
		Inputs: in, name: zap.String("program", program), kind: "process", path: program,
		origin: Origin{
			Provider: provider, Identity: pipeline.IdentityOf(&identity).With(in.settings.Identity), AwaitExit: true,
			Resumed: parser.ResumesTotals(words),
		},
	}}
	key := set.Dir + "\x00" + strings.Join(words, "\x00")
	alike[key]++
	unique := fmt.Sprintf("%s\x00%d\x00%s", in.settings.Receiver, alike[key], key)
	if c.folder, err = openFolder(in.settings.Spool.Directory, program, unique); err != nil {
		return err
	}
	if err := c.start(ctx, set, words); err != nil {
		return errors.Join(err, c.folder.unlock())
	}
	in.settings.Logger.Info("command started", c.name)
	in.commands = append(in.commands, c)
	in.running.Go(func() { c.follow(ctx) })
	in.running.Go(func() { c.resumeSpools(ctx) })
	return nil
}

// start starts the process and opens the stream of its output.
func (c *command) start(ctx context.Context, set *config.Command, words []string) (err error) {
	c.process, err = process.Start(process.Settings{
		Command: words, Dir: set.Dir, Env: set.Environment(os.Environ()), Grace: cmp.Or(set.GracePeriod, commandGrace),
		Spool: spool.Settings{Dir: c.folder.dir}, Pipe: set.Pipe,
		Copy: spool.CopySettings{MaxBytes: int64(c.settings.Spool.MaxSize), Dropping: c.dropping},
	})
	if err != nil {
		if fields := strings.Fields(words[0]); len(words) == 1 && len(fields) > 1 && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)) {
			err = fmt.Errorf("%w; commands run without a shell: write command as a list, [%s, ...]", err, fields[0])
		}
		return err
	}
	if c.reading, err = c.open(ctx, c.process.Spool(), false); err != nil {
		c.process.Stop(syscall.SIGKILL)
		<-c.process.Done()
		return errors.Join(err, c.process.Close())
	}
	return nil
}

// dropping logs once that output is dropped. The exit contains the number of bytes.
func (c *command) dropping(err error) {
	reason, advice := dropReason(err)
	c.dropped.Store(&reason)
	c.settings.Logger.Error("dropping command output until it ends",
		c.name, zap.String("reason", reason), zap.String("advice", advice), zap.Error(err))
}

// follow reads the output of the command until it ends or ctx does. Output not acknowledged by then stays in the spool.
func (c *command) follow(ctx context.Context) {
	err := c.reading.deliver(ctx, c.process.Tail(), func() error { return c.reading.Exited(ctx, c.exit(c.process.Wait())) })
	ended := c.process.Wait()
	if reason := c.dropped.Load(); reason != nil {
		c.settings.Meter.InputDropped(*reason, ended.Dropped)
	}
	if ended.Truncated {
		c.settings.Meter.InputDropped(dropTruncated, ended.Dropped)
		c.settings.Logger.Error("command truncated its own output",
			c.name, zap.Int64("bytes", ended.Dropped), zap.String("advice", "set pipe: true for this command"))
	}
	exit := c.exit(ended)
	fields := []zap.Field{c.name, zap.Stringer("exit", exit)}
	if exit.Failed() {
		fields = append(fields, zap.String("stderr", exit.Stderr))
	}
	c.settings.Logger.Info("command ended", fields...)
	if err != nil {
		c.reading.saveExit(ctx, exit)
	}
	c.settle(ctx, c.process.Spool(), c.process, err)
}

// exit converts how the process ended, and redacts secrets.
func (c *command) exit(e process.Exit) *outcome.Exit {
	exit := &outcome.Exit{
		Code: max(e.Code, 0), Signal: e.SignalName(), Started: e.Started, Time: e.At,
		Dropped: e.Dropped, Stopped: e.Stopped, Stderr: process.Clean(e.Stderr),
	}
	if r := c.settings.Redactor; r != nil {
		exit.Stderr = r.String(exit.Stderr)
	}
	return exit
}

// resumeSpools reads, one after another, the spools that previous runs of the command left, until ctx ends.
func (c *command) resumeSpools(ctx context.Context) {
	c.resume(func(path string) bool { return c.released(ctx, path) }, func(s *spool.Spool) {
		c.settle(ctx, s, s, c.deliverLeft(ctx, s))
	})
}

// released waits until no process writes to a left spool, because a command outlives a collector that is killed. It returns
// false if ctx ends first.
func (c *command) released(ctx context.Context, path string) bool {
	logged := false
	for spool.InUse(path) {
		if !logged {
			c.settings.Logger.Info("waiting for a command of a previous process to exit before resuming its spool", c.name, zap.String("path", path))
			logged = true
		}
		if !retry.Wait(ctx, c.settings.PollInterval) {
			return false
		}
	}
	return true
}

// deliverLeft reads a spool that was left, and closes its stream with the exit of its command, if that was stored.
func (c *command) deliverLeft(ctx context.Context, s *spool.Spool) error {
	r, err := c.open(ctx, s, true)
	if err != nil {
		return err
	}
	return r.deliver(ctx, s.Tail(), func() error {
		if r.kept.Exit == nil {
			return r.End(ctx, otlp.CloseReasonNoResult)
		}
		return r.Exited(ctx, r.kept.Exit)
	})
}
