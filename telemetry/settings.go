package telemetry

import (
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/ledger"
)

// Settings govern a [Registry] and all of its streams.
type Settings struct {
	Semconv otlp.Semconv
	// Version is tailspan's own version, the version of the scope.
	Version string
	// TraceBySession gives a session one trace instead of one to each run.
	TraceBySession bool
	// ProgressInterval is the time between two records of progress of a run that is watched live; 0 for none.
	ProgressInterval time.Duration
	// ParentWait is how long a sub-agent's span waits, once its run is over and its file is quiet, for the call
	// that started it.
	ParentWait time.Duration
	// EndGrace is how long a run that has shown its end stays open without a further line, where no line of the format ends it.
	EndGrace time.Duration
	// StallAfter is how long a run that is watched live may go without a line before that is reported; 0 for ever.
	StallAfter time.Duration
	// PipelineIdle is how long a pipeline run must be quiet before its span goes out.
	PipelineIdle time.Duration
	// PipelineService is the service of pipelines and steps.
	PipelineService string
	// Attributes are on each span and record.
	Attributes []otlp.Attribute
	Metrics    metrics.Settings
	// MetricsOnly leaves out the spans and records of agents, which takes half as long.
	MetricsOnly bool
	// Prices estimate the cost of runs whose agents report none.
	Prices  ledger.Prices
	Capture otlp.CaptureSettings
	Limits  Limits
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Limits bound memory and sizes.
type Limits struct {
	// TargetRunes bounds tailspan.tool.target; a path is cut on its left.
	TargetRunes int
	// ContentBytes bounds opt-in contents: prompts, reasoning, tool input and output, results. Texts are never cut.
	ContentBytes int
	// PendingEvents bounds the events of one stream that wait for a run key or a time; PendingBytes, what they hold, and
	// what the captured arguments of its open calls hold.
	PendingEvents, PendingBytes int
	// Models bounds the models that the span of an agent lists.
	Models int
	// OpenCalls bounds the calls of one run that wait for their result, those of all closed runs of a stream together, the
	// results of a run whose call was not seen yet, and the sub-agents of a stream that are at work.
	OpenCalls int
	// RememberedIDs bounds each list of known ids: of calls, messages, runs and sub-agents in a stream; of
	// links, of sessions and of whose a run is in the registry.
	RememberedIDs int
	// EmittedIDs bounds the ids of spans and records that are remembered so that none goes out twice.
	EmittedIDs int
	// Pipelines bounds the pipeline runs that are remembered, and the steps of one.
	Pipelines int
}

// NewDefaultSettings are the defaults.
func NewDefaultSettings() Settings {
	return Settings{
		Semconv:          otlp.SemconvV141,
		ParentWait:       10 * time.Second,
		EndGrace:         10 * time.Second,
		StallAfter:       5 * time.Minute,
		ProgressInterval: 10 * time.Second,
		PipelineIdle:     30 * time.Second,
		PipelineService:  "tailspan",
		Metrics:          metrics.Settings{PromoteResource: true, SeriesPerMetric: 2000, ToolNames: 100},
		Capture:          otlp.CaptureSettings{Text: true},
		Limits: Limits{
			TargetRunes:   256,
			ContentBytes:  64 << 10,
			PendingEvents: 4096,
			PendingBytes:  16 << 20,
			Models:        64,
			OpenCalls:     10_000,
			RememberedIDs: 100_000,
			EmittedIDs:    500_000,
			Pipelines:     10_000,
		},
		Now: time.Now,
	}
}
