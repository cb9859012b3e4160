package agentrenderexporter

import (
	"errors"
	"fmt"
	"os"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/tailspan/tailspan/config"
	"github.com/tailspan/tailspan/exporter/agentrenderexporter/internal/logfile"
	"github.com/tailspan/tailspan/render"
)

// Outputs that are not files.
const (
	outputStdout = "stdout"
	outputStderr = "stderr"
)

const (
	defaultMaxStreams       = 256
	defaultMaxOpenFiles     = 64
	defaultDedupCacheSize   = 16384
	defaultFileMode         = fileMode(logfile.DefaultMode)
	defaultThrottleInterval = time.Second
	defaultReorderWindow    = time.Second
	defaultReorderSize      = 8 << 20
	defaultMaxMegabytes     = 100
	defaultMaxBackups       = 100
)

// Config is the configuration of the exporter.
type Config struct {
	// Output is where the text is written: "stdout", "stderr" or the path of a file, which is created with its folder and
	// appended to. The path may contain attributes of the resource or the record, in braces:
	// logs/{cicd.pipeline.name}/{cicd.pipeline.task.name}.log.
	Output string `mapstructure:"output"`
	// Mode is how much is shown: default, verbose, quiet or json.
	Mode string `mapstructure:"mode"`
	// Style is the appearance of verbose mode: marker, transcript, progress or activity.
	Style string `mapstructure:"style"`
	// Reasoning shows, in verbose mode, what the agent thinks, if its records contain it.
	Reasoning bool `mapstructure:"reasoning"`
	// Results shows, in verbose mode, the results of tools and their duration, in every style.
	Results bool `mapstructure:"results"`
	// Summary shows, in verbose mode, a summary of a run when it ends.
	Summary bool `mapstructure:"summary"`
	// ThrottleScope is what shares one allowance of tool lines in the activity style: step or output.
	ThrottleScope string `mapstructure:"throttle_scope"`
	// ThrottleInterval is the minimum time between two tool lines in the activity style; 0 shows all.
	ThrottleInterval time.Duration `mapstructure:"throttle_interval"`
	// EscapeCICommands is whether text that a CI system would execute as a command, such as a line that begins with
	// "::error::", is escaped: auto (in a job of such a system), on or off.
	EscapeCICommands string `mapstructure:"escape_ci_commands"`
	// FileMode is the mode of new files, 0600 by default; folders have the same mode plus search permission, 0700.
	FileMode fileMode `mapstructure:"file_mode"`
	// MaxStreams is how many streams have a renderer at the same time.
	MaxStreams int `mapstructure:"max_streams"`
	// ReorderWindow is how long a record waits for one with a lower number in its stream; 0 writes records as they arrive.
	ReorderWindow time.Duration `mapstructure:"reorder_window"`
	// ReorderSize is the maximum size of waiting records; above it, those waiting longest are written.
	ReorderSize config.Size `mapstructure:"reorder_size"`
	// MaxOpenFiles is how many files are open at the same time if the path contains attributes.
	MaxOpenFiles int `mapstructure:"max_open_files"`
	// Rotation configures the rotation of files that have grown.
	Rotation RotationConfig `mapstructure:"rotation"`
	// DedupCacheSize is how many records are remembered so that none is written twice; 0 remembers none.
	DedupCacheSize int `mapstructure:"dedup_cache_size"`

	// RetryConfig configures how a failed write is retried.
	RetryConfig configretry.BackOffConfig `mapstructure:"retry_on_failure"`
	// QueueConfig is the sending queue. It is off by default, so that a slow output holds the pipeline back and nothing waits
	// in memory.
	QueueConfig configoptional.Optional[exporterhelper.QueueBatchConfig] `mapstructure:"sending_queue"`

	idle []idleSettings
}

// RotationConfig configures when a file is rotated and how long it is kept.
type RotationConfig struct {
	// Enabled rotates files; otherwise they grow.
	Enabled bool `mapstructure:"enabled"`
	// MaxMegabytes is the size at which a file is rotated, in MiB.
	MaxMegabytes int `mapstructure:"max_megabytes"`
	// MaxDays is how long a rotated file is kept; 0 keeps it forever.
	MaxDays int `mapstructure:"max_days"`
	// MaxBackups is how many rotated files are kept; 0 keeps all.
	MaxBackups int `mapstructure:"max_backups"`
	// LocalTime names rotated files by local time instead of UTC.
	LocalTime bool `mapstructure:"localtime"`
	// Compress compresses rotated files with gzip.
	Compress bool `mapstructure:"compress"`
}

