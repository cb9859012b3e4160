package agentrenderexporter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/DeRuina/timberjack"
)

// Permissions of what the exporter creates, before the process's umask.
const (
	filePermissions   = 0o644
	folderPermissions = 0o755
)

const megabyte = 1 << 20

// openFunc opens an output of the configuration.
type openFunc func(output string) (io.WriteCloser, error)

// opener gives the function that opens outputs, with rotation if it is wanted.
func opener(r RotationConfig) openFunc {
	return func(output string) (io.WriteCloser, error) {
		switch output {
		case outputStdout:
			return openStandard(os.Stdout), nil
		case outputStderr:
			return openStandard(os.Stderr), nil
		}
		if err := os.MkdirAll(filepath.Dir(output), folderPermissions); err != nil {
			return nil, fmt.Errorf("create folder of output %q: %w", output, err)
		}
		file, err := openPlaced(output)
		if err != nil {
			return nil, err
		}
		if r.Enabled {
			return newRotatedFile(file, r), nil
		}
		return file, nil
	}
}

// placed is an output that knows whether its path still leads to it. Where others put the file aside or remove it, what
// is written to it is lost to whoever reads under that path.
type placed interface{ gone() bool }

// placedFile is a file that grows.
type placedFile struct {
	*os.File
	path string
}

// openPlaced opens a file for appending.
func openPlaced(path string) (placedFile, error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, filePermissions)
	if err != nil {
		return placedFile{}, fmt.Errorf("open output %q: %w", path, err)
	}
	return placedFile{file, path}, nil
}

func (f placedFile) gone() bool {
	own, err := f.Stat()
	return err == nil && !leadsTo(f.path, own)
}

// leadsTo reports whether a path leads to a file. One that can't be looked at, for whatever reason but that there is
// nothing, is taken to.
func leadsTo(path string, file os.FileInfo) bool {
	found, err := os.Stat(path)
	if err != nil {
		return !errors.Is(err, os.ErrNotExist)
	}
	return os.SameFile(found, file)
}

// rotatedFile is a file that is put aside when it has grown. A line is never cut over two files, unless it is longer than
// a file may be. The library puts aside, packs and deletes; what it opens is not written to, since it does not open it for
// appending: it would write over what others add, and leave a hole where others empty the file.
type rotatedFile struct {
	placedFile
	limit   int // bytes
	rotator *timberjack.Logger
}

func newRotatedFile(file placedFile, r RotationConfig) *rotatedFile {
	compression := "none"
	if r.Compress {
		compression = "gzip"
	}
	return &rotatedFile{placedFile: file, limit: r.MaxMegabytes * megabyte, rotator: &timberjack.Logger{
		Filename: file.path, MaxAge: r.MaxDays, MaxBackups: r.MaxBackups, Compression: compression,
		LocalTime: r.LocalTime, FileMode: filePermissions,
	}}
}

// Write hands p on in pieces that fit into a file.
func (f *rotatedFile) Write(p []byte) (int, error) {
	for written := 0; ; {
		piece := p[written:]
		if len(piece) > f.limit {
			piece = piece[:f.limit]
			if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
				piece = piece[:i+1]
			}
		}
		if err := f.makeRoom(len(piece)); err != nil {
			return written, err
		}
		n, err := f.File.Write(piece)
		if written += n; err != nil || written == len(p) {
			return written, err
		}
	}
}

// makeRoom puts the file aside if so many bytes are too many for it, whoever wrote what is in it.
func (f *rotatedFile) makeRoom(size int) error {
	info, err := f.Stat()
	switch {
	case errors.Is(err, os.ErrClosed): // it could not be opened when it was put aside
		return f.openAgain()
	case err != nil:
		return fmt.Errorf("look at output %q: %w", f.path, err)
	case info.Size() == 0 || info.Size()+int64(size) <= int64(f.limit):
		return nil
	}
	err = f.File.Close()
	if rotated := f.rotator.RotateWithReason("size"); rotated != nil {
		err = errors.Join(err, fmt.Errorf("put output %q aside: %w", f.path, rotated))
	}
	return errors.Join(err, f.openAgain())
}

func (f *rotatedFile) openAgain() error {
	file, err := openPlaced(f.path)
	if err == nil {
		f.placedFile = file
	}
	return err
}

// Close closes the file, when what was put aside is packed.
func (f *rotatedFile) Close() error {
	err := f.File.Close()
	return errors.Join(err, f.rotator.Close())
}
