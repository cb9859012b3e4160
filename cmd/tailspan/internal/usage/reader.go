package usage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/recorded"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/emit"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// Settings configure what is summed up.
type Settings struct {
	By     []Dimension
	Zone   *time.Location
	Period Period
	// Prices estimate costs that the agent does not report.
	Prices ledger.Prices
	// Provider is the format of the files; see [parser.New].
	Provider string
	MaxLine  config.Size
	// Redactor removes secrets from the names that are shown; nil leaves them in.
	Redactor *redact.Redactor
	// Workers is the number of files that are read concurrently; 0 means one for each core.
	Workers int
}

// Limits of what is remembered to recognize copies of a session: IDs and items of the whole history, 25 bytes each.
const (
	maxIDs   = 8 << 20
	maxItems = 2 << 20
)

// reader reads files. Sub-agents in separate files are linked to their callers in any order of files.
type reader struct {
	Settings
	registry *telemetry.Registry
	sums     *sums
	start    time.Time

	mu     sync.Mutex
	report *Report
}

// Read sums up the files. The report lists files that could not be read; the error is that of the context.
func Read(ctx context.Context, s Settings, files []string) (*Report, error) {
	set := telemetry.NewDefaultSettings()
	set.MetricsOnly, set.Prices = true, s.Prices
	set.Limits.EmittedIDs, set.Limits.RememberedIDs = maxIDs, maxItems
	r := &reader{
		Settings: s, registry: telemetry.NewRegistry(set), sums: newSums(s.By, s.Zone, s.Period), start: time.Now(),
		report: &Report{By: s.By, Zone: s.Zone, Period: s.Period, Files: len(files)},
	}
	if s.Workers == 0 {
		r.Workers = runtime.GOMAXPROCS(0)
	}
	heads := make([]head, len(files))
	r.each(len(files), func(i int) { heads[i] = r.head(files[i]) })
	groups := groupsOf(heads)
	r.each(len(groups), func(i int) {
		for _, name := range groups[i].files {
			if err := r.file(ctx, name, groups[i]); err != nil {
				groups[i].unreadable = append(groups[i].unreadable, err)
			}
		}
	})
	for _, g := range groups {
		r.report.Unreadable = append(r.report.Unreadable, g.unreadable...)
		for _, stream := range g.open {
			closeStream(stream)
		}
	}
	r.registry.Close()
	r.report.take(r.sums.rows(), s.Redactor)
	return r.report, ctx.Err()
}

// each calls f with each number below n, on all workers.
func (r *reader) each(n int, f func(i int)) {
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range r.Workers {
		workers.Go(func() {
			for i := range numbers {
				f(i)
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	workers.Wait()
}

// lines returns how the lines of a file are read.
func (r *reader) lines(name string) input.LineSettings {
	return input.LineSettings{Name: name, Max: r.MaxLine, Container: config.ContainerAuto}
}

// file reads one file of a group. Everything read before an error counts.
func (r *reader) file(ctx context.Context, name string, of *group) error {
	if ctx.Err() != nil {
		return nil
	}
	in, err := input.Open(name, nil, io.Discard)
	if err != nil {
		return err
	}
	stream, err := r.newStream(name)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	tooLong, err := recorded.Feed(in, r.lines(name), stream, telemetry.Line{Read: r.start}, func() error {
		stream.Take()
		return ctx.Err()
	})
	stream.Flush()
	stream.Idle()
	of.end(stream)
	r.mu.Lock()
	r.report.TooLong += tooLong
	r.mu.Unlock()
	return errors.Join(err, in.Close())
}

func closeStream(stream *pipeline.Pipeline) {
	stream.Close(otlp.CloseReasonNoResult)
	stream.Take()
}

func (r *reader) newStream(name string) (*pipeline.Pipeline, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("find folder: %w", err)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	project := projectOf(path)
	used := func(u emit.Used) {
		u.Folder = cmp.Or(u.Folder, project)
		r.sums.add(u)
	}
	return pipeline.New(pipeline.Settings{
		Events: pipeline.EventSettings{Provider: r.Provider}, Path: path, Registry: r.registry, InBand: config.InBandIdentity,
		Telemetry: telemetry.StreamSettings{ID: path, FileTime: info.ModTime(), IdleGap: recorded.SessionGap, OnUsed: used},
		Discards: func(lines int) bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.report.Unrecognized += lines
			return true
		},
	})
}

// projectOf returns the project in the path of a transcript: transcripts of Gemini CLI do not name the agent's folder and are in
// tmp/PROJECT/chats.
func projectOf(path string) string {
	above, _, _ := strings.Cut(filepath.ToSlash(path), "/chats/")
	if parent, name := filepath.Split(above); filepath.Base(parent) == "tmp" {
		return name
	}
	return ""
}
