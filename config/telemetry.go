package config

import (
	"errors"
	"fmt"
	"slices"
	"time"
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

// Telemetry configures the form and content of spans and records.
type Telemetry struct {
	// Semconv is the version of the GenAI semantic conventions to follow.
	Semconv string `mapstructure:"semconv"`
	// Trace is what gets a separate trace without a pipeline or an outer trace: a "run" or a "session".
	Trace string `mapstructure:"trace"`
	// EndGrace is how long a run in a transcript stays open for further lines after its end was seen.
	EndGrace time.Duration `mapstructure:"end_grace"`
	// StallAfter is the time without a line after which a run, or a prompt without an answer, is reported, once, as stalled; 0: never.
	StallAfter time.Duration `mapstructure:"stall_after"`
	// ParentWait is how long the span of a finished sub-agent waits for the call that started it.
	ParentWait time.Duration `mapstructure:"parent_wait"`
	// ForkWindow is how long the runs of a session are remembered across restarts, counted from the last read of its file, to
	// recognize a fork that copies them.
	ForkWindow time.Duration `mapstructure:"fork_window"`
	// Prices is a price file for estimating the cost of runs whose agents report none.
	Prices string `mapstructure:"prices"`
	// PipelineIdle is how long a pipeline run must be quiet before its span is exported.
	PipelineIdle time.Duration `mapstructure:"pipeline_idle"`
	// ProgressInterval is the time between two progress records of a run that is followed live; 0: none are exported.
	ProgressInterval time.Duration `mapstructure:"progress_interval"`
	// ExpectedDuration is how long a run should take, for the estimate in progress records; 0: unknown.
	ExpectedDuration time.Duration `mapstructure:"expected_duration"`
	// Metrics configures metrics.
	Metrics Metrics `mapstructure:"metrics"`
	// Capture selects the contents that records carry.
	Capture Capture `mapstructure:"capture"`
	// Limits bound memory and sizes.
	Limits Limits `mapstructure:"limits"`
}

// Capture selects the contents that records carry.
type Capture struct {
	// Text is what the agent says.
	Text bool `mapstructure:"text"`
	// Prompts are what users and programs send to the agent.
	Prompts bool `mapstructure:"prompts"`
	// Reasoning is what the agent thinks.
	Reasoning bool `mapstructure:"reasoning"`
	// ToolInput are the arguments of tool calls.
	ToolInput bool `mapstructure:"tool_input"`
	// ToolOutput are the results of tool calls.
	ToolOutput bool `mapstructure:"tool_output"`
	// Messages adds gen_ai.input.messages, gen_ai.output.messages and gen_ai.system_instructions to spans.
	Messages bool `mapstructure:"messages"`
}

// Limits bound memory and sizes.
type Limits struct {
	// TargetLength is the maximum length of the target of a tool call, in runes.
	TargetLength int `mapstructure:"target_length"`
	// ContentSize is the maximum size of each opt-in content, in bytes.
	ContentSize Size `mapstructure:"content_size"`
	// PendingEvents is the maximum number of pending events per stream: those that wait for the key of their run or for a time.
	PendingEvents int `mapstructure:"pending_events"`
	// PendingSize is the maximum memory for these events.
	PendingSize Size `mapstructure:"pending_size"`
	// Models is the maximum number of models that an agent span lists.
	Models int `mapstructure:"models"`
	// OpenCalls is the maximum number of calls per run that wait for their result, and of running sub-agents per file.
	OpenCalls int `mapstructure:"open_calls"`
	// IDCacheSize is the maximum length of each list of known IDs: of calls, messages, runs and sub-agents per file, and of
	// families, sessions and the owners of runs across all files.
	IDCacheSize int `mapstructure:"id_cache_size"`
	// SeriesPerMetric is the maximum number of series per metric.
	SeriesPerMetric int `mapstructure:"series_per_metric"`
	// ToolNames is the maximum number of tool names in metrics.
	ToolNames int `mapstructure:"tool_names"`
	// DedupCacheSize is the maximum number of known IDs of exported spans and records, none of which is exported twice.
	DedupCacheSize int `mapstructure:"dedup_cache_size"`
	// Pipelines is the maximum number of remembered pipeline runs, and of steps in one.
	Pipelines int `mapstructure:"pipelines"`
}

// NewDefaultTelemetry returns the defaults: texts are captured, all other contents are not.
func NewDefaultTelemetry() Telemetry {
	return Telemetry{
		Semconv:          SemconvV141,
		Trace:            TraceRun,
		EndGrace:         10 * time.Second,
		StallAfter:       5 * time.Minute,
		ParentWait:       10 * time.Second,
		ForkWindow:       7 * 24 * time.Hour,
		PipelineIdle:     30 * time.Second,
		ProgressInterval: 10 * time.Second,
		Metrics:          NewDefaultMetrics(),
		Capture:          Capture{Text: true},
		Limits: Limits{
			TargetLength: 256, ContentSize: 64 << 10, PendingEvents: 4096, PendingSize: 16 << 20, Models: 64, OpenCalls: 10_000, IDCacheSize: 100_000,
			SeriesPerMetric: 2000, ToolNames: 100, DedupCacheSize: 500_000, Pipelines: 10_000,
		},
	}
}

// Check returns what is wrong.
func (t *Telemetry) Check() error {
	var errs []error
	if !slices.Contains([]string{SemconvGenAI01, SemconvV141}, t.Semconv) {
		errs = append(errs, fmt.Errorf("semconv must be %q or %q, got %q", SemconvGenAI01, SemconvV141, t.Semconv))
	}
	if t.Trace != TraceRun && t.Trace != TraceSession {
		errs = append(errs, fmt.Errorf("trace must be %q or %q, got %q", TraceRun, TraceSession, t.Trace))
	}
	errs = append(errs,
		notNegative("progress_interval", t.ProgressInterval),
		notNegative("expected_duration", t.ExpectedDuration),
		notNegative("fork_window", t.ForkWindow),
		notNegative("stall_after", t.StallAfter),
		positiveDuration("end_grace", t.EndGrace),
		positiveDuration("parent_wait", t.ParentWait),
		positiveDuration("pipeline_idle", t.PipelineIdle),
		t.Metrics.check(),
		positive("limits::target_length", t.Limits.TargetLength),
		positive("limits::content_size", t.Limits.ContentSize),
		positive("limits::pending_events", t.Limits.PendingEvents),
		positive("limits::pending_size", t.Limits.PendingSize),
		positive("limits::models", t.Limits.Models),
		positive("limits::open_calls", t.Limits.OpenCalls),
		positive("limits::id_cache_size", t.Limits.IDCacheSize),
		positive("limits::series_per_metric", t.Limits.SeriesPerMetric),
		positive("limits::tool_names", t.Limits.ToolNames),
		positive("limits::dedup_cache_size", t.Limits.DedupCacheSize),
		positive("limits::pipelines", t.Limits.Pipelines),
	)
	if t.Prices != "" {
		if _, err := ReadPrices(t.Prices); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
