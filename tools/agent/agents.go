package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/tailspan/tailspan/tools/replay"
)

// agents plays the sample agents.
type agents struct {
	sessions      []session
	folder        string
	every, keep   time.Duration
	rounds        int
	self          string // this program
	command, otlp string // for the sessions that are killed
}

// run begins a run of every pipeline every a.every, until all rounds are over and their sessions have been played.
func (a *agents) run(ctx context.Context) error {
	var playing sync.WaitGroup
	defer playing.Wait()
	ticker := time.NewTicker(a.every)
	defer ticker.Stop()
	for round := 1; ; round++ {
		if err := a.clean(time.Now()); err != nil {
			return err
		}
		id := strconv.FormatInt(time.Now().Unix(), 10)
		log.Printf("round %d, run %s", round, id)
		for _, s := range a.sessions {
			playing.Go(func() {
				if err := a.play(ctx, s, id); err != nil && ctx.Err() == nil {
					log.Printf("play %s of %s: %v", s.step, s.pipeline, err)
				}
			})
		}
		if round == a.rounds {
			playing.Wait()
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// play plays one session of the run with this ID.
func (a *agents) play(ctx context.Context, s session, id string) error {
	timer := time.NewTimer(s.delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
	}
	if s.how == howKilled {
		return a.killed(ctx, s, id)
	}
	path := filepath.Join(a.folder, s.pipeline, id, s.step+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(replay.Play(ctx, file, s.recording, path, pace), file.Close())
}

// killed makes `tailspan run` run an agent that ends by a signal.
func (a *agents) killed(ctx context.Context, s session, id string) error {
	if a.command == "" {
		return nil
	}
	file, err := os.CreateTemp("", "tailspan-agent-*.jsonl")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(s.recording); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := file.Close(); err != nil {
		return err
	}
	run := exec.CommandContext(ctx, a.command, "run", "--mode", "quiet", "--otlp", a.otlp, "--pipeline", s.pipeline, "--run-id", id, "--step", s.step,
		"--", a.self, "-play", file.Name(), "-kill")
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	run.WaitDelay = 20 * time.Second
	run.Stdout, run.Stderr = os.Stderr, os.Stderr
	err = run.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() > 128 {
		return nil // by a signal, like its child
	}
	if err == nil {
		err = errors.New("the agent was not killed")
	}
	return fmt.Errorf("run the agent: %w", err)
}

// clean removes the runs that ended more than a.keep ago.
func (a *agents) clean(now time.Time) error {
	runs, err := filepath.Glob(filepath.Join(a.folder, "*", "*"))
	if err != nil {
		return err
	}
	pipelines := map[string]bool{}
	for _, s := range a.sessions {
		pipelines[s.pipeline] = true
	}
	for _, run := range runs {
		if !pipelines[filepath.Base(filepath.Dir(run))] {
			continue // not ours
		}
		files, err := filepath.Glob(filepath.Join(run, "*.jsonl"))
		if err != nil {
			return err
		}
		recent := slices.ContainsFunc(files, func(path string) bool {
			info, err := os.Stat(path)
			return errors.Is(err, fs.ErrNotExist) || err == nil && now.Sub(info.ModTime()) < a.keep
		})
		if recent || len(files) == 0 {
			continue
		}
		if err := os.RemoveAll(run); err != nil {
			return err
		}
	}
	return nil
}
