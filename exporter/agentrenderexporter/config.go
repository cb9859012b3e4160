package agentrenderexporter

import (
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/tailspan/tailspan/render"
)

// Outputs that are no files.
const (
	outputStdout = "stdout"
	outputStderr = "stderr"
)

const (
	defaultMaxSessions   = 256
	defaultRecentRecords = 16384
)

// Config is the configuration of the exporter.
type Config struct {
	// Output is where the text goes: "stdout", "stderr" or the path of a file, which is created with its folder and
	// appended to.
	Output string `mapstructure:"output"`
	// Mode tells how much is shown: default, verbose, quiet or json.
	Mode string `mapstructure:"mode"`
	// Style is what verbose mode looks like: marker, transcript or progress.
	Style string `mapstructure:"style"`
	// EscapeCICommands breaks what a CI system would take for a command to it, such as a line that begins "::error::".
	EscapeCICommands bool `mapstructure:"escape_ci_commands"`
	// MaxSessions is how many sessions have a renderer at the same time.
	MaxSessions int `mapstructure:"max_sessions"`
	// RecentRecords is how many records are remembered, so as not to be written twice; 0 remembers none.
	RecentRecords int `mapstructure:"recent_records"`

	// RetryConfig says how a failed write is tried again.
	RetryConfig configretry.BackOffConfig `mapstructure:"retry_on_failure"`
	// QueueConfig is the sending queue; off by default, so that a slow output holds the pipeline back and nothing waits
	// in memory.
	QueueConfig configoptional.Optional[exporterhelper.QueueBatchConfig] `mapstructure:"sending_queue"`
}

// createDefaultConfig makes the default configuration.
func createDefaultConfig() component.Config {
	queue := exporterhelper.NewDefaultQueueConfig()
	queue.NumConsumers = 1 // more would write batches out of order
	return &Config{
		Output:        outputStdout,
		Mode:          render.ModeDefault.String(),
		Style:         render.StyleMarker.String(),
		MaxSessions:   defaultMaxSessions,
		RecentRecords: defaultRecentRecords,
		RetryConfig:   configretry.NewDefaultBackOffConfig(),
		QueueConfig:   configoptional.Default(queue),
	}
}

// Validate reports everything that is wrong at once.
func (c *Config) Validate() error {
	_, errs := c.renderSettings()
	if c.Output == "" {
		errs = errors.Join(errs, fmt.Errorf("output must be stdout, stderr or the path of a file, got %q", c.Output))
	}
	if c.MaxSessions <= 0 {
		errs = errors.Join(errs, fmt.Errorf("max_sessions must be positive, got %d", c.MaxSessions))
	}
	if c.RecentRecords < 0 {
		errs = errors.Join(errs, fmt.Errorf("recent_records must not be negative, got %d", c.RecentRecords))
	}
	if c.QueueConfig.HasValue() && c.QueueConfig.Get().NumConsumers != 1 {
		errs = errors.Join(errs, fmt.Errorf("sending_queue::num_consumers must be 1 to keep the order of records, got %d", c.QueueConfig.Get().NumConsumers))
	}
	return errs
}

// renderSettings are the settings of the renderers.
func (c *Config) renderSettings() (render.Settings, error) {
	mode, modeErr := render.ParseMode(c.Mode)
	style, styleErr := render.ParseStyle(c.Style)
	return render.Settings{Mode: mode, Style: style, EscapeCommands: c.EscapeCICommands}, errors.Join(modeErr, styleErr)
}
