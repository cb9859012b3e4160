package agentstreamreceiver

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/internal/retry"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/spool"
	"github.com/tailspan/tailspan/tail"
)

// commandSpools is the folder of a command's spools, with those that a previous process left. The zero value has no folder:
// spools are then temporary files, which no later process resumes.
type commandSpools struct {
	dir    string
	left   []string
	unlock func() error
}

// openSpools locks the folder of a command for this process. The folder is the same after a restart, and no other command
// has it: key consists of the command's words and folder, and the nth command with that key has a folder of its own.
func (r *agentStream) openSpools(program, key string, nth int) (commandSpools, error) {
	if r.spoolDir == "" {
		return commandSpools{}, nil
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s", r.id, nth, key))
	dir := filepath.Join(r.spoolDir, program+"-"+hex.EncodeToString(sum[:4]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return commandSpools{}, fmt.Errorf("spool::directory: %w", err)
	}
	unlock, err := spool.Lock(dir)
	if err != nil {
		return commandSpools{}, fmt.Errorf("spool::directory: %w", err)
	}
	left, err := spool.Left(dir)
	if err != nil {
		return commandSpools{}, errors.Join(fmt.Errorf("spool::directory: %w", err), unlock())
	}
	return commandSpools{dir: dir, left: left, unlock: unlock}, nil
}

// close unlocks the folder.
func (s *commandSpools) close() error {
	if s.unlock == nil {
		return nil
	}
	return s.unlock()
}

// resumeSpools exports what previous runs of the command left in their spools, one after the other, until ctx ends.
func (c *command) resumeSpools(ctx context.Context) {
	for _, path := range c.spools.left {
		if !c.released(ctx, path) {
			return
		}
		s, err := spool.Open(path)
		if err != nil {
			c.receiver.logger.Error("skipping unreadable spool left by a previous process", zap.String("path", path), zap.Error(err))
			continue
		}
		c.receiver.logger.Info("resuming spool left by a previous process", zap.String("program", c.program), zap.String("path", path))
		c.settle(ctx, s, s, c.deliverLeft(ctx, s))
	}
}

// released waits until no process writes to a spool that was left: a command outlives a collector that is killed. It is
// false if ctx ended before.
func (c *command) released(ctx context.Context, path string) bool {
	logged := false
	for spool.InUse(path) {
		if !logged {
			c.receiver.logger.Info("waiting for a command of a previous process to exit before resuming its spool",
				zap.String("program", c.program), zap.String("path", path))
			logged = true
		}
		if !retry.Wait(ctx, c.receiver.config.Stream.PollInterval) {
			return false
		}
	}
	return true
}

// deliverLeft exports a spool that was left, and how its command ended, if that was stored.
func (c *command) deliverLeft(ctx context.Context, s *spool.Spool) error {
	r := c.receiver
	kept := r.positionOf(ctx, s)
	origin := c.origin
	origin.awaitExit = kept.Exit != nil
	st, err := r.newStream(tail.Stream{ID: commandStream(s), Path: c.program, Name: c.program, ModTime: modTime(s.Path()), State: kept.State}, origin)
	if err != nil {
		return err
	}
	stream := r.newSpooled(st, s)
	stream.left, stream.replayed, stream.exit, stream.store = true, kept.Position, kept.Exit, r.storage
	if err := tail.Follow(ctx, s.Tail(), stream, r.followSettings()); err != nil {
		return errors.Join(err, stream.abandon())
	}
	if kept.Exit == nil {
		return stream.ended(ctx, otlp.CloseReasonNoResult)
	}
	defer stream.leave()
	return stream.exited(ctx, kept.Exit)
}

// settle closes the holder of a spool. With an error the spool was not acknowledged whole and is kept; without one its
// stored offset is deleted.
func (c *command) settle(ctx context.Context, s *spool.Spool, holder io.Closer, err error) {
	switch {
	case err != nil:
		c.keep(ctx, s, err)
	case c.spools.dir != "":
		c.receiver.forgetPosition(ctx, s)
	}
	if err := holder.Close(); err != nil {
		c.receiver.logger.Warn("spool of a command was not removed", zap.String("program", c.program), zap.Error(err))
	}
}

// keep keeps the file of a spool that was not acknowledged whole.
func (c *command) keep(ctx context.Context, s *spool.Spool, err error) {
	r := c.receiver
	s.Keep()
	r.deliveryFailed(ctx, err)
	then := "set spool::directory so that the next start resumes it"
	if c.spools.dir != "" {
		then = "the next start resumes it"
	}
	r.logger.Error("command output not fully delivered, keeping its spool",
		zap.String("program", c.program), zap.String("path", s.Path()), zap.String("then", then), zap.Error(err))
}

// commandStream is the id of the stream in a spool; a spool's name is used once, so no two runs share an id.
func commandStream(s *spool.Spool) string { return "process/" + s.Name() }
