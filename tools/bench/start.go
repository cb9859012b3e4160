package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/internal/transcripttest"
)

// startRuns is how often each command is started.
const startRuns = 50

// measureStart has the command read a short stream, from its start to its end.
func measureStart(ctx context.Context, s Settings) error {
	d, err := prepareData(ctx, s, "start", func(_ context.Context, d *dataset) error {
		return d.add("stream.jsonl", func(f *countedFile) error { _, err := transcripttest.Write(f, 1, 10_000); return err })
	})
	if err != nil {
		return err
	}
	stream := filepath.Join(d.Dir, "stream.jsonl")
	fmt.Fprintf(s.Stdout, "\nstart, %d times each, over a stream of %d lines; milliseconds\n", startRuns, d.Lines)
	for _, words := range [][]string{{"render", stream}, {"events", stream}} {
		var wall, cpu []float64
		for range startRuns {
			cmd := exec.CommandContext(ctx, s.Command, words...)
			begun := time.Now()
			if out, err := cmd.Output(); err != nil || len(out) == 0 {
				return fmt.Errorf("run %q: %w, %d bytes of output", cmd.Args, err, len(out))
			}
			wall = append(wall, time.Since(begun).Seconds()*1000)
			cpu = append(cpu, (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()*1000)
		}
		fmt.Fprintf(s.Stdout, "  tailspan %-7s wall: %v; CPU: %v\n", words[0], spreadOf(wall), spreadOf(cpu))
	}
	return nil
}
