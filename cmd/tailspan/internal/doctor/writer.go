package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
)

// errDetected ends the reading of a file of which no more is wanted.
var errDetected = errors.New("the writer is known")

// errEnough ends the reading of a file that is neither known nor ends.
var errEnough = errors.New("no more is read")

// errTooLong is the error of a file whose first line exceeds the limit.
var errTooLong = errors.New("its first line, or the document, is longer")

// errIncomplete is of a document that is none, by its name alone.
var errIncomplete = errors.New("it is not one whole JSON document, and until it is the collector leaves it out; JSON lines belong in a file whose name ends in .jsonl")

// content is what is in a file.
type content struct {
	// provider wrote it, empty if its first lines are of no known agent; version is that of the program.
	provider, version string
	sessions          map[string]bool
	stats             parser.Stats
	// whole is true if it was read to its end.
	whole bool
}

// budgeted reads within a budget of bytes, which it takes from, and one line beyond it: by that the writer may be known.
type budgeted struct {
	io.Reader
	budget *int64
}

// Read implements io.Reader.
func (b budgeted) Read(p []byte) (int, error) {
	if *b.budget <= -int64(input.DefaultMaxLine) {
		return 0, errEnough
	}
	n, err := b.Reader.Read(p)
	*b.budget -= int64(n)
	return n, err
}

// read reads a file: to its end if budget is left, which it takes from, else until its writer is known.
func read(path string, budget *int64) (*content, error) {
	in, err := input.Open(filepath.Clean(path), nil, io.Discard)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	src, err := parser.New(parser.Auto)
	if err != nil {
		return nil, err
	}
	c := &content{sessions: map[string]bool{}}
	lines := input.NewLines(input.LineSettings{Name: path, Max: input.DefaultMaxLine, Container: config.ContainerAuto})
	seen := 0
	document := parser.FramingOf(path) == parser.FramingDocument
	*budget = max(0, *budget)
	err = lines.Records(budgeted{in, budget}, func(record []byte) error {
		if document && !json.Valid(bytes.TrimPrefix(record, []byte("\xef\xbb\xbf"))) && len(bytes.TrimSpace(record)) > 0 {
			return errIncomplete
		}
		c.add(src.ParseEvents(record))
		seen++
		if src.Provider() == "" && seen >= parser.DetectLines || src.Provider() != "" && *budget <= 0 {
			return errDetected
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDetected) && !errors.Is(err, errEnough) {
		return nil, err
	}
	if c.whole = err == nil; c.whole {
		c.add(src.Flush())
	}
	if src.Provider() == "" && seen == 0 && (lines.TooLong() > 0 || errors.Is(err, errEnough)) {
		return nil, fmt.Errorf("%w than %d bytes, and is skipped unless max_line_size (--max-line-size, max_document_size) is greater",
			errTooLong, input.DefaultMaxLine)
	}
	c.provider, c.stats = src.Provider(), src.Stats()
	return c, nil
}

// add takes from events whose they are.
func (c *content) add(evs []events.DisplayEvent) {
	for i := range evs {
		if id := evs[i].SessionID; id != "" && len(c.sessions) < maxSessions {
			c.sessions[id] = true
		}
		if start := evs[i].Session; start != nil && start.Version != "" {
			c.version = start.Version
		}
	}
}
