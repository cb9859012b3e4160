// Package reporttest reads runs for tests.
package reporttest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tailspan/tailspan/cmd/tailspan/internal/input"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/options"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/recorded"
	"github.com/tailspan/tailspan/cmd/tailspan/internal/report"
	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/parser"
	"github.com/tailspan/tailspan/redact"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/telemetry"
)

// Settings returns settings that can read every recording.
func Settings(t *testing.T, prices ledger.Prices) recorded.Settings {
	t.Helper()
	r, err := redact.NewRedactor(redact.Settings{})
	require.NoError(t, err)
	return recorded.Settings{
		Stream:    options.Stream{Provider: parser.Auto, MaxLine: input.DefaultMaxLine, Container: config.ContainerAuto},
		Identity:  options.Identity{InBand: config.InBandIdentity},
		Telemetry: options.RegistrySettings(prices), Redactor: r, Stderr: os.Stderr,
	}
}

// Runs returns the runs of files, within the limits of a report.
func Runs(t *testing.T, files ...string) []*report.Run {
	t.Helper()
	limits := report.DefaultLimits()
	runs, err := report.Read(t.Context(), Settings(t, nil), files, limits)
	require.NoError(t, err)
	limits.Fit(runs)
	return runs
}

// Feed reads a file and passes its output to take.
func Feed(t *testing.T, set recorded.Settings, file string, take func(*telemetry.Output)) {
	t.Helper()
	set.Deliver = func(_ context.Context, out *telemetry.Output) error {
		take(out)
		return nil
	}
	r := recorded.New(set)
	require.NoError(t, r.Read(t.Context(), file))
	require.NoError(t, r.Close(t.Context()))
}

// Copy copies the files that match a glob into a folder, with the time of the test.
func Copy(t *testing.T, glob, dir string) {
	t.Helper()
	files, err := filepath.Glob(glob)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), data, 0o600))
	}
}

// File writes a file and its folders for a test.
func File(t *testing.T, dir, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return path
}
