package dashboards

import "strings"

// All returns the dashboards.
func All() []Board { return []Board{runs(), oneRun(), tools(), health()} }

// Names of metrics and labels in Prometheus and VictoriaMetrics (-opentelemetry.usePrometheusNaming).
const (
	metricRuns      = "tailspan_runs_total"
	metricCost      = "tailspan_cost_total"
	metricTokens    = "gen_ai_client_token_usage_sum"
	metricCacheRead = "tailspan_usage_cache_read_input_tokens_total"
	metricDuration  = "gen_ai_client_operation_duration_seconds"
	metricCalls     = "tailspan_tool_calls_total"

	pipeline = "cicd_pipeline_name"
	step     = "cicd_pipeline_task_name"
	model    = "gen_ai_request_model"
	agent    = "gen_ai_agent_name"
	tool     = "gen_ai_tool_name"
	toolKind = "tailspan_tool_kind"
	server   = "tailspan_tool_server"
	outcome  = "tailspan_run_outcome"

	failedRun = outcome + `!~"ok|interrupted"`
	inputOnly = `gen_ai_token_type="input"`
	ofAgents  = `gen_ai_operation_name="invoke_agent"`
	ofTools   = `gen_ai_operation_name="execute_tool"`
)

// increase queries how much a counter grew in the time range of the dashboard, by labels.
func increase(metric, by string, matchers ...string) string {
	return sumBy(by) + "(increase(" + metric + "{" + strings.Join(append([]string{matchMetrics}, matchers...), ",") + "}[$__range]))"
}

// steps queries how much a counter grew in each step.
func steps(metric, by string, matchers ...string) string {
	return sumBy(by) + "(increase(" + metric + "{" + strings.Join(append([]string{matchMetrics}, matchers...), ",") + "}[$__rate_interval]))"
}

func sumBy(by string) string {
	if by == "" {
		return "sum "
	}
	return "sum by (" + by + ") "
}

// quantile queries a quantile of the durations in the time range.
func quantile(q, by string, matchers ...string) string {
	labels := "le"
	if by != "" {
		labels += ", " + by
	}
	return "histogram_quantile(" + q + ", " + increase(metricDuration+"_bucket", labels, matchers...) + ")"
}

// most limits a query to the ten largest values.
func most(expr string) string { return "topk(10, " + expr + " > 0)" }

func metric(mode Mode, legend, expr string) Query {
	return Query{Source: Metrics, Mode: mode, Legend: legend, Expr: expr}
}

// barsOf returns a panel of the current values of a metric, one bar for each legend.
func barsOf(title, unit string, width uint32, legend, expr string) Panel {
	return Panel{Title: title, kind: bars, unit: unit, width: width, height: 8, Queries: []Query{metric(Instant, legend, expr)}}
}

// linesOf returns a panel of a metric over time, one line for each legend.
func linesOf(title, unit string, width uint32, legend, expr string) Panel {
	return Panel{Title: title, kind: lines, unit: unit, width: width, height: 8, Queries: []Query{metric(Range, legend, expr)}}
}

// numberOf returns a panel of the current value of a metric.
func numberOf(title, unit string, width uint32, expr string) Panel {
	return Panel{Title: title, kind: number, unit: unit, width: width, Queries: []Query{metric(Instant, "", expr)}}
}

func toRun(field string) []link {
	return []link{{"Open the run", "/d/tailspan-run?var-trace=${__data.fields." + field + "}&${__url_time_range}"}}
}

