// Package otlpjson reads and summarizes the files that a collector's file exporter writes.
//
// [Read] reads OTLP JSON, one export request per line, traces and logs in any order. It returns the requests as pdata.
// [Summarize] returns a [Summary] of the agent runs in them, which prints as a table, and [Check] returns the [Problem]s of
// their structure, such as missing parents, several roots, or duplicate IDs.
//
// The package uses the attribute names that a reader of the data sees and does not know how the spans were created: it
// verifies package telemetry and so must not share its code.
//
// Values are plain data. Nothing here is safe for use while another goroutine writes to the same pdata.
//
// A line is held in memory whole. Its length is not limited, because the file was written by one's own collector.
//
// Sources: the OTLP file exporter specification (one JSON object a line;
// opentelemetry.io/docs/specs/otel/protocol/file-exporter, status experimental) and the semantic conventions for GenAI agent
// spans (gen_ai.operation.name = invoke_agent, chat, execute_tool).
package otlpjson
