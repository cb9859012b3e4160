package agentstreamreceiver

import (
	"context"
	"fmt"

	"github.com/tailspan/tailspan/source"
	"github.com/tailspan/tailspan/telemetry"
)

// Close ends the fold for the reason that the source gives.
func (s *stream) Close(ctx context.Context, reason source.CloseReason) error {
	ctx, cancel := s.receiver.finalContext(ctx, reason)
	defer cancel()
	s.receiver.streams.remove(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	if reason == source.CloseReasonShutdown && s.receiver.storage != nil && s.lasting {
		return s.suspend(ctx)
	}
	s.awake()
	if reason != source.CloseReasonIdle { // else they come again, if the file goes on
		s.framing.end(s)
	}
	s.did(timedFlush)
	s.flush()
	s.fold.Close(closeReason(reason))
	s.closed, s.idled = true, reason == source.CloseReasonIdle
	if err := s.handOn(ctx); err != nil {
		s.receiver.meter.lost(lostBy(reason), s.pending)
		return fmt.Errorf("deliver last spans of %q: %w", s.source.path, err)
	}
	return nil
}

func lostBy(reason source.CloseReason) string {
	if reason == source.CloseReasonShutdown {
		return dropShutdown
	}
	return dropGone
}

// flush takes what an ended stream still owes.
func (s *stream) flush() {
	s.fold.Flush()
	if !s.fold.Resting() {
		s.count()
	}
}

// exited ends the fold as the process has ended that wrote the stream.
func (s *stream) exited(ctx context.Context, e *telemetry.Exit) error {
	return s.finish(ctx, func() { s.fold.Exited(*e) })
}

// finish takes what the ended stream still owes, and ends the fold by end.
func (s *stream) finish(ctx context.Context, end func()) error {
	s.receiver.streams.remove(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awake()
	s.framing.end(s)
	s.flush()
	end()
	s.closed = true
	if err := s.handOn(ctx); err != nil {
		return fmt.Errorf("deliver last spans of %q: %w", s.source.path, err)
	}
	return nil
}

// suspend ends the fold and leaves open what is open, for the next process. What lines gave that were not accepted is
// left out: those lines come again.
func (s *stream) suspend(ctx context.Context) error {
	var err error
	if !s.refused {
		err = s.handOn(ctx)
	}
	s.suspended = true
	s.fold.Suspend()
	if err != nil {
		return fmt.Errorf("deliver last spans of %q: %w", s.source.path, err)
	}
	return nil
}

// closeReason says why spans end that are open when a file does.
func closeReason(reason source.CloseReason) telemetry.CloseReason {
	switch reason {
	case source.CloseReasonEnd:
		return telemetry.CloseReasonNoResult
	case source.CloseReasonIdle:
		return telemetry.CloseReasonTimeout
	case source.CloseReasonShutdown:
		return telemetry.CloseReasonShutdown
	default:
		return telemetry.CloseReasonTruncated
	}
}
