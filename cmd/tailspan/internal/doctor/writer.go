package doctor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/events"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
)

// errDetected stops reading a file once its writer is known.
var errDetected = errors.New("the writer is known")

// errEnough stops reading a file whose writer is still unknown when the budget is used up.
var errEnough = errors.New("no more is read")

// errTooLong reports that the first line of a file exceeds the limit.
var errTooLong = errors.New("its first line, or the document, is longer")

// errIncomplete reports a file that is a document by its name but not by its content.
var errIncomplete = errors.New("it is not a complete JSON document, and the collector skips it until it is; " +
	"JSON lines belong in a file whose name ends in .jsonl")

// maxVersion bounds the version that a file names, in runes.
const maxVersion = 40

// newRedactor returns the Redactor of all files.
var newRedactor = sync.OnceValues(func() (*redact.Redactor, error) { return redact.NewRedactor(redact.Settings{}) })

// content describes the content of a file.
type content struct {
	// provider is the format, "" if the first lines are of an unknown agent; version is that of the program that wrote the file.
	provider, version string
	sessions          map[string]bool
	stats             parser.Stats
	// whole reports whether the file was read to its end.
	whole bool
}

// budgeted reads within a budget of bytes, which it reduces, plus one line, which may identify the writer.
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

// read reads a file: to its end while budget is left, which it reduces, otherwise until its writer is known.
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
	redactor, err := newRedactor()
	if err != nil {
		return nil, err
	}
	c := &content{sessions: map[string]bool{}}
	lines := input.NewLines(input.LineSettings{Name: path, Max: input.DefaultMaxLine, Container: config.ContainerAuto})
	seen := 0
	document := parser.IsDocument(path)
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
	if src.Provider() == "" && seen <= lines.TooLong() && (lines.TooLong() > 0 || errors.Is(err, errEnough)) {
		return nil, fmt.Errorf("%w than %d bytes, and is skipped unless max_line_size (--max-line-size, max_document_size) is greater",
			errTooLong, input.DefaultMaxLine)
	}
	c.provider, c.stats, c.version = src.Provider(), src.Stats(), events.CleanLine(redactor.String(c.version), maxVersion)
	c.stats.UnknownTypes = redactor.Keys(c.stats.UnknownTypes)
	return c, nil
}

// add takes the writer from events.
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
