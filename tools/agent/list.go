package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// how says how a session reaches the collector and how it ends.
type how string

const (
	howFile   how = "file"
	howStops  how = "stops"
	howKilled how = "killed"
)

// session is a line of the list.
type session struct {
	pipeline, step string
	delay          time.Duration
	how            how
	recording      string // the content
}

// readList reads the list and the recordings that it names.
func readList(path string) ([]session, error) {
	list, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []session
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		s, err := parseSession(words)
		if err != nil {
			return nil, fmt.Errorf("read %q: line %q: %w", path, strings.TrimSpace(line), err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("read %q: no session in it", path)
	}
	return all, nil
}

func parseSession(words []string) (session, error) {
	if len(words) != 5 {
		return session{}, fmt.Errorf("want 5 words, got %d", len(words))
	}
	s := session{pipeline: words[0], step: words[1], how: how(words[3])}
	var err error
	if s.delay, err = time.ParseDuration(words[2]); err != nil {
		return session{}, err
	}
	recording, err := os.ReadFile(words[4])
	if err != nil {
		return session{}, err
	}
	switch s.how {
	case howFile:
		s.recording = string(recording)
	case howStops, howKilled:
		s.recording = withoutEnd(string(recording))
	default:
		return session{}, fmt.Errorf("how must be %s, %s or %s, got %q", howFile, howStops, howKilled, words[3])
	}
	return s, nil
}

// withoutEnd returns the first two thirds of the lines of a recording.
func withoutEnd(recording string) string {
	lines := strings.SplitAfter(recording, "\n")
	return strings.Join(lines[:len(lines)*2/3], "")
}