func runs() Board {
	share := func(by string) string { return increase(metricRuns, by, failedRun) + " / " + increase(metricRuns, by) }
	cache := func(by string) string {
		return increase(metricCacheRead, by) + " / " + increase(metricTokens, by, inputOnly)
	}
	byStep := pipeline + ", " + step
	return Board{
		UID: "tailspan-runs", Title: "tailspan: runs", from: "24h", variables: pipelineVariables(),
		Description: "What the agents of all pipelines did: how it ended, how long it took, what it cost.",
		Rows: []Row{
			{"In the time range", []Panel{
				numberOf("Runs", unitCount, 4, increase(metricRuns, "")),
				numberOf("Failed share", unitShare, 4, share("")).
					about("Runs that ended as error, killed or incomplete."),
				numberOf("Cost", unitDollars, 4, increase(metricCost, "")),
				{
					Title: "Tokens", Description: "Input, cached tokens included, and output.",
					kind: number, unit: unitCount, width: 4,
					Queries: []Query{metric(Instant, "{{gen_ai_token_type}}", increase(metricTokens, "gen_ai_token_type"))},
				},
				numberOf("Cache share", unitShare, 4, cache("")).
					about("Input tokens that were read from a cache."),
				numberOf("p95 duration", unitSeconds, 4, quantile("0.95", "", ofAgents)),
			}},
			{"How runs end", []Panel{
				linesOf("Runs by outcome", unitCount, 12, "{{"+outcome+"}}", steps(metricRuns, outcome)),
				{
					Title: "Runs by step and outcome", kind: rows, unit: unitCount, width: 12, height: 8,
					Queries: []Query{metric(Table, "", increase(metricRuns, byStep+", service_name, "+outcome+", error_type")+" > 0")},
				},
				barsOf("Failed share by step", unitShare, 12, "{{"+pipeline+"}}/{{"+step+"}}", "topk(10, "+share(byStep)+")"),
				{Title: "Duration by step", kind: rows, unit: unitSeconds, width: 12, height: 8, join: true, Queries: []Query{
					metric(Table, "p50", quantile("0.5", byStep, ofAgents)), metric(Table, "p95", quantile("0.95", byStep, ofAgents)),
				}},
				{
					Title: "Last failures", kind: rows, width: 24, height: 8, links: toRun("trace_id"),
					Queries: []Query{{Source: Logs, Mode: Table, Expr: matchLogs + ` "tailspan.run.outcome":in(error, killed, incomplete)
| sort by (_time) desc | limit 50
| fields _time, cicd.pipeline.name, cicd.pipeline.task.name, cicd.pipeline.run.id, service.name, tailspan.run.outcome, error.type, _msg, trace_id`}},
				},
				{Title: "Runs without an end", Description: "Steps that began and have shown no end: at work now, stalled, or gone.", kind: rows, width: 24, height: 8, links: toRun("trace_id"), Queries: []Query{{Source: Logs, Mode: Table, Quiet: "all runs have ended", Expr: matchLogs + ` event_name:="tailspan.step_started" or (` + matchLogs + ` "tailspan.run.outcome":*)
| stats by (cicd.pipeline.name, cicd.pipeline.run.id, cicd.pipeline.task.name, service.name, trace_id) min(_time) started, count() if (event_name:="tailspan.step_started") begun, count() if ("tailspan.run.outcome":*) ended
| filter ended:=0 | sort by (started) desc
| fields started, cicd.pipeline.name, cicd.pipeline.task.name, cicd.pipeline.run.id, service.name, trace_id`}}},
				{
					Title: "Stalls", Description: "Silences of runs, and of prompts whose model has not answered, which have no trace yet.",
					kind: rows, width: 24, height: 8, links: toRun("trace_id"),
					Queries: []Query{{Source: Logs, Mode: Table, Quiet: "no run has stalled", Expr: matchLogs + ` event_name:="tailspan.stalled"
| sort by (_time) desc | limit 50
| fields _time, cicd.pipeline.name, cicd.pipeline.task.name, cicd.pipeline.run.id, service.name, gen_ai.conversation.id, _msg, trace_id`}},
				},
			}},
			{"What runs cost", []Panel{
				barsOf("Cost by pipeline", unitDollars, 6, "{{"+pipeline+"}}", most(increase(metricCost, pipeline))),
				barsOf("Cost by step", unitDollars, 6, "{{"+pipeline+"}}/{{"+step+"}}", most(increase(metricCost, byStep))),
				barsOf("Cost by model", unitDollars, 6, "{{"+model+"}}", most(increase(metricCost, model))),
				barsOf("Cost by agent", unitDollars, 6, "{{service_name}}", most(increase(metricCost, "service_name"))),
				barsOf("Tokens by pipeline", unitCount, 6, "{{"+pipeline+"}}", most(increase(metricTokens, pipeline))),
				barsOf("Tokens by step", unitCount, 6, "{{"+pipeline+"}}/{{"+step+"}}", most(increase(metricTokens, byStep))),
				barsOf("Tokens by model", unitCount, 6, "{{"+model+"}}", most(increase(metricTokens, model))),
				barsOf("Tokens by agent", unitCount, 6, "{{service_name}}", most(increase(metricTokens, "service_name"))),
				barsOf("Cache share by pipeline", unitShare, 8, "{{"+pipeline+"}}", "topk(10, "+cache(pipeline)+")"),
				barsOf("Cache share by step", unitShare, 8, "{{"+pipeline+"}}/{{"+step+"}}", "topk(10, "+cache(byStep)+")"),
				barsOf("Cache share by agent", unitShare, 8, "{{service_name}}", "topk(10, "+cache("service_name")+")"),
				linesOf("Cost over time", unitDollars, 24, "{{"+pipeline+"}}", steps(metricCost, pipeline)),
			}},
		},
	}
}

