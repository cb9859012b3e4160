package agentrenderexporter

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pipeline"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
)

// unsetCI removes the variables by which a CI system is detected. The generated TestMain calls it.
func unsetCI() {
	for _, name := range []string{"CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION", "GITLAB_CI", "BUILDKITE"} {
		_ = os.Unsetenv(name)
	}
}

func TestComponentOtherSignals(t *testing.T) {
	set, cfg := exportertest.NewNopSettings(metadata.Type), NewFactory().CreateDefaultConfig()
	_, err := NewFactory().CreateTraces(t.Context(), set, cfg)
	require.ErrorIs(t, err, pipeline.ErrSignalNotSupported)
	_, err = NewFactory().CreateMetrics(t.Context(), set, cfg)
	require.ErrorIs(t, err, pipeline.ErrSignalNotSupported)
}

func TestComponentInvalidConfig(t *testing.T) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	cfg.Mode = "x"
	_, err := NewFactory().CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
	require.EqualError(t, err, `mode must be one of default, verbose, quiet, json, got "x"`)
}

func TestComponentShutdownWithoutStart(t *testing.T) {
	exp, err := NewFactory().CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), NewFactory().CreateDefaultConfig())
	require.NoError(t, err)
	require.NoError(t, exp.Shutdown(t.Context()))
}

func TestComponentStartErrors(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for output, want := range map[string]string{
		folder:                         `open output "` + folder + `": `,
		filepath.Join(file, "sub.log"): `open output "` + filepath.Join(file, "sub.log") + `": `,
	} {
		cfg := NewFactory().CreateDefaultConfig().(*Config)
		cfg.Output = output
		exp, err := NewFactory().CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
		require.NoError(t, err)
		assert.ErrorContains(t, exp.Start(t.Context(), componenttest.NewNopHost()), want)
		assert.NoError(t, exp.Shutdown(t.Context()), "after a failed start")
	}
}
