package main

import (
	"context"
	"sync"
	"time"

	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/receiver/agentstreamreceiver/fold"
	"github.com/tailspan/tailspan/redact"
)

// reader is a stream's parser, with redaction behind it where that is on.
type reader struct {
	*parser.Source
	redactor *redact.Redactor // nil: secrets stay
	clean    *redact.Source
	last     time.Time // when the last line came; zero if the parser was asked since
}

// newReader puts redaction behind src if on. Pieces of texts are joined before, since a secret can lie across two.
func newReader(src *parser.Source, on bool) (*reader, error) {
	if !on {
		return &reader{Source: src}, nil
	}
	redactor, err := redact.NewRedactor(redact.Settings{})
	if err != nil {
		return nil, err
	}
	return &reader{Source: src, redactor: redactor, clean: redact.New(redact.NewJoiner(src, redact.JoinSettings{}), redactor)}, nil
}

// ParseEvents takes the next line.
func (r *reader) ParseEvents(line []byte) []events.DisplayEvent {
	r.last = time.Now()
	if r.clean == nil {
		return r.Source.ParseEvents(line)
	}
	return r.clean.ParseEvents(line)
}

// Flush returns what is pending at the end of the stream.
func (r *reader) Flush() []events.DisplayEvent {
	if r.clean == nil {
		return r.Source.Flush()
	}
	return r.clean.Flush()
}

// Raw gives the lines of no known provider that the last call passed on.
func (r *reader) Raw() [][]byte {
	raw := r.Source.Raw()
	if r.redactor != nil {
		for i := range raw {
			raw[i] = r.redactor.Bytes(raw[i])
		}
	}
	return raw
}

// Stats are the parser's counts.
func (r *reader) Stats() parser.Stats {
	stats := r.Source.Stats()
	if r.redactor != nil {
		stats.UnknownTypes = r.redactor.Keys(stats.UnknownTypes)
	}
	return stats
}

// tick calls emit with what becomes due because nothing comes, with mu held, until stop is called: texts that wait for
// their end, an end that may yet be revoked, lines of no detected format. It does nothing for a file.
func (r *reader) tick(name string, mu *sync.Mutex, emit func([]events.DisplayEvent, [][]byte)) (stop func()) {
	if name != stdinName {
		return func() {}
	}
	return ticking(mu, func() {
		if r.clean != nil {
			if due := r.clean.Tick(); len(due) > 0 {
				emit(due, nil)
			}
		}
		if r.last.IsZero() || time.Since(r.last) < quietAfter {
			return
		}
		r.last = time.Time{}
		due := r.Quiet()
		if r.redactor != nil {
			for i := range due {
				r.redactor.Event(&due[i])
			}
		}
		emit(due, r.Raw())
	})
}

// ticking calls f twice a quiet time, with mu held, until stop is called: who reads live must not wait for the end of a
// text.
func ticking(mu *sync.Mutex, f func()) (stop func()) {
	return repeat(context.Background(), redact.DefaultQuiet/2, func(context.Context, time.Time) error {
		mu.Lock()
		defer mu.Unlock()
		f()
		return nil
	})
}

// repeat is [fold.Repeat] in a goroutine of its own, until it ends or the function that it gives is called, which waits for
// the goroutine.
func repeat(ctx context.Context, every time.Duration, do func(ctx context.Context, now time.Time) error) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var repeating sync.WaitGroup
	repeating.Go(func() {
		fold.Repeat(ctx, every, func(now time.Time) error { return do(ctx, now) })
	})
	return func() {
		cancel()
		repeating.Wait()
	}
}
