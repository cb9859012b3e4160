package agentrenderexporter

import (
	"strings"
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
	"github.com/tailspan/tailspan/render"
)

func TestLoadConfig(t *testing.T) {
	with := func(change func(*Config)) *Config {
		cfg := NewFactory().CreateDefaultConfig().(*Config)
		change(cfg)
		return cfg
	}
	styles := strings.Join(render.StyleNames(), ", ")
	tests := []struct {
		name string
		want *Config
		err  string // of Unmarshal or Validate
	}{
		{name: "", want: with(func(*Config) {})},
		{name: "all", want: with(func(c *Config) {
			c.Output, c.Mode, c.Style = "logs/{cicd.pipeline.name}/{cicd.pipeline.task.name}.log", "verbose", "transcript"
			c.Reasoning, c.Results, c.Summary = true, true, false
			c.ThrottleScope, c.ThrottleInterval, c.MaxOpenFiles = "output", 2*time.Second, 8
			c.Rotation = RotationConfig{Enabled: true, MaxMegabytes: 10, MaxDays: 7, MaxBackups: 3, LocalTime: true, Compress: true}
			c.EscapeCICommands, c.MaxStreams, c.DedupCacheSize = "on", 8, 0
			c.FileMode, c.ReorderWindow, c.ReorderSize = 0o640, 0, 1<<20
			c.RetryConfig.InitialInterval = time.Second
			queue := exporterhelper.NewDefaultQueueConfig()
			queue.NumConsumers, queue.QueueSize = 1, 10
			c.QueueConfig = configoptional.Some(queue)
		})},
		{name: "no_retry", want: with(func(c *Config) {
			c.Output, c.Mode, c.Style, c.RetryConfig.Enabled = "stderr", "quiet", "progress", false
			c.idle = []idleSettings{{"style", "mode: verbose"}}
		})},
		{name: "no_effect", want: with(func(c *Config) {
			c.Style, c.Results, c.Rotation.MaxDays = "marker", true, 7
			c.idle = []idleSettings{{"style, results", "mode: verbose"}, {"max_days, max_megabytes", "rotation::enabled: true"}}
		})},
		{name: "file_mode_as_text", want: with(func(c *Config) { c.FileMode = 0o660 })},
		{name: "json", want: with(func(c *Config) { c.Mode = "json" })},
		{name: "bad_mode", err: `mode must be one of default, verbose, quiet, json, got "x"`},
		{name: "bad_style", err: "style must be one of " + styles + `, got "x"`},
		{name: "bad_everything", err: `mode must be one of default, verbose, quiet, json, got "Verbose"
style must be one of ` + styles + `, got ""
throttle_scope must be one of step, output, got "all"
escape_ci_commands must be one of auto, on, off, got "yes"
throttle_interval must not be negative, got -1s
output must be stdout, stderr or the path of a file, got ""
file_mode must be octal, with read and write permission for the owner and execute permission for nobody, such as 0600 or 0640, got 1130
max_streams must be positive, got 0
reorder_window must not be negative, got -1s
reorder_size must be positive, got 0
max_open_files must be positive, got 0
dedup_cache_size must not be negative, got -1
rotation::max_megabytes must be positive, got 0
rotation::max_days must not be negative, got -1
rotation::max_backups must not be negative, got -1
sending_queue::num_consumers must be 1 to keep the order of records, got 10`},
		{name: "bad_path", err: `output must name an attribute in each pair of braces, got "logs/{}.log"`},
		{name: "bad_brace", err: `output has a } without a {, got "logs/a}.log"`},
		{name: "bad_file_mode", err: `file_mode must be octal digits such as 0600, got "rw"`},
		{name: "bad_gap", err: "output must have text between two attributes"},
		{name: "bad_mark", err: `output must not have "~" between two attributes`},
		{name: "bad_parent", err: "output must not have .. after an attribute"},
		{name: "bad_folder", err: "output must end in the name of a file"},
		{name: "bad_rotation", err: `rotation needs a file as output, got "stdout"`},
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
