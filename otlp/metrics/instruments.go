package metrics

import "github.com/tailspan/tailspan/otlp"

// Instrument is a kind of measurement. In v1.41 some instruments share a metric.
type Instrument uint8

const (
	instrumentInputTokens Instrument = iota
	instrumentOutputTokens
	instrumentCacheRead
	instrumentCacheWrite
	instrumentReasoning
	instrumentTokenUsage // v1.41: a histogram over both types
	InstrumentInference
	InstrumentInvokeAgent
	InstrumentExecuteTool
	instrumentCost
	InstrumentRuns
	InstrumentToolCalls
	InstrumentRetries
	InstrumentCompactions
	instrumentEnd
)

// description is the export data of a metric. The names are those of genai-0.1 and of v1.41; a name is empty if that
// version has no such metric.
type description struct {
	v01, v141, unit, text string
	operation             string    // of its data points
	buckets               []float64 // of a histogram; nil for a counter
	decimal               bool      // a counter of fractions
}

// Buckets as recommended by the conventions (v1.41.0, gen-ai-metrics), extended because agents' tools take up to an
// hour and their runs up to six. The lists begin alike, because all durations are one metric in v1.41.
var (
	runBuckets = []float64{
		0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
		163.84, 327.68, 655.36, 1310.72, 2621.44, 3600, 7200, 14400, 21600,
	}
	callBuckets  = runBuckets[:20]
	tokenBuckets = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
)

var descriptions = [instrumentEnd]description{
	instrumentInputTokens: {
		v01:  "gen_ai.client.inference.usage.input_tokens",
		unit: "{token}", text: "Input tokens used, cached ones included.", operation: otlp.OperationChat,
	},
	instrumentOutputTokens: {
		v01:  "gen_ai.client.inference.usage.output_tokens",
		unit: "{token}", text: "Output tokens used, reasoning included.", operation: otlp.OperationChat,
	},
	instrumentCacheRead: {
		v01: "gen_ai.client.inference.usage.cache_read.input_tokens", v141: otlp.AttrUsageCacheRead,
		unit: "{token}", text: "Input tokens read from a cache.", operation: otlp.OperationChat,
	},
	instrumentCacheWrite: {
		v01: "gen_ai.client.inference.usage.cache_write.input_tokens", v141: otlp.AttrUsageCacheWrite,
		unit: "{token}", text: "Input tokens written to a cache.", operation: otlp.OperationChat,
	},
	instrumentReasoning: {
		v01: "gen_ai.client.inference.usage.reasoning.output_tokens", v141: otlp.AttrUsageReasoning,
		unit: "{token}", text: "Output tokens used for reasoning.", operation: otlp.OperationChat,
	},
	instrumentTokenUsage: {
		v141: "gen_ai.client.token.usage",
		unit: "{token}", text: "Tokens used by type.", operation: otlp.OperationChat, buckets: tokenBuckets,
	},
	InstrumentInference: {
		v01: "gen_ai.client.inference.duration", v141: "gen_ai.client.operation.duration",
		unit: "s", text: "Duration of model calls.", operation: otlp.OperationChat, buckets: callBuckets,
	},
	InstrumentInvokeAgent: {
		v01: "gen_ai.invoke_agent.duration", v141: "gen_ai.client.operation.duration",
		unit: "s", text: "Duration of agents' runs.", operation: otlp.OperationInvokeAgent, buckets: runBuckets,
	},
	InstrumentExecuteTool: {
		v01: "gen_ai.execute_tool.duration", v141: "gen_ai.client.operation.duration",
		unit: "s", text: "Duration of tool calls.", operation: otlp.OperationExecuteTool, buckets: callBuckets,
	},
	instrumentCost: {
		v01: otlp.MetricCost, v141: otlp.MetricCost,
		unit: "{USD}", text: "Cost as the agents report it.", operation: otlp.OperationChat, decimal: true,
	},
	InstrumentRuns: {
		v01: otlp.MetricRuns, v141: otlp.MetricRuns,
		unit: "{run}", text: "Runs that ended.", operation: otlp.OperationInvokeAgent,
	},
	InstrumentToolCalls: {
		v01: otlp.MetricToolCalls, v141: otlp.MetricToolCalls,
		unit: "{call}", text: "Tool calls that ended.", operation: otlp.OperationExecuteTool,
	},
	InstrumentRetries: {
		v01: otlp.MetricRetries, v141: otlp.MetricRetries,
		unit: "{retry}", text: "Model calls that were tried again.", operation: otlp.OperationChat,
	},
	InstrumentCompactions: {
		v01: otlp.MetricCompactions, v141: otlp.MetricCompactions,
		unit: "{compaction}", text: "Conversations that were compacted.", operation: otlp.OperationInvokeAgent,
	},
}

func (d *description) name(s otlp.Semconv) string {
	if s == otlp.SemconvV141 {
		return d.v141
	}
	return d.v01
}

// metricOf returns for each instrument the first one with the same metric.
func metricOf(s otlp.Semconv) (first [instrumentEnd]Instrument) {
	for i := range instrumentEnd {
		for first[i] = 0; descriptions[first[i]].name(s) != descriptions[i].name(s); first[i]++ {
		}
	}
	return first
}
