package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What the files in a folder of spools are called.
const (
	prefix   = "tailspan-"
	ending   = ".spool"
	lockName = ".lock"
)

// ErrLocked: another process has the folder.
var ErrLocked = errors.New("another process uses it")

// Left lists the spools that an earlier process left in a folder, by name. One that is not there has none.
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

// Open takes up a spool that was left. Nothing more is written to it.
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
