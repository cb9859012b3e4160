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

// samples are the files that the collector must read, and the number of lines that it must count in them.
type samples struct {
	paths []string
	lines int
}

// findSamples reads a list of files: one path per line, relative to the working directory. It skips blank lines and
// lines that begin with #.
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

// countLines counts lines as the receiver does: those that end with a newline, and a last one without a newline if it is
// a whole object. It does not count blank lines, so that the expectation is met whether or not the receiver counts them.
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
