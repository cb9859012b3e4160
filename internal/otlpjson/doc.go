// Package otlpjson reads the files that a collector's file exporter writes and summarizes them.
//
// In goes OTLP JSON, one export request a line, of traces and of logs in any mixture ([Read]). Out come the requests as
// pdata, a [Summary] of the agent runs in them, which prints as a table, and a list of the [Problem]s of their structure
// ([Check]): parents that are missing, roots that are too many, ids that come twice.
//
// It knows the attribute names that a reader of the data sees, and nothing of how the spans were made: it is the judge of
// package telemetry and so must not share its code.
//
// Values are plain data. Nothing here is safe for use while another goroutine writes to the same pdata.
//
// A line is held in memory whole. There is no limit on its length: the file was written by a collector of one's own.
//
// Sources: the OTLP file exporter specification (one JSON object a line; opentelemetry.io/docs/specs/otel/protocol/file-exporter,
// status experimental) and the semantic conventions for GenAI agent spans (gen_ai.operation.name = invoke_agent, chat,
// execute_tool).
package otlpjson
