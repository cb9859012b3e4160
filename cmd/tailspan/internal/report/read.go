package report

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/recorded"
	"github.com/tailspan/tailspan/telemetry"
)

// Capture enables the capture of all contents that a report shows.
func Capture(s *telemetry.Settings) {
	s.Capture.Text, s.Capture.Prompts, s.Capture.Reasoning = true, true, true
	s.Capture.ToolInput, s.Capture.ToolOutput = true, true
}

// maxRounds bounds the depth of the search for sub-agents in separate files.
const maxRounds = 8

// Read reads files and returns their runs, the newest last. For a single file it also finds and reads the files of its
// sub-agents. With an error it still returns the runs of the files that it could read.
func Read(ctx context.Context, set recorded.Settings, files []string, l Limits) ([]*Run, error) {
	c := NewCollector(l)
	Capture(&set.Telemetry)
	set.Deliver = func(_ context.Context, out *telemetry.Output) error {
		c.Add(out.Traces, out.Logs)
		return nil
	}
	r := recorded.New(set)
	var errs []error
	read := func(name string) {
		if err := r.Read(ctx, name); err != nil {
			errs = append(errs, fmt.Errorf("read %q: %w", name, err))
		}
	}
	for _, name := range files {
		read(name)
	}
	var own []string // sessions of a single file
	if len(files) == 1 {
		own = c.Sessions()
		seen := []string{files[0]}
		for range maxRounds {
			more := slices.DeleteFunc(recorded.Related(files[0], c.Sessions()), func(f string) bool { return slices.Contains(seen, f) })
			if len(more) == 0 {
				break
			}
			for _, name := range more {
				read(name)
			}
			seen = append(seen, more...)
		}
	}
	if err := r.Close(ctx); err != nil {
		errs = append(errs, err)
	}
	runs := c.Runs()
	if own != nil { // a neighbouring file may contain other sessions too
		runs = slices.DeleteFunc(runs, func(run *Run) bool { return !slices.Contains(own, run.SessionID) })
	}
	return runs, errors.Join(errs...)
}

// Select returns the runs whose run, trace or session ID begins with id.
func Select(runs []*Run, id string) []*Run {
	return slices.DeleteFunc(slices.Clone(runs), func(r *Run) bool {
		_, span, _ := strings.Cut(r.ID, "-")
		return !slices.ContainsFunc([]string{r.TraceID, span, r.Key, r.SessionID}, func(s string) bool { return strings.HasPrefix(s, id) })
	})
}
