package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/ledger"
)

// Settings configure what is watched and where it is shown.
type Settings struct {
	// Files are globs of session files, Databases globs of OpenCode's databases.
	Files, Databases []string
	// Prices estimate costs that agents do not report.
	Prices ledger.Prices
	// Redactor removes secrets.
	Redactor *redact.Redactor
	// Version is the version of tailspan.
	Version string
	// Screen shows a screen on the terminal of Stdin and Stdout; otherwise lines are printed to Stdout.
	Screen bool
	Stdin  io.Reader
	Stdout io.Writer
	// Report shows a problem. It is not called while there is a screen.
	Report func(problem string)
}

// shutdownTime bounds the shutdown of the reader.
const shutdownTime = 2 * time.Second

// Watch shows the runs until the user quits or ctx ends.
func Watch(ctx context.Context, s Settings) (err error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	board := NewBoard(s.Prices)
	r, err := newReader(&s, board, fail)
	if err != nil {
		return fmt.Errorf("watch sessions: %w", err)
	}
	defer func() {
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
		defer cancel()
		err = errors.Join(err, r.shutdown(stopping))
	}()
	if err := r.start(ctx); err != nil {
		return fmt.Errorf("watch sessions: %w", err)
	}
	if s.Screen {
		err = showScreen(ctx, &s, board, r.unread)
	} else {
		err = printLines(ctx, s.Stdout, board)
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(err, cause)
	}
	return err
}

// frames is the maximum number of redraws per second.
const frames = 10

// pump calls send with the runs of a board after a change, at most once per frame, and when displayed times change. It returns
// when send fails or stopped is closed.
func pump(board *Board, stopped <-chan struct{}, send func([]Run) error) error {
	var runs []Run
	clock := time.NewTimer(0)
	defer clock.Stop()
	for {
		select {
		case <-stopped:
			return nil
		case <-board.Changed():
			runs = board.Runs()
		case <-clock.C:
		}
		if err := send(runs); err != nil {
			return err
		}
		clock.Reset(pace(runs))
		select {
		case <-stopped:
			return nil
		case <-time.After(time.Second / frames):
		}
	}
}

// pace returns the time until displayed times change: seconds of running runs, minutes of others.
func pace(runs []Run) time.Duration {
	if len(runs) > 0 && runs[0].AtWork {
		return time.Second
	}
	return 10 * time.Second
}
