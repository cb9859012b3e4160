package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/internal/transcripttest"
)

// startRuns is the number of times that each command is started.
const startRuns = 50

// measureStart makes the command read a short stream, and run a program that writes it, compared with that program
// alone. It measures from start to end.
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
		var all startFigures
		for range startRuns {
			if err := all.start(ctx, s.Command, words...); err != nil {
				return err
			}
		}
		fmt.Fprintf(s.Stdout, "  tailspan %-7s %v\n", words[0], all)
	}
	return compareRun(ctx, s, "sh", "-c", `sleep 0.05; cat "$0"`, stream)
}

// compareRun runs a program alone and under `tailspan run`, in turn.
func compareRun(ctx context.Context, s Settings, program ...string) error {
	var alone, below startFigures
	var added []float64
	for range startRuns {
		if err := alone.start(ctx, program[0], program[1:]...); err != nil {
			return err
		}
		if err := below.start(ctx, s.Command, append([]string{"run", "--"}, program...)...); err != nil {
			return err
		}
		added = append(added, last(below.wall)-last(alone.wall))
	}
	fmt.Fprintf(s.Stdout, "  a program of 50 ms %v\n  tailspan run of it %v\n  added wall: %v\n", alone, below, spreadOf(added))
	return nil
}

// startFigures holds the times of the starts of one command, in milliseconds.
type startFigures struct{ wall, cpu []float64 }

func (f *startFigures) start(ctx context.Context, program string, words ...string) error {
	cmd := exec.CommandContext(ctx, program, words...)
	begun := time.Now()
	if out, err := cmd.Output(); err != nil || len(out) == 0 {
		return fmt.Errorf("run %q: %w, %d bytes of output", cmd.Args, err, len(out))
	}
	f.wall = append(f.wall, time.Since(begun).Seconds()*1000)
	f.cpu = append(f.cpu, (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()*1000)
	return nil
}

func (f startFigures) String() string {
	return fmt.Sprintf("wall: %v; CPU: %v", spreadOf(f.wall), spreadOf(f.cpu))
}

func last(figures []float64) float64 { return figures[len(figures)-1] }
