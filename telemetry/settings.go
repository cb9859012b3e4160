package telemetry

import (
	"time"

	"github.com/tailspan/tailspan/otlp"
	"github.com/tailspan/tailspan/otlp/metrics"
	"github.com/tailspan/tailspan/session/ledger"
	"github.com/tailspan/tailspan/session/pending"
)

// Settings apply to a [Registry] and all of its streams.
type Settings struct {
	Semconv otlp.Semconv
	// Version is tailspan's version, used as the version of the scope.
	Version string
	// TraceBySession gives each session one trace instead of one per run.
	TraceBySession bool
	// ProgressInterval is the time between two progress records of a live run; 0 for none.
	ProgressInterval time.Duration
	// ParentWait is how long the span of a sub-agent waits for the call that started it, after its run is over and its
	// file is quiet.
	ParentWait time.Duration
	// Eager decides by what is known, for a display: it links a sub-agent that is read live to the open run of the session that its
	// folder names, and a file that was not changed for EndGrace shows the end of what it contains. Otherwise both wait, so that the
	// result does not depend on the order of reading.
	Eager bool
	// EndGrace is how long a run stays open after it has shown its end, if its format has no end line and no line follows.
	EndGrace time.Duration
	// StallAfter is how long a run, or a prompt without an answer, may go without a line before it is reported as stalled; 0 for ever.
	StallAfter time.Duration
	// PipelineIdle is how long a pipeline run must be quiet before its span is exported.
	PipelineIdle time.Duration
	// PipelineService is the service name of pipelines and steps.
	PipelineService string
	// Attributes are added to each span and record.
	Attributes []otlp.Attribute
	Metrics    metrics.Settings
	// MetricsOnly omits the spans and records of agents, which takes half the time.
	MetricsOnly bool
	// Prices estimate the cost of runs whose agents report none.
	Prices  ledger.Prices
	Capture otlp.CaptureSettings
	Limits  Limits
	// Now returns the current time; nil means time.Now.
	Now func() time.Time
}

// Limits bound memory and sizes.
type Limits struct {
	// TargetRunes bounds tailspan.tool.target; a path is cut on its left.
	TargetRunes int
	// ContentBytes bounds opt-in content: prompts, reasoning, tool input and output, results. Texts are never cut.
	ContentBytes int
	// PendingEvents bounds the events of one stream that wait for a run key or a time. PendingBytes bounds their size,
	// and the size of the captured arguments of its open calls.
	PendingEvents, PendingBytes int
	// Models bounds the models listed on the span of an agent.
	Models int
	// OpenCalls bounds the open calls of one run, those of all closed runs of a stream together, the results of a run
	// that precede their call, and the active sub-agents of a stream.
	OpenCalls int
	// RememberedIDs bounds each list of known IDs: of calls, messages, runs and sub-agents in a stream, and of links,
	// sessions and accounts in the registry.
	RememberedIDs int
	// EmittedIDs bounds the IDs of spans and records that are remembered to export none twice.
	EmittedIDs int
	// Pipelines bounds the remembered pipeline runs, and the steps of each.
	Pipelines int
}

// pending returns the limits of pending events.
func (l *Limits) pending() pending.Limits {
	return pending.Limits{Events: l.PendingEvents, Bytes: l.PendingBytes}
}

// NewDefaultSettings returns the default settings.
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
