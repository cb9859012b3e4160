package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// linesMetric is the receiver's count of lines taken in, by whatever labels. The reader may add "_total" to it.
const linesMetric = "otelcol_receiver_agent_stream_lines"

// collect runs the collector over the samples until it has read every line and handed on what it made of them.
func collect(ctx context.Context, s Settings, want samples, jaeger *jaegerServer, out files) error {
	port, err := freePort(0)
	if err != nil {
		return err
	}
	// A variable of a configuration is read as YAML, of which a JSON array is a part.
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
	collector, err := startProcess("collector", cmd, environment, out.collectorLog)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("the collector to read %d lines", want.lines)
	if err := collector.await(ctx, what, s.Timeout, func(ctx context.Context) (bool, error) {
		lines, err := scrapeLines(ctx, "http://127.0.0.1:"+port+"/metrics")
		if err == nil && lines < want.lines {
			err = fmt.Errorf("%d lines read", lines)
		}
		return err == nil, err
	}); err != nil {
		_ = collector.kill() // the error of the wait says more
		return err
	}
	return collector.stop(stopGrace)
}

// scrapeLines asks the collector how many lines its receiver has taken in.
func scrapeLines(ctx context.Context, url string) (int, error) {
	body, err := httpGet(ctx, url)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	return sumSamples(limitRead(body), linesMetric)
}

// sumSamples adds up a counter over all its labels in Prometheus' text format 0.0.4: lines of name, labels in braces or
// none, a blank, the value. A counter that is not there is 0.
func sumSamples(r io.Reader, name string) (int, error) {
	sum := 0.0
	in := bufio.NewScanner(r)
	for in.Scan() {
		line := in.Text()
		end := strings.IndexAny(line, "{ ")
		if end < 0 || strings.TrimSuffix(line[:end], "_total") != name {
			continue
		}
		// A label's value may hold a blank or a brace, the number after it can not.
		value, err := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
		if err != nil {
			return 0, fmt.Errorf("parse metric %q: %w", line, err)
		}
		sum += value
	}
	return int(sum), in.Err()
}

// httpGet gives the body of an answer that is 200.
func httpGet(ctx context.Context, url string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	request.Close = true
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, fmt.Errorf("get %s: %s", url, answer.Status)
	}
	return answer.Body, nil
}
