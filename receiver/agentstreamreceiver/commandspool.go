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
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/source/spool"
	"github.com/tailspan/tailspan/telemetry"
)

// commandSpools is the folder of a command's spools, with what an earlier process left in it. The zero value is no folder:
// spools then lie among the temporary files, and nobody reads on what is left of them.
type commandSpools struct {
	dir    string
	left   []string
	unlock func() error
}

// openSpools keeps the folder of a command for this process. The folder is the same after a restart, and no other
// command's: key tells the command's words and folder, and the nth with that key has one of its own.
func (r *agentStream) openSpools(program, key string, nth int) (commandSpools, error) {
	if r.spoolDir == "" {
		return commandSpools{}, nil
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s", r.id, nth, key))
	dir := filepath.Join(r.spoolDir, program+"-"+hex.EncodeToString(sum[:4]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return commandSpools{}, fmt.Errorf("spool_directory: %w", err)
	}
	unlock, err := spool.Lock(dir)
	if err != nil {
		return commandSpools{}, fmt.Errorf("spool_directory: %w", err)
	}
	left, err := spool.Left(dir)
	if err != nil {
		return commandSpools{}, errors.Join(fmt.Errorf("spool_directory: %w", err), unlock())
	}
	return commandSpools{dir: dir, left: left, unlock: unlock}, nil
}

// close gives the folder back.
func (s *commandSpools) close() error {
	if s.unlock == nil {
		return nil
	}
	return s.unlock()
}

// readOn hands on what earlier runs of the command left in their spools, one after the other, until ctx ends.
func (c *command) readOn(ctx context.Context) {
	for _, path := range c.spools.left {
		if !c.released(ctx, path) {
			return
		}
		s, err := spool.Open(path)
		if err != nil {
			c.receiver.logger.Error("spool of an earlier process can't be read, it stays where it is", zap.String("path", path), zap.Error(err))
			continue
		}
		c.receiver.logger.Info("spool of an earlier process is read on", zap.String("program", c.program), zap.String("path", path))
		c.settle(ctx, s, s, c.handOnLeft(ctx, s))
	}
}

// released waits until nobody writes to a spool that was left: a command outlives a collector that is killed. False: ctx
// ended before.
func (c *command) released(ctx context.Context, path string) bool {
	told := false
	for spool.InUse(path) {
		if !told {
			c.receiver.logger.Info("a command of an earlier process is still at work; its spool is read when it has ended",
				zap.String("program", c.program), zap.String("path", path))
			told = true
		}
		timer := time.NewTimer(c.receiver.config.Stream.PollInterval)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return false
		}
	}
	return true
}

// handOnLeft has consumers accept what a spool holds that was left, and how its command ended, if that was seen.
func (c *command) handOnLeft(ctx context.Context, s *spool.Spool) error {
	r := c.receiver
	kept := r.positionOf(ctx, s)
	origin := c.origin
	origin.awaitExit = kept.Exit != nil
	st, err := r.newStream(source.Stream{ID: commandStream(s), Path: c.program, Name: c.program, ModTime: modTime(s.Path()), State: kept.State}, origin)
	if err != nil {
		return err
	}
	stream := r.newSpooled(st, s)
	stream.left, stream.replayed, stream.exit, stream.store = true, kept.Position, kept.Exit, r.storage
	if err := source.Follow(ctx, s.Tail(), stream, r.followSettings()); err != nil {
		return errors.Join(err, stream.abandon())
	}
	if kept.Exit == nil {
		return stream.ended(ctx, telemetry.CloseReasonNoResult)
	}
	defer stream.leave()
	return stream.exited(ctx, kept.Exit)
}

// settle closes whatever holds a spool. One that was not accepted whole, as err tells, is kept; of another it is forgotten
// how far it was read.
func (c *command) settle(ctx context.Context, s *spool.Spool, holder io.Closer, err error) {
	switch {
	case err != nil:
		c.keep(ctx, s, err)
	case c.spools.dir != "":
		c.receiver.forgetPosition(ctx, s)
	}
	if err := holder.Close(); err != nil {
		c.receiver.logger.Warn("spool of a command not removed", zap.String("program", c.program), zap.Error(err))
	}
}

// keep leaves a spool that was not accepted whole where it is.
func (c *command) keep(ctx context.Context, s *spool.Spool, err error) {
	r := c.receiver
	s.Keep()
	r.gaveUp(ctx, err)
	then := "nobody reads it on: set spool_directory to have the next start do so"
	if c.spools.dir != "" {
		then = "the next start reads it on"
	}
	r.logger.Error("not all of a command's output was accepted, it is left in its spool",
		zap.String("program", c.program), zap.String("path", s.Path()), zap.String("then", then), zap.Error(err))
}

// commandStream is the id of the stream in a spool; a spool's name never comes again, so no run is taken for another.
func commandStream(s *spool.Spool) string { return "process/" + s.Name() }
