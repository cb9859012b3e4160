package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/tailspan/tailspan/tools/replay"
)

// pace is that of the recordings, with an upper limit so that nobody waits too long for a sample.
var pace = replay.Pace{Pause: 200 * time.Millisecond, Longest: 20 * time.Second}

func main() {
	if err := run(); err != nil {
		log.Fatalf("agent: %v", err)
	}
}

func run() error {
	a := agents{keep: time.Hour}
	list := flag.String("list", "tools/agent/sessions.txt", "the sessions to play")
	flag.StringVar(&a.folder, "sessions", "sessions", "the folder that the collector follows")
	flag.DurationVar(&a.every, "every", 2*time.Minute, "time between two runs of a pipeline")
	flag.IntVar(&a.rounds, "rounds", 0, "runs of each pipeline; 0: without end")
	flag.StringVar(&a.command, "tailspan", "tailspan", "the tailspan program, for the sessions that are killed; empty: leave them out")
	flag.StringVar(&a.otlp, "otlp", "http://127.0.0.1:4318", "where tailspan run exports to")
	play := flag.String("play", "", "write this recording to standard output, and nothing else")
	kill := flag.Bool("kill", false, "with -play: end by SIGKILL")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *play != "" {
		return playOne(ctx, *play, *kill)
	}
	var err error
	if a.sessions, err = readList(*list); err != nil {
		return err
	}
	if a.self, err = os.Executable(); err != nil {
		return err
	}
	if err := a.run(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// playOne is what `tailspan run` runs. The IDs and times of the recording are already set.
func playOne(ctx context.Context, path string, kill bool) error {
	recording, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := replay.Play(ctx, os.Stdout, string(recording), path, pace); err != nil {
		return err
	}
	if !kill {
		return nil
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := self.Kill(); err != nil {
		return fmt.Errorf("end by a signal: %w", err)
	}
	select {} // wait for the signal
}
