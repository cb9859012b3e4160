package agentstreamreceiver

import (
	"context"
	"fmt"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/meter"
	"github.com/tailspan/tailspan/session/outcome"
	"github.com/tailspan/tailspan/tail"
	"github.com/tailspan/tailspan/telemetry"
)

// Close ends the stream for a reason of the source.
func (s *stream) Close(ctx context.Context, reason tail.CloseReason) error {
	ctx, cancel := s.receiver.finalContext(ctx, reason)
	defer cancel()
	s.receiver.streams.remove(s)
	s.lock()
	defer s.mu.Unlock()
	if reason == tail.CloseReasonShutdown && s.receiver.storage != nil && s.source.lasting {
		return s.detach(ctx)
	}
	s.endReplay()
	if reason != tail.CloseReasonIdle { // otherwise the parts are replayed if the file grows
		s.endLines()
	}
	split := reason == tail.CloseReasonIdle && s.pipeline.Holding()
	if !s.pipeline.Suspended() { // otherwise nothing is pending
		s.kept.steps.record(s, timedFlush)
	}
	if split && s.kept.steps.Unacknowledged > 0 && len(s.pipeline.Undelivered()) == 0 {
		s.storeAhead(ctx, s.kept.steps.into)
	}
	s.flush()
	s.pipeline.Close(closeReason(reason))
	s.phase = phaseClosed
	if reason == tail.CloseReasonIdle {
		s.phase = phaseIdle
	}
	if reason == tail.CloseReasonShutdown {
		return s.deliverTo(func(out *telemetry.Output) error {
			s.receiver.last.Add(ctx, out)
			return nil
		})
	}
	if err := s.deliver(ctx, ctx); err != nil {
		s.receiver.meter.Lost(meter.DropGone, s.pipeline.Undelivered())
		return fmt.Errorf("deliver last spans of %q: %w", s.source.path, err)
	}
	return nil
}

// flush applies what is pending in the parser at the end of a stream.
func (s *stream) flush() {
	s.pipeline.Flush()
	if !s.pipeline.Suspended() {
		s.counted.lines(s)
	}
}

// endLines processes the parts of lines whose end is missing.
func (s *stream) endLines() {
	for line := range s.framing.Rest() {
		s.line(line)
	}
}

// Exited ends the stream with the exit of the process that wrote it.
func (s *stream) Exited(ctx context.Context, e *outcome.Exit) error {
	return s.finish(ctx, func() { s.pipeline.Exited(*e) })
}

// End ends the stream for a reason of its writer.
func (s *stream) End(ctx context.Context, reason otlp.CloseReason) error {
	return s.finish(ctx, func() { s.pipeline.Close(reason) })
}

// Abandon releases a stream whose output was not acknowledged. It closes nothing.
func (s *stream) Abandon() { s.receiver.streams.remove(s) }

// finish applies what is pending in the parser and calls end.
func (s *stream) finish(ctx context.Context, end func()) error {
	s.receiver.streams.remove(s)
	s.lock()
	defer s.mu.Unlock()
	s.endReplay()
	s.endLines()
	s.flush()
	end()
	s.phase = phaseClosed
	if err := s.deliver(ctx, ctx); err != nil {
		return fmt.Errorf("deliver last spans of %q: %w", s.source.path, err)
	}
	return nil
}

// detach stops the stream without closing its spans, which the next process closes. It drops output of unacknowledged lines,
// because the next process reads those lines again.
func (s *stream) detach(ctx context.Context) error {
	var err error
	if !s.refused {
		err = s.deliver(ctx, ctx)
	}
	if s.kept.behind {
		s.keep() // now, because it does nothing once the stream is detached
	}
	s.phase = phaseDetached
	s.pipeline.Detach()
	if err != nil {
		return fmt.Errorf("deliver last spans of %q: %w", s.source.path, err)
	}
	return nil
}

// closeReason returns the close reason for spans that are open when a file ends.
func closeReason(reason tail.CloseReason) otlp.CloseReason {
	switch reason {
	case tail.CloseReasonEnd:
		return otlp.CloseReasonNoResult
	case tail.CloseReasonIdle:
		return otlp.CloseReasonTimeout
	case tail.CloseReasonShutdown:
		return otlp.CloseReasonShutdown
	default:
		return otlp.CloseReasonTruncated
	}
}
