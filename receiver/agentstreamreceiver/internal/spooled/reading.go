package spooled

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/spool"
	"github.com/tailspan/tailspan/tail"
)

// reading is one spool on its way to the consumers.
type reading struct {
	Stream
	input    *input
	spool    *spool.Spool
	id       string
	left     bool     // a previous process wrote the spool
	kept     position // stored by a previous process
	accepted atomic.Int64
	covered  atomic.Int64 // the last position that was stored, or failed to be

	storing sync.Mutex    // held while the position is written
	amended atomic.Int64  // how often its state was amended
	exit    *outcome.Exit // of the command, once known; guarded by storing
}

// open opens the stream of a spool. A spool that a previous process left is read from its stored position.
func (in *input) open(ctx context.Context, s *spool.Spool, left bool) (*reading, error) {
	r := &reading{input: in, spool: s, id: in.kind + "/" + s.Name(), left: left} // spool names are unique
	stream := tail.Stream{ID: r.id, Path: in.path, Name: filepath.Base(in.path)}
	if in.stores() {
		stream.Checkpoint = r
	}
	origin := in.origin
	if left {
		r.kept = in.positionOf(context.WithoutCancel(ctx), s) // even while the receiver stops, or it would seem to be at its beginning
		stream.ModTime, stream.State = modTime(s.Path()), r.kept.State
		r.exit = r.kept.Exit
		origin.AwaitExit = r.exit != nil
	}
	var err error
	if r.Stream, err = in.settings.Open(stream, origin); err != nil {
		return nil, err
	}
	in.readings.Store(r, struct{}{})
	return r, nil
}

func modTime(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// Lines delivers the lines after the stored position to the consumers, and replays those before it.
func (r *reading) Lines(ctx context.Context, lines []tail.Line) error {
	done := 0
	for done < len(lines) && lines[done].Offset < r.kept.Position {
		lines[done].Replayed = true
		done++
	}
	if r.left { // the arrival of its lines is unknown
		for i := range lines {
			lines[i].Live = false
		}
	}
	for _, part := range [][]tail.Line{lines[:done], lines[done:]} {
		if len(part) == 0 {
			continue
		}
		if err := r.Stream.Lines(ctx, part); err != nil {
			return err
		}
		r.accepted.Store(part[len(part)-1].Next)
	}
	if done < len(lines) {
		r.save(ctx)
	}
	return nil
}

// deliver delivers the whole spool to the consumers and then calls end. It fails if ctx ends first, or if the spool is not
// readable.
func (r *reading) deliver(ctx context.Context, t *spool.Tail, end func() error) error {
	defer r.leave()
	if err := tail.Follow(ctx, t, r, r.input.settings.Follow); err != nil {
		r.save(context.WithoutCancel(ctx)) // what a timer sent after the last lines
		r.Abandon()
		return err
	}
	return end()
}

// measureLag records the unacknowledged bytes.
func (r *reading) measureLag() {
	r.input.settings.Meter.Behind(r.id, r.Provider(), max(0, r.spool.Size()-r.accepted.Load()))
}

// leave removes the spool from the lag metric.
func (r *reading) leave() {
	r.input.readings.Delete(r)
	r.input.settings.Meter.Behind(r.id, r.Provider(), 0)
}

// settle closes the holder of a spool. With an error, the spool was not acknowledged completely and is kept; without one, its
// stored position is deleted.
func (in *input) settle(ctx context.Context, s *spool.Spool, holder io.Closer, err error) {
	if err == nil {
		in.deletePosition(ctx, s)
	} else {
		s.Keep()
		if ctx.Err() == nil { // otherwise the receiver stops
			in.settings.Health.Permanent(err)
		}
		then := "set spool::directory so that the next start resumes it"
		if in.folder.lasting() {
			then = "the next start resumes it"
		}
		in.settings.Logger.Error("input not fully delivered, keeping its spool",
			in.name, zap.String("path", s.Path()), zap.String("then", then), zap.Error(err))
	}
	if err := holder.Close(); err != nil {
		in.settings.Logger.Warn("spool was not removed", in.name, zap.Error(err))
	}
}
