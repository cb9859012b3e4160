package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// samples are the files that the collector is to read, and how many lines it will count in them.
type samples struct {
	paths []string
	lines int
}

// findSamples reads a list of files: one path a line, seen from the working directory; blank lines and those that begin
// with # are left out.
func findSamples(list string) (samples, error) {
	content, err := os.ReadFile(list)
	if err != nil {
		return samples{}, fmt.Errorf("read list of samples: %w", err)
	}
	var s samples
	for line := range strings.Lines(string(content)) {
		path := strings.TrimSpace(line)
		if path == "" || strings.HasPrefix(path, "#") {
			continue
		}
		lines, err := countFile(path)
		if err != nil {
			return samples{}, err
		}
		s.paths = append(s.paths, path)
		s.lines += lines
	}
	if len(s.paths) == 0 {
		return samples{}, fmt.Errorf("read list of samples %q: no file in it", list)
	}
	return s, nil
}

func countFile(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open sample: %w", err)
	}
	defer f.Close()
	lines, err := countLines(f)
	if err != nil {
		return 0, fmt.Errorf("read sample %q: %w", path, err)
	}
	return lines, nil
}

// countLines counts as the receiver does: what a newline ends, and a tail without one if it is a whole object. A line
// with nothing on it is not counted, so that the expectation is met whether the receiver counts those or not.
func countLines(r io.Reader) (int, error) {
	in := bufio.NewReader(r)
	for lines := 0; ; {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		if content := bytes.TrimSpace(line); len(content) > 0 && (err == nil || json.Valid(content)) {
			lines++
		}
		if err != nil {
			return lines, nil
		}
	}
}
