package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tailspan/tailspan/internal/transcripttest"
)

// dataset is a folder of files to read, and the counts that a reader must report for it.
type dataset struct {
	Dir   string `json:"-"`
	Name  string
	Bytes int
	Lines int
	Files int
}

const megabyte = 1_000_000

// add creates a file of the set.
func (d *dataset) add(name string, write func(*countedFile) error) error {
	f, err := os.Create(filepath.Join(d.Dir, name))
	if err != nil {
		return fmt.Errorf("make data: %w", err)
	}
	counted := &countedFile{File: f}
	if err := errors.Join(write(counted), f.Close()); err != nil {
		return fmt.Errorf("make data: %w", err)
	}
	d.Bytes += counted.bytes
	d.Lines += counted.lines
	d.Files++
	return nil
}

// countedFile counts the bytes and lines written to it.
type countedFile struct {
	*os.File
	bytes, lines int
}

func (f *countedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.bytes += n
	f.lines += bytes.Count(p[:n], []byte("\n"))
	return n, err
}

// WriteString ensures that every write is counted.
func (f *countedFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }

// prepareData creates a data set, or returns the one from an earlier run. A set is complete once its description exists.
func prepareData(ctx context.Context, s Settings, name string, fill func(context.Context, *dataset) error) (*dataset, error) {
	d := &dataset{Dir: filepath.Join(s.Out, name), Name: name}
	description := d.Dir + ".json"
	if text, err := os.ReadFile(description); err == nil {
		if err := json.Unmarshal(text, d); err != nil {
			return nil, fmt.Errorf("read data set %q: %w", description, err)
		}
		return d, nil
	}
	if err := os.RemoveAll(d.Dir); err != nil {
		return nil, fmt.Errorf("make data: %w", err)
	}
	if err := os.MkdirAll(d.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("make data: %w", err)
	}
	if err := fill(ctx, d); err != nil {
		return nil, err
	}
	text, err := json.Marshal(d)
	if err != nil {
		return nil, fmt.Errorf("describe data: %w", err)
	}
	return d, os.WriteFile(description, append(text, '\n'), 0o600)
}

// transcripts returns generated sessions, each in its own file.
func transcripts(ctx context.Context, s Settings) (*dataset, error) {
	name := fmt.Sprintf("transcripts-%dMB-%d", s.MB, s.Files)
	return prepareData(ctx, s, name, func(ctx context.Context, d *dataset) error {
		for i := range s.Files {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := d.add(fmt.Sprintf("%04d.jsonl", i), func(f *countedFile) error {
				_, err := transcripttest.Write(f, uint64(i), s.MB*megabyte/s.Files)
				return err
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// recordings returns repeated recorded sessions, each repetition a file, with about as many bytes for each recording.
func recordings(ctx context.Context, s Settings) (*dataset, error) {
	paths, err := filepath.Glob(filepath.Join(s.Testdata, "*.jsonl.zst"))
	if err != nil || len(paths) == 0 {
		return nil, fmt.Errorf("find recordings in %q: %w", s.Testdata, errors.Join(err, os.ErrNotExist))
	}
	return prepareData(ctx, s, fmt.Sprintf("recordings-%dMB", s.MB), func(ctx context.Context, d *dataset) error {
		for _, path := range paths {
			r, err := readRecording(path)
			if err != nil {
				return err
			}
			for i, end := 0, d.Bytes+s.MB*megabyte/len(paths); d.Bytes < end; i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				name := fmt.Sprintf("%s-%s-%04d.jsonl", r.provider, r.kind, i)
				if err := d.add(name, func(f *countedFile) error { return r.write(f, uint64(i)) }); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