// createDefaultConfig returns the default configuration.
func createDefaultConfig() component.Config {
	queue := exporterhelper.NewDefaultQueueConfig()
	queue.NumConsumers = 1 // more would write batches out of order
	return &Config{
		Output:           outputStdout,
		Mode:             render.ModeDefault.String(),
		Style:            render.StyleMarker.String(),
		Summary:          true,
		ThrottleScope:    render.ThrottleScopeStep.String(),
		EscapeCICommands: render.CIEscapeAuto.String(),
		ThrottleInterval: defaultThrottleInterval,
		FileMode:         defaultFileMode,
		MaxStreams:       defaultMaxStreams,
		ReorderWindow:    defaultReorderWindow,
		ReorderSize:      defaultReorderSize,
		MaxOpenFiles:     defaultMaxOpenFiles,
		Rotation:         RotationConfig{MaxMegabytes: defaultMaxMegabytes, MaxBackups: defaultMaxBackups},
		DedupCacheSize:   defaultDedupCacheSize,
		RetryConfig:      configretry.NewDefaultBackOffConfig(),
		QueueConfig:      configoptional.Default(queue),
	}
}

// Validate returns everything that is wrong at once.
func (c *Config) Validate() error {
	_, errs := c.logSettings()
	refuse := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = errors.Join(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(c.ThrottleInterval < 0, "throttle_interval must not be negative, got %s", c.ThrottleInterval)
	refuse(c.Output == "", "output must be stdout, stderr or the path of a file, got %q", c.Output)
	if _, err := parsePathPattern(c.Output); err != nil {
		errs = errors.Join(errs, err)
	}
	errs = errors.Join(errs, c.FileMode.check())
	refuse(c.MaxStreams <= 0, "max_streams must be positive, got %d", c.MaxStreams)
	refuse(c.ReorderWindow < 0, "reorder_window must not be negative, got %s", c.ReorderWindow)
	refuse(c.ReorderSize <= 0, "reorder_size must be positive, got %s", c.ReorderSize)
	refuse(c.MaxOpenFiles <= 0, "max_open_files must be positive, got %d", c.MaxOpenFiles)
	refuse(c.DedupCacheSize < 0, "dedup_cache_size must not be negative, got %d", c.DedupCacheSize)
	r := c.Rotation
	refuse(r.Enabled && (c.Output == outputStdout || c.Output == outputStderr), "rotation needs a file as output, got %q", c.Output)
	refuse(r.MaxMegabytes <= 0, "rotation::max_megabytes must be positive, got %d", r.MaxMegabytes)
	refuse(r.MaxDays < 0, "rotation::max_days must not be negative, got %d", r.MaxDays)
	refuse(r.MaxBackups < 0, "rotation::max_backups must not be negative, got %d", r.MaxBackups)
	if c.QueueConfig.HasValue() && c.QueueConfig.Get().NumConsumers != 1 {
		refuse(true, "sending_queue::num_consumers must be 1 to keep the order of records, got %d", c.QueueConfig.Get().NumConsumers)
	}
	return errs
}

// logSettings returns the settings of the rendered logs.
func (c *Config) logSettings() (render.LogSettings, error) {
	var s render.LogSettings
	var modeErr, styleErr, scopeErr error
	escape, escapeErr := render.ParseCIEscape(c.EscapeCICommands)
	if escapeErr != nil {
		escapeErr = fmt.Errorf("escape_ci_commands %w", escapeErr)
	}
	s.Mode, modeErr = render.ParseMode(c.Mode)
	s.Style, styleErr = render.ParseStyle(c.Style)
	s.Throttle.Scope, scopeErr = render.ParseThrottleScope(c.ThrottleScope)
	if s.Throttle.Interval = c.ThrottleInterval; s.Throttle.Interval == 0 {
		s.Throttle.Interval = -1
	}
	// The throttle uses the time of records, because a batch may contain minutes of work.
	s.Throttle.ByEventTime = true
	s.EscapeCommands, s.Reasoning, s.Results, s.Summary = escape.Systems(os.Getenv), c.Reasoning, c.Results, c.Summary
	return s, errors.Join(modeErr, styleErr, scopeErr, escapeErr)
}
