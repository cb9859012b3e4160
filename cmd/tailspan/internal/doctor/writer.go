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
	"github.com/tailspan/tailspan/parser"
)

// errDetected ends the reading of a file whose writer is known.
var errDetected = errors.New("the writer is known")

// errTooLong is the error of a file whose first line exceeds the limit.
var errTooLong = errors.New("its first line, or the document, is longer")

// errIncomplete is of a document that is none, by its name alone.
var errIncomplete = errors.New("it is not one whole JSON document, and until it is the collector leaves it out; JSON lines belong in a file whose name ends in .jsonl")

// writerOf detects who wrote a file by its first lines; empty if they are of no known agent.
func writerOf(path string) (string, error) {
	in, err := input.Open(filepath.Clean(path), nil, io.Discard)
	if err != nil {
		return "", err
	}
	defer in.Close()
	src, err := parser.New(parser.Auto)
	if err != nil {
		return "", err
	}
	lines := input.NewLines(input.LineSettings{Name: path, Max: input.DefaultMaxLine, Container: config.ContainerAuto})
	seen := 0
	document := parser.FramingOf(path) == parser.FramingDocument
	err = lines.Records(in, func(record []byte) error {
		if document && !json.Valid(bytes.TrimPrefix(record, []byte("\xef\xbb\xbf"))) && len(bytes.TrimSpace(record)) > 0 {
			return errIncomplete
		}
		src.ParseEvents(record)
		if seen++; src.Provider() != "" || seen >= parser.DetectLines {
			return errDetected
		}
		return nil
	})
	if err != nil && !errors.Is(err, errDetected) {
		return "", err
	}
	if src.Provider() == "" && seen == 0 && lines.TooLong() > 0 {
		return "", fmt.Errorf("%w than %d bytes, and is skipped unless max_line_size (--max-line-size, max_document_size) is greater",
			errTooLong, input.DefaultMaxLine)
	}
	return src.Provider(), nil
}
