package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tailspan/tailspan/source/spool"
)

// Tail is bytes that come as time goes by: the output of a process, a pipe (package spool has one). It serves one
// goroutine.
type Tail interface {
	// Read gives what is there: 0 and no error if that is nothing for now, [io.EOF] when nothing will come any more.
	// [spool.ErrRewritten] means that the bytes begin anew at offset 0; any other error ends the following.
	Read(p []byte) (int, error)
	// Wait returns when Read may give more, or with its error when ctx has ended.
	Wait(ctx context.Context) error
	// Arrival tells when the byte at offset came; zero if that is not known.
	Arrival(offset int64) time.Time
}

// Follow hands the lines of t to c until t ends or ctx does; it returns nil only in the first case, when all lines were
// accepted. Lines end as those of files do, and what an ended tail has behind its last newline is a line too. Closing
// c is the caller's, who knows how the tail came to its end.
//
// Of the settings those about lines, batches and retries count.
func Follow(ctx context.Context, t Tail, c Consumer, s Settings) error {
	s = s.withDefaults()
	f := &follower{
		tail: t, consumer: c, settings: s,
		splitter: newSplitter(newBuffers(s.BatchBytes+markSize, s.MaxLineSize), s.MaxLineSize), lines: make([]Line, 0, s.BatchLines),
	}
	f.splitter.reset(0, 0)
	return f.run(ctx)
}

// follower is one Follow at work.
type follower struct {
	tail     Tail
	consumer Consumer
	settings Settings
	splitter *splitter
	lines    []Line
	owesIdle bool
}

func (f *follower) run(ctx context.Context) error {
	for {
		n, err := f.tail.Read(f.splitter.room())
		f.splitter.wrote(n)
		if offered := f.split(ctx); offered != nil {
			return offered
		}
		switch {
		case errors.Is(err, io.EOF):
			return f.end(ctx)
		case errors.Is(err, spool.ErrRewritten):
			f.settings.Observer.failed("", err, 0)
			f.splitter.reset(0, 0)
		case err != nil:
			return err
		case n == 0:
			if err := f.wait(ctx); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// split hands over the whole lines that were read.
func (f *follower) split(ctx context.Context) error {
	for {
		line, kind := f.splitter.next()
		switch kind {
		case tokenNone:
			return f.offer(ctx)
		case tokenTooLong:
			f.settings.Observer.tooLong("", line.Next-line.Offset-1)
			if line.Data == nil {
				continue
			}
		}
		f.add(line)
		if len(f.lines) == cap(f.lines) {
			if err := f.offer(ctx); err != nil {
				return err
			}
		}
	}
}

func (f *follower) add(line Line) {
	line.Live = true
	line.Arrival = f.tail.Arrival(line.Offset)
	f.lines = append(f.lines, line)
}

// wait tells the consumer that all was read, and waits for more; a last line that is one complete object does not wait
// for its newline for ever.
func (f *follower) wait(ctx context.Context) error {
	if f.owesIdle {
		if err := f.insist(ctx, f.consumer.Idle); err != nil {
			return err
		}
		f.owesIdle = false
	}
	if f.settings.IdleFlush < 0 || !completeObject(f.splitter.rest()) {
		return f.tail.Wait(ctx)
	}
	timed, cancel := context.WithTimeout(ctx, f.settings.IdleFlush)
	defer cancel()
	if err := f.tail.Wait(timed); err == nil || ctx.Err() != nil {
		return err
	}
	f.add(f.splitter.take())
	return f.offer(ctx)
}

// end hands over what stands behind the last newline.
func (f *follower) end(ctx context.Context) error {
	switch {
	case len(f.splitter.rest()) > 0:
		f.add(f.splitter.take())
		if err := f.offer(ctx); err != nil {
			return err
		}
	case f.splitter.pending() > 0:
		f.settings.Observer.tooLong("", f.splitter.pending())
		if line := f.splitter.takeLong(); line.Data != nil {
			f.add(line)
			if err := f.offer(ctx); err != nil {
				return err
			}
		}
	}
	if !f.owesIdle {
		return nil
	}
	return f.insist(ctx, f.consumer.Idle)
}

// offer hands the lines over that were collected.
func (f *follower) offer(ctx context.Context) error {
	if len(f.lines) == 0 {
		return nil
	}
	err := f.insist(ctx, func(ctx context.Context) error { return f.consumer.Lines(ctx, f.lines) })
	if err != nil {
		return err
	}
	last := &f.lines[len(f.lines)-1]
	f.settings.Observer.read("", len(f.lines), last.Next-f.lines[0].Offset)
	f.lines, f.owesIdle = f.lines[:0], true
	return nil
}

// insist calls until it is accepted or ctx ends.
func (f *follower) insist(ctx context.Context, call func(context.Context) error) error {
	wait := f.settings.RetryInterval
	for {
		err := call(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("hand over lines: %w", err)
		}
		f.settings.Observer.refused("", err, wait)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("hand over lines: %w", err)
		case <-timer.C:
		}
		wait = min(2*wait, f.settings.MaxRetryInterval)
	}
}
