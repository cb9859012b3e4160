package agentstreamreceiver

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/source/spool"
	"github.com/tailspan/tailspan/telemetry"
)

// spooled is a stream whose lines come out of a spool.
type spooled struct {
	*stream
	spool    *spool.Spool
	left     bool            // an earlier process wrote it
	replayed int64           // the lines before this position were accepted by an earlier process
	exit     *telemetry.Exit // how the command ended whose output it is, once that is known
	store    storage.Client  // keeps the position; nil: nothing does
	accepted atomic.Int64
}

// newSpooled makes one, whose lag is told until it ends.
func (r *agentStream) newSpooled(st *stream, s *spool.Spool) *spooled {
	c := &spooled{stream: st, spool: s}
	r.spools.Store(c, struct{}{})
	return c
}

// Lines hands on what no earlier process has, and takes in the rest silently.
func (c *spooled) Lines(ctx context.Context, lines []source.Line) error {
	done := 0
	for done < len(lines) && lines[done].Offset < c.replayed {
		lines[done].Replayed = true
		done++
	}
	if c.left { // when its lines came is not known any more
		for i := range lines {
			lines[i].Live = false
		}
	}
	for _, part := range [][]source.Line{lines[:done], lines[done:]} {
		if len(part) == 0 {
			continue
		}
		if err := c.stream.Lines(ctx, part); err != nil {
			return err
		}
		c.accepted.Store(part[len(part)-1].Next)
	}
	if done < len(lines) {
		c.save(ctx)
	}
	return nil
}

// lag tells how far behind the reading is.
func (c *spooled) lag() {
	provider, _ := c.provider.Load().(string)
	c.receiver.meter.behind(c.source.id, provider, max(0, c.spool.Size()-c.accepted.Load()))
}

// ended closes the stream as its writer has gone, for the reason.
func (c *spooled) ended(ctx context.Context, reason telemetry.CloseReason) error {
	defer c.leave()
	return c.finish(ctx, func() { c.fold.Close(reason) })
}

// abandon ends the reading of a stream that consumers did not take.
func (c *spooled) abandon() error {
	defer c.leave()
	c.receiver.streams.remove(c.stream)
	return nil
}

// gaveUp takes in that a spool was not read to its end. Unless we were told to stop, that is for good.
func (r *agentStream) gaveUp(ctx context.Context, err error) {
	if ctx.Err() == nil {
		r.health.permanent(err)
	}
}

// leave tells that there is no lag any more.
func (c *spooled) leave() {
	c.receiver.spools.Delete(c)
	provider, _ := c.provider.Load().(string)
	c.receiver.meter.behind(c.source.id, provider, 0)
}

// spoolState is the position in a spool, as it is stored.
type spoolState struct {
	Version  int             `json:"version"`
	Position int64           `json:"position"`
	State    json.RawMessage `json:"state,omitempty"`
	// Exit is how the command ended that wrote it, without what it said.
	Exit *telemetry.Exit `json:"exit,omitempty"`
}

// spoolVersion is the version of spoolState.
const spoolVersion = 1

func spoolKey(s *spool.Spool) string { return "spool/" + s.Name() }

// save keeps the position. One that can't be kept costs that lines come twice after a restart, with the same ids.
func (c *spooled) save(ctx context.Context) {
	if c.store == nil {
		return
	}
	state, _ := c.State()
	value, err := json.Marshal(spoolState{spoolVersion, c.accepted.Load(), state, c.exit})
	if err == nil {
		err = c.store.Set(ctx, spoolKey(c.spool), value)
	}
	observer := c.receiver.observer()
	if err != nil {
		observer.Unsaved(c.spool.Path(), fmt.Errorf("write position of spool: %w", err))
		return
	}
	observer.Saved()
}

// keepExit keeps how the command ended, for the process that reads its spool on. What it wrote to standard error is not
// put into a storage.
func (c *spooled) keepExit(ctx context.Context, e *telemetry.Exit) {
	exit := *e
	exit.Stderr = ""
	c.exit = &exit
	c.save(context.WithoutCancel(ctx))
}

// positionOf gives what is kept of a spool that was left; nothing if that can't be had.
func (r *agentStream) positionOf(ctx context.Context, s *spool.Spool) (kept spoolState) {
	if r.storage == nil {
		return kept
	}
	value, err := r.storage.Get(ctx, spoolKey(s))
	if err == nil && value != nil {
		if err = json.Unmarshal(value, &kept); err == nil && kept.Version > spoolVersion {
			err = source.ErrNewer
		}
	}
	if err != nil {
		r.observer().Unusable(spoolKey(s), err)
		r.logger.Error("position in a spool can't be read, it is read from its beginning", zap.String("path", s.Path()), zap.Error(err))
		return spoolState{}
	}
	return kept
}

// forgetPosition removes what is kept of a spool whose lines were all accepted.
func (r *agentStream) forgetPosition(ctx context.Context, s *spool.Spool) {
	if r.storage == nil {
		return
	}
	if err := r.storage.Delete(context.WithoutCancel(ctx), spoolKey(s)); err != nil {
		r.logger.Warn("position in a spool not removed from storage", zap.String("path", s.Path()), zap.Error(err))
	}
}