func oneRun() Board {
	const run = `trace_id:="$trace"`
	records1 := func(expr string) []Query { return []Query{{Source: Logs, Mode: Table, Expr: run + " " + expr}} }
	return Board{
		UID: "tailspan-run", Title: "tailspan: one run", from: "24h", variables: variablesOfRun(),
		Description: "One trace: the log of its agents beside their spans. A step of a pipeline shares its trace with the other steps of the pipeline's run.",
		Rows: []Row{{"The run", []Panel{
			{Title: "How it ended", kind: rows, width: 24, height: 6, Queries: records1(`"tailspan.run.outcome":*
| sort by (_time)
| fields _time, cicd.pipeline.task.name, service.name, tailspan.run.outcome, error.type, _msg, tailspan.usage.run.input_tokens, tailspan.usage.run.output_tokens, tailspan.usage.run.cost_usd`)},
			{Title: "Log", kind: records, width: 10, height: 20, Queries: records1(`-event_name:in("tailspan.usage", "tailspan.progress") | sort by (_time, tailspan.sequence)`)},
			{Title: "Trace", kind: trace, width: 14, height: 20, Queries: []Query{{Source: Traces, Mode: Table, Expr: "$trace"}}},
			{Title: "Tool calls", kind: rows, width: 12, height: 10, Queries: records1(`event_name:="tailspan.tool_result"
| sort by (_time)
| fields _time, cicd.pipeline.task.name, gen_ai.tool.name, tailspan.tool.target, tailspan.tool.duration_s, severity_text, _msg`)},
			{Title: "Tokens by model call", kind: rows, width: 12, height: 10, Queries: records1(`event_name:="tailspan.usage" "tailspan.usage.scope":="call"
| sort by (_time)
| fields _time, cicd.pipeline.task.name, gen_ai.response.model, gen_ai.usage.input_tokens, gen_ai.usage.cache_read.input_tokens, gen_ai.usage.output_tokens`)},
		}}},
	}
}

