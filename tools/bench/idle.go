package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/internal/transcripttest"
	"github.com/tailspan/tailspan/tools/program"
)

const (
	idleFiles   = 10_000
	idleFolders = 50
	// idleBytes is the minimum size of each file.
	idleBytes = 1300
)

// measureIdle measures collectors that have nothing to do: without files, and with many files.
func measureIdle(ctx context.Context, s Settings) error {
	d, err := idleSessions(ctx, s)
	if err != nil {
		return err
	}
	empty := filepath.Join(s.Out, "empty")
	if err := os.MkdirAll(empty, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	ours, peer := s.sides()
	fmt.Fprintf(s.Stdout, "\nidle, over %v: %d files in %d folders, start_at: end\n", s.Idle, d.Files, idleFolders)
	var nothing program.Usage
	for _, m := range []struct {
		what  string
		side  side
		dir   string
		files int
	}{
		{"agent_stream, no files", ours, empty, 0},
		{"agent_stream", ours, d.Dir, d.Files},
		{"file_log", peer, d.Dir, 0}, // it has no metric for known files
	} {
		ready, after, load, err := idle(ctx, s, m.side, m.dir, m.files)
		if err != nil {
			return err
		}
		if m.dir == empty {
			nothing = after
		}
		fmt.Fprintf(s.Stdout, "  %-22s up after %.2f CPU seconds, then %.3f %% of a core, %d MiB (%+d), peak %d MiB\n", m.what,
			ready.CPU.Seconds(), 100*load, after.RSS>>20, (after.RSS-nothing.RSS)>>20, after.PeakRSS>>20)
	}
	return nil
}

// idle starts a collector, waits until it knows a number of files, and measures what it does then.
func idle(ctx context.Context, s Settings, x side, dir string, files int) (ready, after program.Usage, load float64, err error) {
	c, err := startCollector(s, x, dir, "end")
	if err != nil {
		return ready, after, 0, err
	}
	defer func() { err = errors.Join(err, c.Stop(program.StopGrace)) }()
	if err := c.Await(ctx, fmt.Sprintf("%s to know %d files", x.name, files), s.Timeout, func(ctx context.Context) (bool, error) {
		known, err := program.Scrape(ctx, c.url, "otelcol_receiver_agent_stream_files_known")
		if err != nil || int(known) < files {
			return false, fmt.Errorf("%.0f known: %w", known, err)
		}
		ready, err = program.MeasureUsage(c.PID())
		return err == nil, err
	}); err != nil {
		return ready, after, 0, err
	}
	// Allow some seconds for the work after a start. Then send the collector nothing.
	if err := sleep(ctx, s.Idle/6); err != nil {
		return ready, after, 0, err
	}
	before, err := program.MeasureUsage(c.PID())
	if err != nil {
		return ready, after, 0, err
	}
	begun := time.Now()
	if err := sleep(ctx, s.Idle); err != nil {
		return ready, after, 0, err
	}
	after, err = program.MeasureUsage(c.PID())
	return ready, after, (after.CPU - before.CPU).Seconds() / time.Since(begun).Seconds(), err
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// idleSessions returns many short sessions.
func idleSessions(ctx context.Context, s Settings) (*dataset, error) {
	return prepareData(ctx, s, fmt.Sprintf("sessions-%d", idleFiles), func(ctx context.Context, d *dataset) error {
		for i := range idleFiles {
			if err := ctx.Err(); err != nil {
				return err
			}
			folder := fmt.Sprintf("p%02d", i%idleFolders)
			if err := os.MkdirAll(filepath.Join(d.Dir, folder), 0o755); err != nil {
				return fmt.Errorf("make data: %w", err)
			}
			if err := d.add(filepath.Join(folder, fmt.Sprintf("%d.jsonl", i)), func(f *countedFile) error {
				_, err := transcripttest.Write(f, uint64(i), idleBytes)
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	})
}
