package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/tools/program"
)

// side is one of the two collectors that are compared.
type side struct {
	name    string
	program string
	config  string
	// counter counts what was read and exported, in the units of a data set's want.
	counter string
	want    func(*dataset) int
}

func (s Settings) sides() (ours, peer side) {
	ours = side{
		name: "agent_stream", program: s.Collector, config: filepath.Join(s.Config, "agent_stream.yaml"),
		counter: "otelcol_receiver_agent_stream_bytes", want: func(d *dataset) int { return d.Bytes },
	}
	peer = side{
		name: "file_log", program: s.Peer, config: filepath.Join(s.Config, "file_log.yaml"),
		counter: "otelcol_receiver_accepted_log_records", want: func(d *dataset) int { return d.Lines },
	}
	return ours, peer
}

// collector is a running collector.
type collector struct {
	*program.Process
	side side
	url  string // of its metrics
}

// startCollector starts a side over the folder dir.
func startCollector(s Settings, x side, dir, startAt string, environment ...string) (*collector, error) {
	port, err := program.FreePort(0)
	if err != nil {
		return nil, err
	}
	environment = append([]string{"BENCH_EXPORTER=nop", "BENCH_DATA=" + dir, "BENCH_START_AT=" + startAt, "BENCH_METRICS_PORT=" + port}, environment...)
	p, err := program.Start(x.name, exec.Command(x.program, "--config", x.config), environment, filepath.Join(s.Out, x.name+".log"))
	if err != nil {
		return nil, err
	}
	return &collector{Process: p, side: x, url: "http://127.0.0.1:" + port + "/metrics"}, nil
}

// reading is the cost of reading a data set.
type reading struct {
	program.Usage
	wall  time.Duration
	items float64 // spans and log records
}

// read makes a collector read a data set, and measures it at the first poll that finds everything delivered.
func read(ctx context.Context, s Settings, x side, d *dataset, environment ...string) (r reading, err error) {
	start := time.Now()
	c, err := startCollector(s, x, d.Dir, "beginning", environment...)
	if err != nil {
		return reading{}, err
	}
	what := fmt.Sprintf("%s to read %d files", x.name, d.Files)
	if err := c.Await(ctx, what, s.Timeout, func(ctx context.Context) (bool, error) {
		got, err := program.Scrape(ctx, c.url, x.counter)
		if err != nil || int(got) < x.want(d) {
			return false, fmt.Errorf("%s is %.0f of %d: %w", x.counter, got, x.want(d), err)
		}
		r.wall = time.Since(start)
		r.Usage, err = program.MeasureUsage(c.PID())
		return err == nil, err
	}); err != nil {
		_ = c.Kill() // the error of the wait is more informative
		return reading{}, err
	}
	got, err := program.Scrape(ctx, c.url, x.counter)
	if err == nil {
		r.items, err = program.Scrape(ctx, c.url, "otelcol_receiver_accepted_log_records", "otelcol_receiver_accepted_spans")
	}
	if err == nil && int(got) != x.want(d) {
		err = fmt.Errorf("%s: %s is %.0f, must be %d", x.name, x.counter, got, x.want(d))
	}
	if err != nil {
		_ = c.Kill()
		return reading{}, err
	}
	return r, c.Stop(program.StopGrace)
}
