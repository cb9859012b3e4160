package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tailspan/tailspan/tools/internal/otlpsink"
	"github.com/tailspan/tailspan/tools/program"
)

const (
	latencyFiles = 1000
	// latencyRate is the number of lines written per second, one after the other, each to a random file.
	latencyRate = 200
	// latencyLines is the number of measured lines, after a warm-up with a tenth as many.
	latencyLines = 4000
	// latencyMark precedes the number of a line in its text.
	latencyMark = "bench line "
)

// stopwatch records when lines were written, and when the consumer received them.
type stopwatch struct {
	mu      sync.Mutex
	written map[int]time.Time
	took    map[int]time.Duration
}

func (w *stopwatch) wrote(line int, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written[line] = at
}

// received finds a line's number in the body of a record: for our side the text, for file_log the line.
func (w *stopwatch) received(_ *http.Request, b otlpsink.Batch) error {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, record := range b.Records() {
		_, rest, found := strings.Cut(record.Body().AsString(), latencyMark)
		if !found {
			continue
		}
		digits, _, _ := strings.Cut(rest, ".")
		line, err := strconv.Atoi(digits)
		if err != nil {
			return fmt.Errorf("record %q: %w", record.Body().AsString(), err)
		}
		if at, ok := w.written[line]; ok && w.took[line] == 0 {
			w.took[line] = now.Sub(at)
		}
	}
	return nil
}

func (w *stopwatch) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.took)
}

// sorted returns the times of the lines from first to before end.
func (w *stopwatch) sorted(first, end int) (took []time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for line := first; line < end; line++ {
		took = append(took, w.took[line])
	}
	slices.Sort(took)
	return took
}

// measureLatency makes both sides follow many files, in turn.
func measureLatency(ctx context.Context, s Settings) error {
	const title = "\nlatency, from the write of a line to an OTLP consumer: %d lines, %d a second, to %d files\n"
	fmt.Fprintf(s.Stdout, title, latencyLines, latencyRate, latencyFiles)
	ours, peer := s.sides()
	for range 2 {
		for _, x := range []side{ours, peer} {
			took, err := latency(ctx, s, x)
			if err != nil {
				return err
			}
			fmt.Fprintf(s.Stdout, "  %-12s p50 %.2f ms, p90 %.2f ms, p99 %.2f ms, max %.2f ms\n", x.name,
				quantile(took, 0.5), quantile(took, 0.9), quantile(took, 0.99), quantile(took, 1))
		}
	}
	return nil
}

// quantile returns a quantile of a sorted list, in milliseconds.
func quantile(sorted []time.Duration, q float64) float64 {
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)].Seconds() * 1000
}

// latency measures one side.
func latency(ctx context.Context, s Settings, x side) (took []time.Duration, err error) {
	dir := filepath.Join(s.Out, "latency")
	files, err := openLatencyFiles(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, files.close(), os.RemoveAll(dir)) }()
	watch := &stopwatch{written: map[int]time.Time{}, took: map[int]time.Duration{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open sink: %w", err)
	}
	sink := &http.Server{Handler: otlpsink.Handler(watch.received)}
	go func() { _ = sink.Serve(listener) }() // it ends with Close
	defer sink.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String()) // it is a TCP address
	c, err := startCollector(s, x, dir, "beginning", "BENCH_EXPORTER=otlp_http", "BENCH_SINK_PORT="+port)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Stop(program.StopGrace)) }()
	warmUp := latencyLines / 10
	if err := files.write(ctx, watch, 0, warmUp); err != nil {
		return nil, err
	}
	if err := awaitLines(ctx, s, c, watch, warmUp); err != nil {
		return nil, err
	}
	if err := files.write(ctx, watch, warmUp, warmUp+latencyLines); err != nil {
		return nil, err
	}
	if err := awaitLines(ctx, s, c, watch, warmUp+latencyLines); err != nil {
		return nil, err
	}
	return watch.sorted(warmUp, warmUp+latencyLines), nil
}

func awaitLines(ctx context.Context, s Settings, c *collector, w *stopwatch, n int) error {
	return c.Await(ctx, fmt.Sprintf("%s to hand on %d lines", c.side.name, n), s.Timeout, func(context.Context) (bool, error) {
		return w.count() >= n, fmt.Errorf("%d lines so far", w.count())
	})
}

// openFiles are sessions that their writers hold open.
type openFiles struct {
	list []*os.File
	rng  *rand.Rand
}

func openLatencyFiles(dir string) (*openFiles, error) {
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		return nil, fmt.Errorf("make folder: %w", err)
	}
	files := &openFiles{rng: rand.New(rand.NewPCG(1, 3))}
	for i := range latencyFiles {
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("%04d.jsonl", i)))
		if err == nil {
			files.list = append(files.list, f)
			_, err = f.WriteString(latencyLine(i, fmt.Sprintf("begin%d", i), "begun"))
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("make file: %w", err), files.close())
		}
	}
	return files, nil
}

// latencyLine returns a line of Claude Code's stream in the session of a file.
func latencyLine(file int, message, text string) string {
	return fmt.Sprintf(`{"type":"assistant","message":{"id":"msg_%[2]s","type":"message","role":"assistant","model":"claude-model-x",`+
		`"content":[{"type":"text","text":"%[3]s"}],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}},`+
		`"session_id":"session-%[1]d","uuid":"uuid-%[2]s","parent_tool_use_id":null}`+"\n", file, message, text)
}

// write writes the lines from first to before end, at latencyRate.
func (f *openFiles) write(ctx context.Context, w *stopwatch, first, end int) error {
	tick := time.NewTicker(time.Second / latencyRate)
	defer tick.Stop()
	for line := first; line < end; line++ {
		i := f.rng.IntN(len(f.list))
		text := latencyLine(i, strconv.Itoa(line), fmt.Sprintf("%s%d.", latencyMark, line))
		w.wrote(line, time.Now())
		if _, err := f.list[i].WriteString(text); err != nil {
			return fmt.Errorf("write line: %w", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (f *openFiles) close() error {
	var errs []error
	for _, file := range f.list {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}
