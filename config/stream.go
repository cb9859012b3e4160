package config

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Values of Stream.StartAt.
const (
	StartAtBeginning = "beginning"
	StartAtEnd       = "end"
)

// Values of Telemetry.Trace.
const (
	TraceRun     = "run"
	TraceSession = "session"
)

// Values of Telemetry.Semconv.
const (
	SemconvGenAI01 = "genai-0.1"
	SemconvV141    = "v1.41"
)

// Stream says which files are read, and how.
type Stream struct {
	// Include are the globs of the files to read; `**` stands for any number of folders, `~` for the home folder.
	Include []string `mapstructure:"include"`
	// Exclude are globs of files that are left out.
	Exclude []string `mapstructure:"exclude"`
	// StartAt says where to begin in files that are there at start: "beginning" or "end". Files that appear later are
	// always read from their beginning.
	StartAt string `mapstructure:"start_at"`
	// Provider is the format of the files; "auto" tells it from the first lines, "none" hands the lines on as they are.
	Provider string `mapstructure:"provider"`
	// RawLines hands every line on as it is too, unparsed and unredacted, as a record tailspan.raw, for exporters that
	// write lines.
	RawLines bool `mapstructure:"raw_lines"`
	// PollInterval is how often the globs are looked through, beside what the file system tells.
	PollInterval time.Duration `mapstructure:"poll_interval"`
	// IdleFlush is how long a last line without its newline waits before it is taken, if it is a complete object.
	IdleFlush time.Duration `mapstructure:"idle_flush"`
	// IdleClose is the time without a line after which what is open in a file is closed; if it grows again, it goes on.
	// 0: never.
	IdleClose time.Duration `mapstructure:"idle_close"`
	// IgnoreOlderThan leaves files alone that were not changed for that long, until they are. 0: none.
	IgnoreOlderThan time.Duration `mapstructure:"ignore_older_than"`
	// MaxLineSize is the longest line in bytes; longer ones are skipped and counted.
	MaxLineSize int `mapstructure:"max_line_size"`
	// MaxConcurrentFiles is how many files are open at once.
	MaxConcurrentFiles int `mapstructure:"max_concurrent_files"`
}

// NewDefaultStream are the defaults.
func NewDefaultStream() Stream {
	return Stream{
		StartAt:            StartAtEnd,
		Provider:           "auto",
		PollInterval:       time.Second,
		IdleFlush:          2 * time.Second,
		IdleClose:          time.Hour,
		MaxLineSize:        16 << 20,
		MaxConcurrentFiles: 16,
	}
}

// Validate reports what is wrong; what a glob and a provider may be is checked by the packages that know.
func (s *Stream) Validate() error {
	var errs []error
	if len(s.Include) == 0 {
		errs = append(errs, errors.New("include is required: name at least one glob of files to read"))
	}
	if s.StartAt != StartAtBeginning && s.StartAt != StartAtEnd {
		errs = append(errs, fmt.Errorf("start_at must be %q or %q, got %q", StartAtBeginning, StartAtEnd, s.StartAt))
	}
	errs = append(errs,
		positiveDuration("poll_interval", s.PollInterval),
		positiveDuration("idle_flush", s.IdleFlush),
		notNegative("idle_close", s.IdleClose),
		notNegative("ignore_older_than", s.IgnoreOlderThan),
		positive("max_line_size", s.MaxLineSize),
		positive("max_concurrent_files", s.MaxConcurrentFiles),
	)
	return errors.Join(errs...)
}

// Identity says whose work the streams are.
type Identity struct {
	// Pipeline becomes cicd.pipeline.name and its fellows.
	Pipeline Pipeline `mapstructure:"pipeline"`
	// Persona names the top agent (gen_ai.agent.name).
	Persona string `mapstructure:"persona"`
	// Attributes are further resource attributes.
	Attributes map[string]string `mapstructure:"attributes"`
	// PathPattern takes attributes out of the paths of the files; see [PathPattern].
	PathPattern string `mapstructure:"path_pattern"`
	// Environment takes attributes out of the variables of our own process: OTEL_RESOURCE_ATTRIBUTES and those of the
	// CI system. It is for a collector that runs in the same job as the agents.
	Environment bool `mapstructure:"environment"`
	// TraceParent is the span that the work hangs under, as W3C Trace Context spells it; TRACEPARENT of the process if
	// Environment is set and this is not.
	TraceParent string `mapstructure:"traceparent"`
}

// Pipeline is the identity of a pipeline run and of a step in it.
type Pipeline struct {
	Name      string `mapstructure:"name"`
	RunID     string `mapstructure:"run_id"`
	Task      string `mapstructure:"task"`
	TaskRunID string `mapstructure:"task_run_id"`
}

// Validate reports a path pattern that can't be read.
func (i *Identity) Validate() error {
	if _, err := ParsePathPattern(i.PathPattern); err != nil {
		return fmt.Errorf("path_pattern %q: %w", i.PathPattern, err)
	}
	return nil
}

// Telemetry says what spans and records look like and hold.
type Telemetry struct {
	// Semconv is the version of the GenAI conventions to follow.
	Semconv string `mapstructure:"semconv"`
	// Trace says what has a trace of its own where no pipeline and no outer trace is told: a "run" or a "session".
	Trace string `mapstructure:"trace"`
	// FamilyGrace is how long a sub-agent's span waits, once its run is over, for word of the call that started it.
	FamilyGrace time.Duration `mapstructure:"family_grace"`
	// PipelineIdle is how long a pipeline run must be quiet before its span goes out.
	PipelineIdle time.Duration `mapstructure:"pipeline_idle"`
	// ProgressInterval is the time between two records of progress of a run that is watched live; 0 for none.
	ProgressInterval time.Duration `mapstructure:"progress_interval"`
	// ExpectedDuration is how long a run should take, for the estimate in progress records; 0 if not known.
	ExpectedDuration time.Duration `mapstructure:"expected_duration"`
	// MetricsInterval is how often the metrics go out.
	MetricsInterval time.Duration `mapstructure:"metrics_interval"`
	Capture         Capture       `mapstructure:"capture"`
	Limits          Limits        `mapstructure:"limits"`
}

