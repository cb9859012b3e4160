package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/tailspan/tailspan/tools/program"
)

// linesMetric is the receiver's count of lines, over all labels. The metrics reader may append "_total".
const linesMetric = "otelcol_receiver_agent_stream_lines"

// collect runs the collector over the samples until it has read every line and exported the result.
func collect(ctx context.Context, s Settings, want samples, jaeger *jaegerServer, out files) error {
	port, err := program.FreePort(0)
	if err != nil {
		return err
	}
	// A variable in a configuration is parsed as YAML, which includes JSON arrays.
	include, err := json.Marshal(want.paths)
	if err != nil {
		return fmt.Errorf("encode paths of samples: %w", err)
	}
	args := []string{"--config", s.Config}
	environment := []string{
		"DEMO_SAMPLES=" + string(include), "DEMO_OUT=" + filepath.Dir(out.spans), "DEMO_METRICS_PORT=" + port,
	}
	if jaeger != nil {
		args = append(args, "--config", s.JaegerExport)
		environment = append(environment, "DEMO_JAEGER_OTLP_PORT="+jaeger.otlpPort)
	}
	cmd := exec.Command(s.Collector, args...)
	cmd.Stdout = s.Stdout
	collector, err := program.Start("collector", cmd, environment, out.collectorLog)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("the collector to read %d lines", want.lines)
	if err := collector.Await(ctx, what, s.Timeout, func(ctx context.Context) (bool, error) {
		lines, err := scrapeLines(ctx, "http://127.0.0.1:"+port+"/metrics")
		if err == nil && lines < want.lines {
			err = fmt.Errorf("%d lines read", lines)
		}
		return err == nil, err
	}); err != nil {
		_ = collector.Kill() // the error of the wait is more informative
		return err
	}
	return collector.Stop(program.StopGrace)
}

// scrapeLines returns how many lines the collector's receiver has read.
func scrapeLines(ctx context.Context, url string) (int, error) {
	lines, err := program.Scrape(ctx, url, linesMetric)
	return int(lines), err
}
