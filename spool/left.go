package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Names of the files in a folder of spools.
const (
	prefix   = "tailspan-"
	ending   = ".spool"
	lockName = ".lock"
)

// ErrLocked means that another process has locked the folder, or uses the file as its spool.
var ErrLocked = errors.New("in use by another process")

// Left lists the spools that a previous process left in a folder, by name. A missing folder has none.
func Left(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list spools: %w", err)
	}
	var left []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), ending) {
			left = append(left, filepath.Join(dir, e.Name()))
		}
	}
	return left, nil
}

// Open resumes a spool that a previous process left. Nothing more is written to it.
func Open(path string) (*Spool, error) {
	read, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open spool: %w", err)
	}
	s := &Spool{read: read, path: path, changed: make(chan struct{}), stop: make(chan struct{})}
	info, err := read.Stat()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open spool: %w", err), read.Close())
	}
	s.size, s.finished = info.Size(), true
	s.finish.Do(func() {})
	return s, nil
}
