package agentstreamreceiver

// Exports for tests that need what no consumer sees: streams that are fed by hand, to be suspended and ticked at chosen lines,
// and the state of the streams of a running receiver.

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/receiver"

	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/internal/spooled"
	"github.com/tailspan/tailspan/tail"
)

// Inside is a receiver whose streams can be fed by hand.
type Inside struct{ *agentStream }

// NewInside returns a receiver that is not started.
func NewInside(set receiver.Settings, cfg *Config, traces consumer.Traces, logs consumer.Logs) (*Inside, error) {
	r, err := newAgentStream(set, cfg)
	if err != nil {
		return nil, err
	}
	r.out.Traces, r.out.Logs, r.onShutdown = traces, logs, func() {}
	return &Inside{r}, nil
}

// End ends a receiver that was not started.
func (r *Inside) End() { r.meter.Shutdown() }

// OpenSpooled opens a stream like that of a spool.
func (r *Inside) OpenSpooled(s tail.Stream, provider string) (*Stream, error) {
	st, err := r.newStream(s, spooled.Origin{Provider: provider}, 0)
	return &Stream{st}, err
}

// Due returns how many streams a timer may change.
func (r *Inside) Due() int { return len(r.streams.list()) }

// TickUntilHalted calls the timer of the only stream in the background until the shutdown halts it. It returns once that call
// has begun; done receives its result.
func (r *Inside) TickUntilHalted(ctx context.Context, done func(error)) {
	work, halt := context.WithCancel(ctx)
	halted := r.halt
	r.halt = func() { halt(); halted() }
	s := r.streams.list()[0]
	begun := make(chan struct{})
	r.background.Go(func() {
		close(begun)
		done(s.tick(work, work))
	})
	<-begun
}

// OnFinal replaces the deadline for closing all files.
func (r *Inside) OnFinal(f func() time.Time) { r.final = f }

// AllSuspended reports whether there are that many streams and all are suspended. It allocates nothing that stays.
func (r *Inside) AllSuspended(files int) bool {
	r.streams.mu.Lock()
	defer r.streams.mu.Unlock()
	for s := range r.streams.all {
		s.mu.Lock()
		suspended := s.pipeline.Suspended()
		s.mu.Unlock()
		if !suspended {
			return false
		}
	}
	return len(r.streams.all) == files
}

// Stream is a stream whose timer is called by hand.
type Stream struct{ *stream }

// StreamOf returns the stream in a consumer of a receiver.
func StreamOf(c tail.Consumer) *Stream { return &Stream{c.(*stream)} }

// Quieten lets the quiet time of the stream pass.
func (s *Stream) Quieten() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.activity.moved = time.Time{}
}

// Tick calls the timer of the stream.
func (s *Stream) Tick(ctx context.Context) error { return s.tick(ctx, ctx) }
