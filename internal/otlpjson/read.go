package otlpjson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Data is the content of one or more files, in order.
type Data struct {
	Traces []ptrace.Traces
	Logs   []plog.Logs
	// Skipped counts requests of other signals: metrics, profiles.
	Skipped int
	// Foreign counts objects that are not a request of any signal.
	Foreign int
}

// Empty reports whether there was no request.
func (d *Data) Empty() bool { return len(d.Traces)+len(d.Logs)+d.Skipped == 0 }

// Add appends the content of more.
func (d *Data) Add(more *Data) {
	d.Traces = append(d.Traces, more.Traces...)
	d.Logs = append(d.Logs, more.Logs...)
	d.Skipped += more.Skipped
	d.Foreign += more.Foreign
}

// ReadFiles reads all files into one Data.
func ReadFiles(paths ...string) (*Data, error) {
	all := &Data{}
	for _, path := range paths {
		if err := all.readFile(path); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (d *Data) readFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open file: %w", err)
	}
	defer f.Close()
	if err := d.read(f); err != nil {
		return fmt.Errorf("read %q: %w", path, err)
	}
	return nil
}

// Read reads one file. It stops at the first line that is not OTLP JSON; the error contains the line number.
func Read(r io.Reader) (*Data, error) {
	d := &Data{}
	if err := d.read(r); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Data) read(r io.Reader) error {
	in := bufio.NewReader(r)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read line %d: %w", number, err)
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if lineErr := d.add(line); lineErr != nil {
				return fmt.Errorf("parse line %d: %w", number, lineErr)
			}
		}
		if err != nil {
			return nil
		}
	}
}

// add adds one request. Its only top-level key names the signal.
func (d *Data) add(line []byte) error {
	var signal struct {
		ResourceSpans    json.RawMessage `json:"resourceSpans"`
		ResourceLogs     json.RawMessage `json:"resourceLogs"`
		ResourceMetrics  json.RawMessage `json:"resourceMetrics"`
		ResourceProfiles json.RawMessage `json:"resourceProfiles"`
	}
	if err := json.Unmarshal(line, &signal); err != nil {
		return err
	}
	switch {
	case signal.ResourceSpans != nil:
		traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
		if err != nil {
			return fmt.Errorf("parse traces: %w", err)
		}
		d.Traces = append(d.Traces, traces)
	case signal.ResourceLogs != nil:
		logs, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(line)
		if err != nil {
			return fmt.Errorf("parse logs: %w", err)
		}
		d.Logs = append(d.Logs, logs)
	case signal.ResourceMetrics != nil, signal.ResourceProfiles != nil:
		d.Skipped++
	default:
		d.Foreign++
	}
	return nil
}
