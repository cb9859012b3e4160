package spooled

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/delivery"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/spool"
	"github.com/tailspan/tailspan/tail"
)

// Stream delivers the lines of one spool to the consumers.
type Stream interface {
	// Lines returns when their output was acknowledged. It fails only if ctx ends.
	tail.Consumer
	// State returns what is stored with the position.
	State() ([]byte, bool)
	// Provider returns the format once it is known. Any goroutine may call it.
	Provider() string
	// End closes what is open, for a reason, after the last line.
	End(ctx context.Context, reason otlp.CloseReason) error
	// Exited closes what is open with the exit of the command, after the last line.
	Exited(ctx context.Context, exit *outcome.Exit) error
	// Abandon releases a stream whose output was not acknowledged. It closes nothing.
	Abandon()
}

// Origin is what the settings of an input specify for its streams.
type Origin struct {
	Provider string
	Identity otlp.Identity
	// AwaitExit is true for the output of a command, which its exit ends.
	AwaitExit bool
	// Resumed is true if the command resumes a session.
	Resumed bool
}

// Settings configures the inputs of a receiver.
type Settings struct {
	Receiver component.ID
	Pipes    []config.Pipe
	Commands []config.Command
	// Spool configures where spools are; its folder is absolute, or empty for temporary files, which no later process resumes.
	Spool config.Spool
	// Provider and Identity are the defaults of inputs that have none.
	Provider string
	Identity otlp.Identity
	// Follow configures how spools are read.
	Follow tail.Settings
	// PollInterval is the time between two attempts to open a pipe.
	PollInterval time.Duration
	// Redactor redacts the standard error of commands; nil leaves it unchanged.
	Redactor *redact.Redactor
	// Open opens the stream of a spool.
	Open func(s tail.Stream, o Origin) (Stream, error)
	// Stdin is standard input.
	Stdin *os.File

	Logger *zap.Logger
	Meter  *meter.Meter
	Health *delivery.Health
}

// Inputs are the pipes and commands of a receiver.
type Inputs struct {
	settings Settings
	storage  storage.Client // nil: positions are not stored
	pipes    []*pipe
	commands []*command
	running  sync.WaitGroup
	readings sync.Map // of *reading: those being read
}

// New returns the inputs. It opens and starts nothing.
func New(s Settings) *Inputs { return &Inputs{settings: s} }

// Start opens the pipes, runs each command once, and resumes the spools that a previous process left. When ctx ends,
// unacknowledged input stays in its spool. Positions are stored in store unless it is nil. After an error, [Inputs.Stop] ends
// what was started.
func (in *Inputs) Start(ctx context.Context, store storage.Client) error {
	in.storage = store
	for i := range in.settings.Pipes {
		if err := in.startPipe(ctx, &in.settings.Pipes[i]); err != nil {
			return fmt.Errorf("pipes[%d]: %w", i, err)
		}
	}
	alike := map[string]int{}
	for i := range in.settings.Commands {
		if err := in.startCommand(ctx, &in.settings.Commands[i], alike); err != nil {
			return fmt.Errorf("commands[%d]: %w", i, err)
		}
	}
	return nil
}

// ClosePipes stops copying from all pipes; further input stays in them.
func (in *Inputs) ClosePipes() {
	for _, p := range in.pipes {
		p.close()
	}
}

// Stop ends pipes and commands, and waits until their output was acknowledged, for as long as ctx and wait allow. Then it
// calls cancel, which must end the context of Start. When ctx ends, commands are killed.
func (in *Inputs) Stop(ctx context.Context, wait time.Duration, cancel func()) {
	in.ClosePipes()
	in.stopCommands(ctx)
	timer := time.AfterFunc(wait, cancel)
	defer timer.Stop()
	defer context.AfterFunc(ctx, cancel)()
	in.running.Wait()
	for _, c := range in.commands {
		_ = c.folder.unlock() // the end of the process would unlock it too
	}
}

// stopCommands asks all commands to end and waits until they have.
func (in *Inputs) stopCommands(ctx context.Context) {
	for _, c := range in.commands {
		c.process.Stop(syscall.SIGTERM)
	}
	for _, c := range in.commands {
		select {
		case <-c.process.Done():
		case <-ctx.Done():
			c.process.Signal(syscall.SIGKILL)
		}
	}
}

// MeasureLag records the unacknowledged bytes of spools.
func (in *Inputs) MeasureLag() {
	in.readings.Range(func(r, _ any) bool {
		r.(*reading).measureLag()
		return true
	})
}

// input is what pipes and commands share.
type input struct {
	*Inputs
	folder folder
	name   zap.Field // in the log
	kind   string    // of its stream IDs
	path   string    // of its streams
	origin Origin
}

// resume calls do with each spool that a previous process left, until ready returns false because the receiver stops.
func (in *input) resume(ready func(path string) bool, do func(*spool.Spool)) {
	for _, path := range in.folder.left {
		if !ready(path) {
			return
		}
		s, err := spool.Open(path)
		if err != nil {
			in.settings.Logger.Error("skipping unreadable spool left by a previous process", in.name, zap.String("path", path), zap.Error(err))
			continue
		}
		in.settings.Logger.Info("resuming spool left by a previous process", in.name, zap.String("path", path))
		do(s)
	}
}
