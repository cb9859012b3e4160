package tail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tailspan/tailspan/internal/files/fingerprint"
	"github.com/tailspan/tailspan/internal/files/lines"
	"github.com/tailspan/tailspan/internal/retry"
	"github.com/tailspan/tailspan/spool"
)

// Input is a byte stream that arrives over time, such as the output of a process or a pipe; package spool has one. It is for
// use by one goroutine.
type Input interface {
	// Read returns what is available: 0 and no error if that is nothing yet, and [io.EOF] at the end of the input.
	// [spool.ErrRewritten] means that the bytes start again at offset 0; any other error ends Follow.
	Read(p []byte) (int, error)
	// Wait returns when Read may return more, or with the error of ctx when ctx ends.
	Wait(ctx context.Context) error
	// Arrival returns when the byte at offset arrived, or zero if that is unknown.
	Arrival(offset int64) time.Time
}

// followBytes is the default size of a batch: what is read at once, which an input keeps for as long as it is open.
const followBytes = 256 << 10

// Follow delivers the lines of in to c until in or ctx ends. It returns nil only if in ended and all lines were acknowledged.
// Lines end as in files, and the bytes after the last newline of an ended input are a line too. The caller closes c, because
// it knows how the input ended.
//
// Follow uses the settings for lines, batches and retries.
func Follow(ctx context.Context, in Input, c Consumer, s Settings) error {
	s.BatchBytes = cmp.Or(s.BatchBytes, followBytes)
	s = s.WithDefaults()
	f := &follower{
		input: in, consumer: c, settings: s,
		splitter: lines.NewSplitter(lines.NewPool(s.BatchBytes+fingerprint.TailSize, s.MaxLineSize), s.MaxLineSize), lines: make([]Line, 0, s.BatchLines),
	}
	f.splitter.Reset(0, 0)
	return f.run(ctx)
}

// follower is one call of Follow.
type follower struct {
	input       Input
	consumer    Consumer
	settings    Settings
	splitter    *lines.Splitter
	lines       []Line
	idlePending bool
}

func (f *follower) run(ctx context.Context) error {
	for {
		n, err := f.input.Read(f.splitter.Room())
		f.splitter.Wrote(n)
		if offered := f.split(ctx); offered != nil {
			return offered
		}
		switch {
		case errors.Is(err, io.EOF):
			return f.end(ctx)
		case errors.Is(err, spool.ErrRewritten):
			f.settings.Observer.Failed("", err, 0)
			f.splitter.Reset(0, 0)
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

// split delivers the complete lines that were read.
func (f *follower) split(ctx context.Context) error {
	for {
		line, kind := f.splitter.Next()
		switch kind {
		case lines.TokenNone:
			return f.offer(ctx)
		case lines.TokenTooLong:
			f.settings.Observer.Skipped("", SkipReasonTooLong, line.Next-line.Offset-1)
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
	line.Arrival = f.input.Arrival(line.Offset)
	f.lines = append(f.lines, line)
}

// wait calls Idle, since all input was read, and waits for more. A last line that is one complete object does not wait for its
// newline forever.
func (f *follower) wait(ctx context.Context) error {
	if f.idlePending {
		if err := f.retry(ctx, f.consumer.Idle); err != nil {
			return err
		}
		f.idlePending = false
	}
	if f.settings.IdleFlush < 0 || !lines.CompleteObject(f.splitter.Unfinished()) {
		return f.input.Wait(ctx)
	}
	timed, cancel := context.WithTimeout(ctx, f.settings.IdleFlush)
	defer cancel()
	if err := f.input.Wait(timed); err == nil || ctx.Err() != nil {
		return err
	}
	f.add(f.splitter.Take())
	return f.offer(ctx)
}

// end delivers what follows the last newline.
func (f *follower) end(ctx context.Context) error {
	switch {
	case len(f.splitter.Unfinished()) > 0:
		f.add(f.splitter.Take())
		if err := f.offer(ctx); err != nil {
			return err
		}
	case f.splitter.Pending() > 0:
		f.settings.Observer.Skipped("", SkipReasonTooLong, f.splitter.Pending())
		if line := f.splitter.TakeLong(); line.Data != nil {
			f.add(line)
			if err := f.offer(ctx); err != nil {
				return err
			}
		}
	}
	if !f.idlePending {
		return nil
	}
	return f.retry(ctx, f.consumer.Idle)
}

// offer delivers the collected lines.
func (f *follower) offer(ctx context.Context) error {
	if len(f.lines) == 0 {
		return nil
	}
	err := f.retry(ctx, func(ctx context.Context) error { return f.consumer.Lines(ctx, f.lines) })
	if err != nil {
		return err
	}
	last := &f.lines[len(f.lines)-1]
	f.settings.Observer.Read("", len(f.lines), last.Next-f.lines[0].Offset)
	f.lines, f.idlePending = f.lines[:0], true
	return nil
}

// retry repeats call until it succeeds or ctx ends.
func (f *follower) retry(ctx context.Context, call func(context.Context) error) error {
	var tries retry.Tries
	for {
		err := call(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("deliver lines: %w", err)
		}
		wait := tries.Next(f.settings.RetryInterval, f.settings.MaxRetryInterval)
		f.settings.Observer.Refused("", err, wait)
		if !retry.Wait(ctx, wait) {
			return fmt.Errorf("deliver lines: %w", err)
		}
	}
}
