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
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/pipeline"
	"github.com/tailspan/tailspan/telemetry"
)

// Settings say what is added up.
type Settings struct {
	By     []Dimension
	Zone   *time.Location
	Period Period
	// Prices estimate the cost where the agent reports none.
	Prices ledger.Prices
	// Provider is the format of the files; see [parser.New].
	Provider string
	MaxLine  config.Size
	// Redactor removes secrets from names that are shown; nil leaves them in.
	Redactor *redact.Redactor
	// Workers is how many files are read at once; 0 means one for each core.
	Workers int
}

// Limits of what is remembered so that copies of a session are recognised: ids and items of the whole history, 25 bytes each.
const (
	maxIDs   = 8 << 20
	maxItems = 2 << 20
)

// reader reads files. Sub-agents in files of their own are linked to their callers, whatever the order of the files.
type reader struct {
	Settings
	registry *telemetry.Registry
	sums     *sums
	start    time.Time

	mu sync.Mutex
	// open are the streams that have something open: they are closed when all files were read, since one may wait for another.
	open   []*pipeline.Pipeline
	report *Report
}

// Read adds up what files contain. The report has the files that could not be read; the error is that of the context.
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
	names := make(chan string)
	var workers sync.WaitGroup
	for range r.Workers {
		workers.Go(func() {
			for name := range names {
				if err := r.file(ctx, name); err != nil {
					r.mu.Lock()
					r.report.Unreadable = append(r.report.Unreadable, err)
					r.mu.Unlock()
				}
			}
		})
	}
	for _, name := range files {
		names <- name
	}
	close(names)
	workers.Wait()
	for _, stream := range r.open {
		closeStream(stream)
	}
	r.registry.Close()
	r.report.take(r.sums.rows(), s.Redactor)
	return r.report, ctx.Err()
}

// file reads one file. What of it could be read counts.
func (r *reader) file(ctx context.Context, name string) error {
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
	set := input.LineSettings{Name: name, Max: r.MaxLine, Container: config.ContainerAuto}
	tooLong, err := recorded.Feed(in, set, stream, telemetry.Line{Read: r.start}, func() error {
		stream.Take()
		return ctx.Err()
	})
	stream.Flush()
	stream.Idle()
	r.end(stream, tooLong)
	return errors.Join(err, in.Close())
}

// end closes a stream, unless it waits for another.
func (r *reader) end(stream *pipeline.Pipeline, tooLong int) {
	stream.Take()
	if _, open, ok := stream.State(); !ok || !open {
		closeStream(stream)
		stream = nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report.TooLong += tooLong
	if stream != nil {
		stream.Suspend()
		r.open = append(r.open, stream)
	}
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
	used := func(u telemetry.Used) {
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

// projectOf is what the path of a transcript shows of its project: those of Gemini CLI do not name the folder that the agent works
// in, and lie in tmp/PROJECT/chats.
func projectOf(path string) string {
	above, _, _ := strings.Cut(filepath.ToSlash(path), "/chats/")
	if parent, name := filepath.Split(above); filepath.Base(parent) == "tmp" {
		return name
	}
	return ""
}
