package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

const (
	storeSuffix = ".checkpoint"
	tempPrefix  = ".new-"
)

// FileStore is a [Store] in a folder of its own: a file for each key. A value is written to a temporary file, which is
// synced and renamed, and then the folder is synced: after a crash a key has its old value or its new one, whole. It is
// for one process at a time.
type FileStore struct{ folder string }

// NewFileStore makes the folder, if need be, readable by the user alone, and removes what a crash has left half written.
func NewFileStore(folder string) (*FileStore, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make folder of positions: %w", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list positions: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempPrefix) {
			continue
		}
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("remove half-written position: %w", err)
		}
	}
	return &FileStore{folder: folder}, nil
}

func (s *FileStore) path(key string) string {
	return filepath.Join(s.folder, url.PathEscape(key)+storeSuffix)
}

// Get reads a value.
func (s *FileStore) Get(_ context.Context, key string) ([]byte, error) {
	value, err := os.ReadFile(s.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read position: %w", err)
	}
	return value, nil
}

// Set writes a value.
func (s *FileStore) Set(_ context.Context, key string, value []byte) error {
	temp, err := os.CreateTemp(s.folder, tempPrefix+"*")
	if err != nil {
		return fmt.Errorf("create position: %w", err)
	}
	if err := writeAndClose(temp, value); err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	if err := os.Rename(temp.Name(), s.path(key)); err != nil {
		return errors.Join(fmt.Errorf("rename position: %w", err), os.Remove(temp.Name()))
	}
	return syncFolder(s.folder)
}

func writeAndClose(f *os.File, value []byte) error {
	_, err := f.Write(value)
	if err != nil {
		err = fmt.Errorf("write position: %w", err)
	} else if err = f.Sync(); err != nil {
		err = fmt.Errorf("sync position: %w", err)
	}
	if e := f.Close(); e != nil {
		err = errors.Join(err, fmt.Errorf("close position: %w", e))
	}
	return err
}

// Delete removes a value.
func (s *FileStore) Delete(_ context.Context, key string) error {
	if err := os.Remove(s.path(key)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove position: %w", err)
	}
	return nil
}

// Walk gives each key and its value.
func (s *FileStore) Walk(ctx context.Context, f func(key string, value []byte) error) error {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return fmt.Errorf("list positions: %w", err)
	}
	for _, e := range entries {
		name, ours := strings.CutSuffix(e.Name(), storeSuffix)
		key, err := url.PathUnescape(name)
		if !ours || err != nil {
			continue
		}
		value, err := s.Get(ctx, key)
		if err != nil {
			return err
		}
		if value == nil {
			continue // deleted meanwhile
		}
		if err := f(key, value); err != nil {
			return err
		}
	}
	return nil
}
