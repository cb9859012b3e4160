package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// historyRuns is the number of times that a history is added up.
const historyRuns = 5

// measureHistory makes the command add up the usage in transcripts and in recordings.
func measureHistory(ctx context.Context, s Settings) error {
	fmt.Fprintf(s.Stdout, "\nusage, %d times each, on %d cores\n", historyRuns, runtime.GOMAXPROCS(0))
	for _, prepare := range []func(context.Context, Settings) (*dataset, error){transcripts, recordings} {
		d, err := prepare(ctx, s)
		if err != nil {
			return err
		}
		var wall, cpu []float64
		peak := int64(0)
		for range historyRuns {
			cmd := exec.CommandContext(ctx, s.Command, "usage", d.Dir)
			begun := time.Now()
			if out, err := cmd.Output(); err != nil || len(out) == 0 {
				return fmt.Errorf("run %q: %w, %d bytes of output", cmd.Args, err, len(out))
			}
			wall = append(wall, time.Since(begun).Seconds())
			cpu = append(cpu, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
			if used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
				peak = max(peak, used.Maxrss)
			}
		}
		fmt.Fprintf(s.Stdout, "  %s: %d MB, wall: %v; CPU: %v; peak %d MiB\n", d.Name, d.Bytes/megabyte, spreadOf(wall), spreadOf(cpu), peak>>10)
	}
	return nil
}