// Capture says which contents go into records.
type Capture struct {
	Text       bool `mapstructure:"text"`
	Prompts    bool `mapstructure:"prompts"`
	Reasoning  bool `mapstructure:"reasoning"`
	ToolInput  bool `mapstructure:"tool_input"`
	ToolOutput bool `mapstructure:"tool_output"`
}

// Limits bound memory and sizes.
type Limits struct {
	// TargetRunes bounds the target of a tool call, in runes.
	TargetRunes int `mapstructure:"target_runes"`
	// ContentBytes bounds each opt-in content, in bytes.
	ContentBytes int `mapstructure:"content_bytes"`
	// HeldEvents bounds the events of one stream that wait for the key of their run.
	HeldEvents int `mapstructure:"held_events"`
	// OpenCalls bounds the calls of one run that wait for their result.
	OpenCalls int `mapstructure:"open_calls"`
	// RememberedIDs bounds the ids that one run remembers.
	RememberedIDs int `mapstructure:"remembered_ids"`
	// MetricSeries bounds the series of all metrics together.
	MetricSeries int `mapstructure:"metric_series"`
	// EmittedIDs bounds the ids of spans and records that are remembered so that none goes out twice.
	EmittedIDs int `mapstructure:"emitted_ids"`
	// Pipelines bounds the pipeline runs that are remembered.
	Pipelines int `mapstructure:"pipelines"`
}

// NewDefaultTelemetry are the defaults: texts are captured, all other contents are not.
func NewDefaultTelemetry() Telemetry {
	return Telemetry{
		Semconv:          SemconvGenAI01,
		Trace:            TraceRun,
		FamilyGrace:      10 * time.Second,
		PipelineIdle:     30 * time.Second,
		ProgressInterval: 10 * time.Second,
		MetricsInterval:  30 * time.Second,
		Capture:          Capture{Text: true},
		Limits: Limits{
			TargetRunes: 256, ContentBytes: 64 << 10, HeldEvents: 4096, OpenCalls: 10_000, RememberedIDs: 100_000,
			MetricSeries: 2000, EmittedIDs: 500_000, Pipelines: 10_000,
		},
	}
}

// Validate reports what is wrong.
func (t *Telemetry) Validate() error {
	var errs []error
	if !slices.Contains([]string{SemconvGenAI01, SemconvV141}, t.Semconv) {
		errs = append(errs, fmt.Errorf("semconv must be %q or %q, got %q", SemconvGenAI01, SemconvV141, t.Semconv))
	}
	for key, d := range map[string]time.Duration{"progress_interval": t.ProgressInterval, "expected_duration": t.ExpectedDuration} {
		if d < 0 {
			errs = append(errs, fmt.Errorf("%s must not be negative, got %v", key, d))
		}
	}
	if t.Trace != TraceRun && t.Trace != TraceSession {
		errs = append(errs, fmt.Errorf("trace must be %q or %q, got %q", TraceRun, TraceSession, t.Trace))
	}
	errs = append(errs,
		positiveDuration("family_grace", t.FamilyGrace),
		positiveDuration("pipeline_idle", t.PipelineIdle),
		positiveDuration("metrics_interval", t.MetricsInterval),
		positive("limits::target_runes", t.Limits.TargetRunes),
		positive("limits::content_bytes", t.Limits.ContentBytes),
		positive("limits::held_events", t.Limits.HeldEvents),
		positive("limits::open_calls", t.Limits.OpenCalls),
		positive("limits::remembered_ids", t.Limits.RememberedIDs),
		positive("limits::metric_series", t.Limits.MetricSeries),
		positive("limits::emitted_ids", t.Limits.EmittedIDs),
		positive("limits::pipelines", t.Limits.Pipelines),
	)
	return errors.Join(errs...)
}

// Retry says how a consumer that refuses is tried again. There is no end to it: the source waits.
type Retry struct {
	// InitialInterval is the first wait; each further one is twice as long.
	InitialInterval time.Duration `mapstructure:"initial_interval"`
	// MaxInterval is the longest wait.
	MaxInterval time.Duration `mapstructure:"max_interval"`
}

// NewDefaultRetry are the defaults.
func NewDefaultRetry() Retry {
	return Retry{InitialInterval: 100 * time.Millisecond, MaxInterval: 30 * time.Second}
}

// Validate reports what is wrong.
func (r *Retry) Validate() error {
	errs := []error{
		positiveDuration("retry::initial_interval", r.InitialInterval),
		positiveDuration("retry::max_interval", r.MaxInterval),
	}
	if r.MaxInterval < r.InitialInterval {
		errs = append(errs, fmt.Errorf("retry::max_interval must not be below retry::initial_interval (%v), got %v", r.InitialInterval, r.MaxInterval))
	}
	return errors.Join(errs...)
}

func positive(key string, n int) error {
	if n <= 0 {
		return fmt.Errorf("%s must be positive, got %d", key, n)
	}
	return nil
}

func notNegative(key string, d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("%s must not be negative, got %v", key, d)
	}
	return nil
}

func positiveDuration(key string, d time.Duration) error {
	if d <= 0 {
		return fmt.Errorf("%s must be positive, got %v", key, d)
	}
	return nil
}
