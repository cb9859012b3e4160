package agentstreamreceiver

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/spool"
	"github.com/tailspan/tailspan/tail"
)

// spooled is a stream that is read from a spool.
type spooled struct {
	*stream
	spool    *spool.Spool
	left     bool           // a previous process wrote it
	replayed int64          // a previous process delivered the lines before this offset
	exit     *outcome.Exit  // of the command that wrote it, once known
	store    storage.Client // stores the offset; nil: it is not stored
	accepted atomic.Int64
}

// newSpooled also registers the stream for the lag metric, until leave.
func (r *agentStream) newSpooled(st *stream, s *spool.Spool) *spooled {
	c := &spooled{stream: st, spool: s}
	r.spools.Store(c, struct{}{})
	return c
}

// Lines exports the lines after the stored offset, and replays those before.
func (c *spooled) Lines(ctx context.Context, lines []tail.Line) error {
	done := 0
	for done < len(lines) && lines[done].Offset < c.replayed {
		lines[done].Replayed = true
		done++
	}
	if c.left { // the arrival of its lines is unknown
		for i := range lines {
			lines[i].Live = false
		}
	}
	for _, part := range [][]tail.Line{lines[:done], lines[done:]} {
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

// lag records the bytes that are not acknowledged.
func (c *spooled) lag() {
	provider, _ := c.provider.Load().(string)
	c.receiver.meter.behind(c.source.id, provider, max(0, c.spool.Size()-c.accepted.Load()))
}

// ended closes the stream for a reason.
func (c *spooled) ended(ctx context.Context, reason otlp.CloseReason) error {
	defer c.leave()
	return c.finish(ctx, func() { c.pipeline.Close(reason) })
}

// abandon ends the reading of a stream whose delivery failed.
func (c *spooled) abandon() error {
	defer c.leave()
	c.receiver.streams.remove(c.stream)
	return nil
}

// deliveryFailed reports that a spool was not read to its end, unless the receiver stops.
func (r *agentStream) deliveryFailed(ctx context.Context, err error) {
	if ctx.Err() == nil {
		r.health.permanent(err)
	}
}

// leave removes the stream from the lag metric.
func (c *spooled) leave() {
	c.receiver.spools.Delete(c)
	provider, _ := c.provider.Load().(string)
	c.receiver.meter.behind(c.source.id, provider, 0)
}

// spoolState is the stored offset of a spool.
type spoolState struct {
	Version  int             `json:"version"`
	Position int64           `json:"position"`
	State    json.RawMessage `json:"state,omitempty"`
	// Exit is how the command ended, without its standard error.
	Exit *outcome.Exit `json:"exit,omitempty"`
}

// spoolVersion is the version of spoolState.
const spoolVersion = 1

func spoolKey(s *spool.Spool) string { return "spool/" + s.Name() }

// save stores the offset. If that fails, a restart exports lines again, with the same ids.
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

// keepExit stores how the command ended, for the process that resumes its spool. Its standard error is not stored.
func (c *spooled) keepExit(ctx context.Context, e *outcome.Exit) {
	exit := *e
	exit.Stderr = ""
	c.exit = &exit
	c.save(context.WithoutCancel(ctx))
}

// positionOf reads the stored state of a spool; the zero value if there is none or it is not readable.
func (r *agentStream) positionOf(ctx context.Context, s *spool.Spool) (kept spoolState) {
	if r.storage == nil {
		return kept
	}
	value, err := r.storage.Get(ctx, spoolKey(s))
	if err == nil && value != nil {
		if err = json.Unmarshal(value, &kept); err == nil && kept.Version > spoolVersion {
			err = tail.ErrNewer
		}
	}
	if err != nil {
		r.observer().Unusable(spoolKey(s), err)
		r.logger.Error("stored offset of a spool is unusable, reading it from its beginning", zap.String("path", s.Path()), zap.Error(err))
		return spoolState{}
	}
	return kept
}

// forgetPosition deletes the stored state of a spool that was acknowledged whole.
func (r *agentStream) forgetPosition(ctx context.Context, s *spool.Spool) {
	if r.storage == nil {
		return
	}
	if err := r.storage.Delete(context.WithoutCancel(ctx), spoolKey(s)); err != nil {
		r.logger.Warn("offset of a spool was not removed from storage", zap.String("path", s.Path()), zap.Error(err))
	}
}
