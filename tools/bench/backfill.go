package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/internal/transcripttest"
	"github.com/tailspan/tailspan/tools/program"
)

const (
	backfillMB  = 487
	backfillEnd = 8600 // bytes that a session exceeds the requested size by, since it ends with a whole turn
	backfillAge = 20 * 24 * time.Hour
	// backfillQuiet is the quiet time after which everything counts as received: no timer of the receiver lasts longer.
	backfillQuiet = 20 * time.Second
	// maxRestartRead is how much a collector may read without reading sessions: its configuration and the storage's file.
	maxRestartRead = 4 << 20
)

// backfill is the measurement of a collector that reads old sessions.
type backfill struct {
	program.Usage
	wall  time.Duration // from the start of the process until every byte was delivered
	last  time.Duration // from then until the last span
	spans float64
	read  int64 // bytes that the process read, from any file
}

// measureBackfill starts a collector over old sessions, and then restarts it.
func measureBackfill(ctx context.Context, s Settings) (err error) {
	d, err := oldSessions(ctx, s)
	if err != nil {
		return err
	}
	store, err := os.MkdirTemp(s.Out, "store-")
	if err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(store)) }()
	fmt.Fprintf(s.Stdout, "\nbackfill: %d MB in %d files, changed %v ago\n", d.Bytes/megabyte, d.Files, backfillAge)
	first, err := readOld(ctx, s, d, store, d.Bytes)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "  first start  read in %.2f s, %.2f CPU seconds, peak %d MiB; %.0f spans, the last %.1f s after the reading\n",
		first.wall.Seconds(), first.CPU.Seconds(), first.PeakRSS>>20, first.spans, first.last.Seconds())
	again, err := readOld(ctx, s, d, store, 0)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Stdout, "  restart      %.2f CPU seconds, peak %d MiB; %.0f spans; %d KiB read of all files, storage and configuration included\n",
		again.CPU.Seconds(), again.PeakRSS>>20, again.spans, again.read>>10)
	if again.spans != 0 || again.read > maxRestartRead {
		return errors.New("a restart read finished sessions")
	}
	return compareOld(ctx, s, d)
}

// compareOld makes both sides read the old sessions in turn. Only ours stores offsets.
func compareOld(ctx context.Context, s Settings, d *dataset) error {
	ours, peer := s.sides()
	ours.config = filepath.Join(s.Config, "backfill.yaml")
	var wall, cpu []float64
	for pair := range s.Pairs {
		store, err := os.MkdirTemp(s.Out, "store-")
		if err != nil {
			return fmt.Errorf("make folder: %w", err)
		}
		a, err := read(ctx, s, ours, d, "BENCH_STORE="+store)
		if err := errors.Join(err, os.RemoveAll(store)); err != nil {
			return err
		}
		b, err := read(ctx, s, peer, d)
		if err != nil {
			return err
		}
		wall = append(wall, b.wall.Seconds()/a.wall.Seconds())
		cpu = append(cpu, b.CPU.Seconds()/a.CPU.Seconds())
		fmt.Fprintf(s.Stdout, "  %d: agent_stream %.2f s, %.2f CPU seconds | file_log %.2f s, %.2f CPU seconds | ratio %.2f, %.2f\n",
			pair+1, a.wall.Seconds(), a.CPU.Seconds(), b.wall.Seconds(), b.CPU.Seconds(), wall[pair], cpu[pair])
	}
	fmt.Fprintf(s.Stdout, "  time, ratio: %v; CPU seconds, ratio: %v\n", spreadOf(wall), spreadOf(cpu))
	return nil
}

// readOld starts a collector that must read a number of bytes, and watches it until nothing has arrived for backfillQuiet.
func readOld(ctx context.Context, s Settings, d *dataset, store string, bytes int) (r backfill, err error) {
	ours, _ := s.sides()
	ours.config = filepath.Join(s.Config, "backfill.yaml")
	start := time.Now()
	c, err := startCollector(s, ours, d.Dir, "beginning", "BENCH_STORE="+store)
	if err != nil {
		return r, err
	}
	if err := c.Await(ctx, "to read old sessions", s.Timeout, func(ctx context.Context) (bool, error) {
		known, err := program.Scrape(ctx, c.url, "otelcol_receiver_agent_stream_files_known")
		if err != nil || int(known) < d.Files {
			return false, fmt.Errorf("%.0f files known: %w", known, err)
		}
		got, err := program.Scrape(ctx, c.url, ours.counter)
		if err != nil || int(got) != bytes {
			return false, fmt.Errorf("%.0f bytes of %d: %w", got, bytes, err)
		}
		r.wall = time.Since(start)
		return true, nil
	}); err != nil {
		_ = c.Kill() // the error of the wait is more informative
		return r, err
	}
	if r.Usage, err = program.MeasureUsage(c.PID()); err == nil {
		err = r.watch(ctx, c)
	}
	if err != nil {
		_ = c.Kill()
		return r, err
	}
	return r, c.Stop(program.StopGrace)
}

// watch waits until no span has arrived for backfillQuiet.
func (r *backfill) watch(ctx context.Context, c *collector) error {
	read, last := time.Now(), time.Now()
	for time.Since(last) < backfillQuiet {
		spans, err := program.Scrape(ctx, c.url, "otelcol_receiver_accepted_spans")
		if err != nil && r.spans > 0 {
			return err
		}
		if spans > r.spans {
			r.spans, last = spans, time.Now()
			r.last = last.Sub(read)
		}
		if err := sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	used, err := program.MeasureUsage(c.PID())
	if err != nil {
		return err
	}
	r.PeakRSS = used.PeakRSS
	r.read, err = program.MeasureRead(c.PID())
	return err
}

// oldSessions returns sessions that were last written to long ago.
func oldSessions(ctx context.Context, s Settings) (*dataset, error) {
	d, err := prepareData(ctx, s, fmt.Sprintf("backfill-%dMB-%d", backfillMB, idleFiles), func(ctx context.Context, d *dataset) error {
		for i := range idleFiles {
			if err := ctx.Err(); err != nil {
				return err
			}
			folder := fmt.Sprintf("p%02d", i%idleFolders)
			if err := os.MkdirAll(filepath.Join(d.Dir, folder), 0o755); err != nil {
				return fmt.Errorf("make data: %w", err)
			}
			if err := d.add(filepath.Join(folder, fmt.Sprintf("%d.jsonl", i)), func(f *countedFile) error {
				_, err := transcripttest.Write(f, uint64(i), backfillMB*megabyte/idleFiles-backfillEnd)
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	old := time.Now().Add(-backfillAge)
	return d, filepath.WalkDir(d.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return os.Chtimes(path, old, old)
	})
}
