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

// Telemetry says what spans and records look like and hold.
type Telemetry struct {
	// Semconv is the version of the GenAI conventions to follow.
	Semconv string `mapstructure:"semconv"`
	// Trace says what has a trace of its own where there is no pipeline and no outer trace: a "run" or a "session".
	Trace string `mapstructure:"trace"`
	// EndGrace is how long a run of a transcript that has shown its end stays open for a further line.
	EndGrace time.Duration `mapstructure:"end_grace"`
	// StallAfter is how long a run that is watched live may go without a line before that is reported, once; 0 for ever.
	StallAfter time.Duration `mapstructure:"stall_after"`
	// ParentWait is how long a sub-agent's span waits, once its run is over, for the call that started it.
	ParentWait time.Duration `mapstructure:"parent_wait"`
	// ForkWindow is how long the runs of a session are remembered over a restart, from the last time that its file was read, so
	// that a fork that copies them is recognized.
	ForkWindow time.Duration `mapstructure:"fork_window"`
	// Prices is a file of prices, by which the cost of runs is estimated whose agents report none.
	Prices string `mapstructure:"prices"`
	// PipelineIdle is how long a pipeline run must be quiet before its span is exported.
	PipelineIdle time.Duration `mapstructure:"pipeline_idle"`
	// ProgressInterval is the time between two records of progress of a run that is watched live; 0 for none.
	ProgressInterval time.Duration `mapstructure:"progress_interval"`
	// ExpectedDuration is how long a run should take, for the estimate in progress records; 0 if not known.
	ExpectedDuration time.Duration `mapstructure:"expected_duration"`
	// Metrics are the settings of metrics.
	Metrics Metrics `mapstructure:"metrics"`
	// Capture are the contents that go into records.
	Capture Capture `mapstructure:"capture"`
	// Limits bound memory and sizes.
	Limits Limits `mapstructure:"limits"`
}

// Capture says which contents go into records.
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
	// Messages puts gen_ai.input.messages, gen_ai.output.messages and gen_ai.system_instructions on spans.
	Messages bool `mapstructure:"messages"`
}

// Limits bound memory and sizes.
type Limits struct {
	// TargetLength bounds the target of a tool call, in runes.
	TargetLength int `mapstructure:"target_length"`
	// ContentSize bounds each opt-in content, in bytes.
	ContentSize Size `mapstructure:"content_size"`
	// PendingEvents bounds the pending events of one stream: those that wait for the key of their run or for a time.
	PendingEvents int `mapstructure:"pending_events"`
	// PendingSize bounds the memory of these events.
	PendingSize Size `mapstructure:"pending_size"`
	// Models bounds the models that the span of an agent lists.
	Models int `mapstructure:"models"`
	// OpenCalls bounds the calls of one run that wait for their result, and the sub-agents of a file that are at work.
	OpenCalls int `mapstructure:"open_calls"`
	// IDCacheSize bounds each list of known ids: of calls, messages, runs and sub-agents in a file, and of families, sessions and
	// the owners of runs in all files together.
	IDCacheSize int `mapstructure:"id_cache_size"`
	// SeriesPerMetric bounds the series of each metric.
	SeriesPerMetric int `mapstructure:"series_per_metric"`
	// ToolNames bounds the names of tools in metrics.
	ToolNames int `mapstructure:"tool_names"`
	// DedupCacheSize bounds the known ids of exported spans and records, of which none is exported twice.
	DedupCacheSize int `mapstructure:"dedup_cache_size"`
	// Pipelines bounds the pipeline runs that are remembered, and the steps of one.
	Pipelines int `mapstructure:"pipelines"`
}

// NewDefaultTelemetry are the defaults: texts are captured, all other contents are not.
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

// Check reports what is wrong.
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
