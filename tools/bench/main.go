package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Settings holds the values of the flags.
type Settings struct {
	Collector string
	Peer      string
	Command   string
	Builder   string // the collector builder
	Manifest  string // of the collector
	Config    string // folder
	Testdata  string // folder of the recordings
	Out       string // folder for generated data and logs

	Parts   []string
	MB      int // of data, in 10^6 bytes
	Files   int // number of files for the generated transcripts
	Pairs   int
	Idle    time.Duration // how long a collector without work is measured
	Timeout time.Duration // of each run

	Stdout io.Writer
}

// part is one measurement.
type part struct {
	name string
	run  func(context.Context, Settings) error
}

// parts returns the parts in the order in which they run.
func parts() []part {
	return []part{
		{"throughput", measureThroughput},
		{"export", measureExport},
		{"latency", measureLatency},
		{"idle", measureIdle},
		{"backfill", measureBackfill},
		{"size", measureSize},
		{"start", measureStart},
		{"usage", measureHistory},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, parseFlags())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parseFlags() Settings {
	s := Settings{Stdout: os.Stdout}
	flag.StringVar(&s.Collector, "collector", "bin/otelcol-tailspan", "the collector `program`")
	flag.StringVar(&s.Peer, "peer", "build/otelcol-peer/otelcol-peer", "the `program` it is compared with")
	flag.StringVar(&s.Command, "command", "bin/tailspan", "the command's `program`")
	flag.StringVar(&s.Builder, "builder", "builder", "the collector builder's `program`")
	flag.StringVar(&s.Manifest, "manifest", "deploy/otelcol-builder.yaml",
		"the builder's `manifest` of the collector; its folder's parent is that of the module")
	flag.StringVar(&s.Config, "config", "tools/bench/config", "the `folder` of their configurations")
	flag.StringVar(&s.Testdata, "testdata", "tools/bench/testdata", "the `folder` of the recordings")
	flag.StringVar(&s.Out, "out", "build/bench", "the `folder` that data is made in")
	flag.IntVar(&s.MB, "mb", 300, "size of the data in `megabytes`")
	flag.IntVar(&s.Files, "files", 60, "`number` of files of the made transcripts")
	flag.IntVar(&s.Pairs, "pairs", 5, "`number` of pairs of runs, after one to warm up")
	flag.DurationVar(&s.Idle, "idle", time.Minute, "`time` that a collector without work is looked at")
	flag.DurationVar(&s.Timeout, "timeout", 5*time.Minute, "time limit of each run")
	names := flag.String("part", "", "what to measure, a `list` separated by commas; empty for all")
	flag.Parse()
	if *names != "" {
		s.Parts = strings.Split(*names, ",")
	}
	return s
}

func run(ctx context.Context, s Settings) error {
	all := parts()
	for _, name := range s.Parts {
		if !slices.ContainsFunc(all, func(p part) bool { return p.name == name }) {
			return fmt.Errorf("part: no such part %q", name)
		}
	}
	if s.MB <= 0 || s.Files <= 0 || s.Pairs <= 0 {
		return errors.New("mb, files and pairs must be positive")
	}
	out, err := filepath.Abs(s.Out)
	if err != nil {
		return fmt.Errorf("find folder: %w", err)
	}
	s.Out = out
	if err := os.MkdirAll(s.Out, 0o755); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	for _, p := range all {
		if len(s.Parts) > 0 && !slices.Contains(s.Parts, p.name) {
			continue
		}
		if err := p.run(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}
