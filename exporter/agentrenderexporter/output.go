package agentrenderexporter

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Permissions of what the exporter creates, before the process's umask.
const (
	filePermissions   = 0o644
	folderPermissions = 0o755
)

// openFunc opens an output of the configuration.
type openFunc func(output string) (io.WriteCloser, error)

// openOutput opens standard output, standard error, or a file to append to.
func openOutput(output string) (io.WriteCloser, error) {
	switch output {
	case outputStdout:
		return keepOpen{os.Stdout}, nil
	case outputStderr:
		return keepOpen{os.Stderr}, nil
	}
	if err := os.MkdirAll(filepath.Dir(output), folderPermissions); err != nil {
		return nil, fmt.Errorf("create folder of output %q: %w", output, err)
	}
	f, err := os.OpenFile(output, os.O_APPEND|os.O_CREATE|os.O_WRONLY, filePermissions)
	if err != nil {
		return nil, fmt.Errorf("open output %q: %w", output, err)
	}
	return f, nil
}

// keepOpen is an output that belongs to the process, not to us.
type keepOpen struct{ io.Writer }

// Close leaves the output open.
func (keepOpen) Close() error { return nil }
