package agentrenderexporter

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pipeline"
	"go.uber.org/goleak"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
)

func TestMain(m *testing.M) {
	for _, name := range []string{"CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION", "GITLAB_CI", "BUILDKITE"} {
		_ = os.Unsetenv(name) // the job that runs the tests
	}
	goleak.VerifyTestMain(m)
}

func TestComponentConfigStruct(t *testing.T) {
	require.NoError(t, componenttest.CheckConfigStruct(NewFactory().CreateDefaultConfig()))
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

// TestComponentLifecycle starts and stops two exporters of one factory, with the configuration of metadata.yaml, and
// feeds them records that are not ours.
func TestComponentLifecycle(t *testing.T) {
	conf, err := confmaptest.LoadConf("metadata.yaml")
	require.NoError(t, err)
	sub, err := conf.Sub("tests::config")
	require.NoError(t, err)
	factory := NewFactory()
	cfg := factory.CreateDefaultConfig()
	require.NoError(t, sub.Unmarshal(cfg))
	for range 2 {
		exp, err := factory.CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
		require.NoError(t, err)
		require.NoError(t, exp.Start(t.Context(), componenttest.NewNopHost()))
		logs := plog.NewLogs()
		logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("not ours")
		logs.MarkReadOnly()
		require.NoError(t, exp.ConsumeLogs(t.Context(), logs))
		require.NoError(t, exp.Shutdown(t.Context()))
	}
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