func tools() Board {
	failed := `error_type!=""`
	share := func(by string) string { return increase(metricCalls, by, failed) + " / " + increase(metricCalls, by) }
	return Board{
		UID: "tailspan-tools", Title: "tailspan: tools", from: "24h", variables: pipelineVariables(),
		Description: "What the agents' tools did, how often they failed and how long they took.",
		Rows: []Row{
			{"In the time range", []Panel{
				numberOf("Calls", unitCount, 6, increase(metricCalls, "")),
				numberOf("Failed share", unitShare, 6, share("")),
				numberOf("Time in tools", unitSeconds, 6, increase(metricDuration+"_sum", "", ofTools)),
				numberOf("p95", unitSeconds, 6, quantile("0.95", "", ofTools)),
			}},
			{"By tool", []Panel{
				barsOf("Calls by tool", unitCount, 8, "{{"+tool+"}}", most(increase(metricCalls, tool))),
				barsOf("Failed share by tool", unitShare, 8, "{{"+tool+"}}", most(share(tool))),
				barsOf("Time by tool", unitSeconds, 8, "{{"+tool+"}}", most(increase(metricDuration+"_sum", tool, ofTools))),
				{Title: "Duration by tool", kind: rows, unit: unitSeconds, width: 12, height: 8, join: true, Queries: []Query{
					metric(Table, "p50", quantile("0.5", tool, ofTools)), metric(Table, "p95", quantile("0.95", tool, ofTools)),
				}},
				{
					Title: "Failures by tool and cause", kind: rows, unit: unitCount, width: 12, height: 8,
					Queries: []Query{metric(Table, "", increase(metricCalls, "service_name, "+tool+", error_type", failed)+" > 0")},
				},
			}},
			{"By kind and server", []Panel{
				barsOf("Calls by kind", unitCount, 8, "{{"+toolKind+"}}", most(increase(metricCalls, toolKind))),
				barsOf("Failed share by kind", unitShare, 8, "{{"+toolKind+"}}", most(share(toolKind))),
				barsOf("Time by kind", unitSeconds, 8, "{{"+toolKind+"}}", most(increase(metricDuration+"_sum", toolKind, ofTools))),
				{Title: "Duration by kind", kind: rows, unit: unitSeconds, width: 8, height: 8, join: true, Queries: []Query{
					metric(Table, "p50", quantile("0.5", toolKind, ofTools)), metric(Table, "p95", quantile("0.95", toolKind, ofTools)),
				}},
				barsOf("Calls by MCP server", unitCount, 8, "{{"+server+"}}", most(increase(metricCalls, server, server+`!=""`))),
				barsOf("Time by MCP server", unitSeconds, 8, "{{"+server+"}}", most(increase(metricDuration+"_sum", server, ofTools, server+`!=""`))),
			}},
			{"Records", []Panel{
				{
					Title: "Last failed calls", kind: rows, width: 24, height: 10, links: toRun("trace_id"),
					Queries: []Query{{Source: Logs, Mode: Table, Expr: matchLogs + ` event_name:="tailspan.tool_result" severity_text:="ERROR"
| sort by (_time) desc | limit 50
| fields _time, cicd.pipeline.name, cicd.pipeline.task.name, service.name, gen_ai.tool.name, tailspan.tool.target, _msg, trace_id`}},
				},
				{
					Title: "Calls that were refused", kind: rows, width: 12, height: 8,
					Queries: []Query{{Source: Logs, Mode: Table, Expr: matchLogs + ` "tailspan.tool.denied":="true" | stats by (service.name, gen_ai.tool.name) count() calls | sort by (calls) desc`}},
				},
				{
					Title: "Notices of the agents", kind: rows, width: 12, height: 8,
					Queries: []Query{{Source: Logs, Mode: Table, Expr: matchLogs + ` event_name:="tailspan.notice" severity_text:in("WARN", "ERROR") | stats by (service.name, tailspan.notice.code) count() notices | sort by (notices) desc`}},
				},
			}},
		},
	}
}

