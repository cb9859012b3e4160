package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tailspan/tailspan/internal/otlpjson"
	"github.com/tailspan/tailspan/tools/program"
)

// Settings holds the values of the flags.
type Settings struct {
	Collector string
	Config    string
	Samples   string
	Out       string
	Timeout   time.Duration

	Jaeger       string
	JaegerConfig string
	JaegerExport string
	JaegerWait   bool

	// Stdout receives the readable log and the demo's own output.
	Stdout io.Writer
}

// files are the files that a demo leaves in its folder.
type files struct{ spans, records, collectorLog, jaegerLog string }

// run is the whole demo.
func run(ctx context.Context, s Settings) (err error) {
	samples, err := findSamples(s.Samples)
	if err != nil {
		return err
	}
	out, err := prepare(s.Out)
	if err != nil {
		return err
	}
	var jaeger *jaegerServer
	if s.Jaeger != "" {
		if jaeger, err = startJaeger(ctx, s, out.jaegerLog); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, jaeger.process.Stop(program.StopGrace)) }()
	}
	fmt.Fprintf(s.Stdout, "%d sample sessions (%s), %d lines. The readable log:\n\n", len(samples.paths), s.Samples, samples.lines)
	if err := collect(ctx, s, samples, jaeger, out); err != nil {
		return err
	}
	data, err := report(s.Stdout, out)
	if err != nil || jaeger == nil {
		return err
	}
	return showJaeger(ctx, s, jaeger, data)
}

// prepare creates the folder and removes the output of an earlier demo.
func prepare(folder string) (files, error) {
	out := files{
		spans:        filepath.Join(folder, "spans.jsonl"),
		records:      filepath.Join(folder, "records.jsonl"),
		collectorLog: filepath.Join(folder, "collector.log"),
		jaegerLog:    filepath.Join(folder, "jaeger.log"),
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return files{}, fmt.Errorf("make folder: %w", err)
	}
	for _, path := range []string{out.spans, out.records, out.collectorLog, out.jaegerLog} {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return files{}, fmt.Errorf("remove old output: %w", err)
		}
	}
	return out, nil
}

// report reads what the collector wrote, prints the table, and fails if the spans are not consistent.
func report(w io.Writer, out files) (*otlpjson.Data, error) {
	data, err := otlpjson.ReadFiles(out.spans, out.records)
	if err != nil {
		return nil, fmt.Errorf("read what the collector wrote: %w", err)
	}
	summary := otlpjson.Summarize(data)
	fmt.Fprintln(w, "\nWhat is in the spans and log records:")
	fmt.Fprintln(w)
	if _, err := summary.WriteTo(w); err != nil {
		return nil, fmt.Errorf("write table: %w", err)
	}
	fmt.Fprintf(w, "\nspans        %s\nlog records  %s\ncollector    %s\n", out.spans, out.records, out.collectorLog)
	if summary.Total().Runs == 0 {
		return nil, fmt.Errorf("no agent run in %q", out.spans)
	}
	if summary.Records == 0 {
		return nil, fmt.Errorf("no log record in %q", out.records)
	}
	var problems []error
	for _, p := range otlpjson.Check(data.Traces...) {
		problems = append(problems, errors.New(p.String()))
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("check spans in %q: %w", out.spans, errors.Join(problems...))
	}
	return data, nil
}
