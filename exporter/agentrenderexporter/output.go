package agentrenderexporter

import (
	"bytes"
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
			return keepOpen{os.Stdout}, nil
		case outputStderr:
			return keepOpen{os.Stderr}, nil
		}
		if err := os.MkdirAll(filepath.Dir(output), folderPermissions); err != nil {
			return nil, fmt.Errorf("create folder of output %q: %w", output, err)
		}
		// A file that is rotated is opened here too, since the library opens at the first write alone: what is wrong with
		// the path is told at the start.
		f, err := os.OpenFile(output, os.O_APPEND|os.O_CREATE|os.O_WRONLY, filePermissions)
		if err != nil {
			return nil, fmt.Errorf("open output %q: %w", output, err)
		}
		if !r.Enabled {
			return f, nil
		}
		if err := f.Close(); err != nil {
			return nil, fmt.Errorf("open output %q: %w", output, err)
		}
		return newRotatedFile(output, r), nil
	}
}

// keepOpen is an output that belongs to the process, not to us.
type keepOpen struct{ io.Writer }

// Close leaves the output open.
func (keepOpen) Close() error { return nil }

// rotatedFile is a file that is put aside when it has grown. A line is never cut over two files, unless it is longer than
// a file may be.
type rotatedFile struct {
	*timberjack.Logger
	max int
}

func newRotatedFile(path string, r RotationConfig) *rotatedFile {
	compression := "none"
	if r.Compress {
		compression = "gzip"
	}
	return &rotatedFile{max: r.MaxMegabytes * megabyte, Logger: &timberjack.Logger{
		Filename: path, MaxSize: r.MaxMegabytes, MaxAge: r.MaxDays, MaxBackups: r.MaxBackups, Compression: compression,
		LocalTime: r.LocalTime, FileMode: filePermissions,
	}}
}

// Write hands p on in pieces that fit into a file, which the library refuses to cut itself.
func (f *rotatedFile) Write(p []byte) (int, error) {
	written := 0
	for {
		piece := p[written:]
		if len(piece) > f.max {
			piece = piece[:f.max]
			if i := bytes.LastIndexByte(piece, '\n'); i >= 0 {
				piece = piece[:i+1]
			}
		}
		n, err := f.Logger.Write(piece)
		if written += n; err != nil || written == len(p) {
			return written, err
		}
		if n < len(piece) {
			return written, io.ErrShortWrite
		}
	}
}
