package agentrenderexporter

import (
	"io"
	"os"

	"go.uber.org/zap"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/logfile"
)

const megabyte = 1 << 20

// openFunc opens an output of the configuration.
type openFunc func(output string) (io.WriteCloser, error)

// opener returns the function that opens outputs, with rotation if enabled.
func opener(c *Config, pattern pathPattern, logger *zap.Logger) openFunc {
	settings := logfile.Settings{Mode: c.FileMode.perm(), Failed: func(err error) {
		logger.Warn("rotated files not compressed or removed, will retry at the next rotation", zap.Error(err))
	}}
	if r := c.Rotation; r.Enabled {
		settings.MaxBytes = int64(r.MaxMegabytes) * megabyte
		settings.MaxDays, settings.MaxBackups, settings.LocalTime, settings.Compress = r.MaxDays, r.MaxBackups, r.LocalTime, r.Compress
	}
	return func(output string) (io.WriteCloser, error) {
		switch output {
		case outputStdout:
			return openStandard(os.Stdout), nil
		case outputStderr:
			return openStandard(os.Stderr), nil
		}
		file, err := logfile.Open(pattern.locate(output), settings)
		if err != nil {
			return nil, err
		}
		return file, nil
	}
}

// placed is an output that can check whether its path still leads to it. If others rotate or remove the file, readers of that
// path do not see what is written to it.
type placed interface{ Moved() bool }