func health() Board {
	const receiver = "otelcol_receiver_agent_stream_"
	// A counter exists only once it has counted something.
	rate := func(name, by string) string { return sumBy(by) + "(rate(" + receiver + name + "[$__rate_interval]))" }
	count := func(name, by string) string {
		return sumBy(by) + "(increase(" + receiver + name + "[$__range])) or vector(0)"
	}
	return Board{
		UID: "tailspan-health", Title: "tailspan: health", from: "1h",
		Description: "How the collector with tailspan is doing.",
		Rows: []Row{
			{"Now", []Panel{
				numberOf("Collectors up", unitCount, 4, `sum(up{job="collector"})`),
				numberOf("Lag", unitBytes, 4, "sum("+receiver+"lag)").
					about("Bytes that are written and that no consumer has accepted yet."),
				{
					Title: "Files known, open", kind: number, unit: unitCount, width: 4,
					Queries: []Query{metric(Instant, "known", "sum("+receiver+"files_known)"), metric(Instant, "open", "sum("+receiver+"files_open)")},
				},
				numberOf("Dropped", unitCount, 4, count("dropped", "")).
					about("Spans, log records and data points that no consumer will get."),
				numberOf("Unknown types", unitCount, 4, count("unknown_types", "")).
					about("Lines of types that this version does not know."),
				{
					Title: "Errors", Description: "Files that were not readable, positions that were not kept.",
					kind: number, unit: unitCount, width: 4,
					Queries: []Query{metric(Instant, "read", count("read_errors", "")), metric(Instant, "storage", count("storage_errors", ""))},
				},
			}},
			{"Receiver", []Panel{
				linesOf("Lines read", unitCount, 12, "{{provider}}", rate("lines", "provider")),
				linesOf("Lag by provider", unitBytes, 12, "{{provider}}", "sum by (provider) ("+receiver+"lag)"),
				linesOf("Retries", unitCount, 8, "{{signal}}", rate("retries", "signal")+" or vector(0)"),
				linesOf("Lines that gave nothing", unitCount, 8, "{{reason}}", rate("lines_not_parsed", "reason")+" or vector(0)"),
				linesOf("Anomalies", unitCount, 8, "{{reason}}", rate("anomalies", "reason")+" or vector(0)"),
				{
					Title: "Types that are not known", kind: rows, unit: unitCount, width: 12, height: 8,
					Queries: []Query{{Source: Metrics, Mode: Table, Quiet: "all types are known", Expr: "sum by (type) (" + receiver + "unknown_types)"}},
				},
				{
					Title: "Dropped by reason", kind: rows, unit: unitCount, width: 12, height: 8,
					Queries: []Query{{Source: Metrics, Mode: Table, Quiet: "nothing is dropped", Expr: "sum by (signal, reason) (" + receiver + "dropped)"}},
				},
			}},
			{"Collector", []Panel{
				linesOf("Spans sent", unitCount, 8, "{{exporter}}", "sum by (exporter) (rate(otelcol_exporter_sent_spans[$__rate_interval]))"),
				linesOf("Log records sent", unitCount, 8, "{{exporter}}", "sum by (exporter) (rate(otelcol_exporter_sent_log_records[$__rate_interval]))"),
				linesOf("Data points sent", unitCount, 8, "{{exporter}}", "sum by (exporter) (rate(otelcol_exporter_sent_metric_points[$__rate_interval]))"),
				linesOf("Queues of the exporters", unitCount, 8, "{{exporter}} {{data_type}}", "sum by (exporter, data_type) (otelcol_exporter_queue_size)"),
				linesOf("CPU", unitShare, 8, "{{instance}}", `sum by (instance) (rate(otelcol_process_cpu_seconds[$__rate_interval]))`),
				linesOf("Memory", unitBytes, 8, "{{instance}}", `sum by (instance) (otelcol_process_memory_rss)`),
				linesOf("Records that the readable log left out", unitCount, 12, "{{reason}}", "sum by (reason) (rate(otelcol_exporter_agent_render_ignored_records[$__rate_interval])) or vector(0)"),
				{
					Title: "Alerts", kind: rows, width: 12, height: 8,
					Queries: []Query{{Source: Metrics, Mode: Table, Quiet: "no alert fires", Expr: `ALERTS{alertstate="firing"}`}},
				},
			}},
		},
	}
}
