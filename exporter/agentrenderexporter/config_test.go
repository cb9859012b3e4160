package agentrenderexporter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/metadata"
)

func TestLoadConfig(t *testing.T) {
	with := func(change func(*Config)) *Config {
		cfg := NewFactory().CreateDefaultConfig().(*Config)
		change(cfg)
		return cfg
	}
	tests := []struct {
		name string
		want *Config
		err  string // of Unmarshal or Validate
	}{
		{name: "", want: with(func(*Config) {})},
		{name: "all", want: with(func(c *Config) {
			c.Output, c.Mode, c.Style = "logs/agents.log", "verbose", "transcript"
			c.EscapeCICommands, c.MaxSessions, c.RecentRecords = true, 8, 0
			c.RetryConfig.InitialInterval = time.Second
			queue := exporterhelper.NewDefaultQueueConfig()
			queue.NumConsumers, queue.QueueSize = 1, 10
			c.QueueConfig = configoptional.Some(queue)
		})},
		{name: "no_retry", want: with(func(c *Config) {
			c.Output, c.Mode, c.Style, c.RetryConfig.Enabled = "stderr", "quiet", "progress", false
		})},
		{name: "json", want: with(func(c *Config) { c.Mode = "json" })},
		{name: "bad_mode", err: `mode must be one of default, verbose, quiet, json, got "x"`},
		{name: "bad_style", err: `style must be one of marker, transcript, progress, got "x"`},
		{name: "bad_everything", err: `mode must be one of default, verbose, quiet, json, got "Verbose"
style must be one of marker, transcript, progress, got ""
output must be stdout, stderr or the path of a file, got ""
max_sessions must be positive, got 0
recent_records must not be negative, got -1
sending_queue::num_consumers must be 1 to keep the order of records, got 10`},
		{name: "unknown_key", err: "colour"},
	}
	all, err := confmaptest.LoadConf("testdata/config.yaml")
	require.NoError(t, err)
	require.Len(t, all.ToStringMap(), len(tests), "every example is tested")
	for _, tt := range tests {
		id := component.NewIDWithName(metadata.Type, tt.name)
		t.Run(id.String(), func(t *testing.T) {
			sub, err := all.Sub(id.String())
			require.NoError(t, err)
			cfg := NewFactory().CreateDefaultConfig()
			err = sub.Unmarshal(cfg)
			if err == nil {
				err = confmap.Validate(cfg)
			}
			if tt.err != "" {
				assert.ErrorContains(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, cfg)
		})
	}
}
