// Package agentstreamreceiver is the collector receiver agent_stream: it follows the files that coding agents write and
// hands on what the agents did as spans and log records.
//
// It is glue. Package tail reads lines, package parser turns them into events, package telemetry turns events into spans
// and log records, and this package exports those to the consumers of its pipelines. The offset of a file moves only after
// every consumer has acknowledged the output of its lines: when a consumer refuses, the file waits, with back-off and
// bounded memory. A batch that a consumer rejects permanently is dropped, counted and logged.
//
// Besides files it reads pipes (FIFOs, standard input), and the output of agents that it runs itself: both go through spool
// files (internal/spooled), so that a writer never waits for a consumer. A spool is removed when all of it was acknowledged. The
// next start resumes one that a pipe or, with a spool directory, a command left.
//
//	agentStream        the receiver: what its streams share, start and stop, and the work in the background
//	stream             one input from lines to acknowledged output: a pipeline.Pipeline, and its state over a restart (state.go)
//	sources            the files, documents and databases that settings name
//	unrecognized       whether lines of no known provider are exported
//	internal/delivery  the consumers of all pipelines, each with its own retry loop; the component's status
//	internal/meter     the receiver's own metrics
//	internal/spooled   pipes and commands
//	internal/restated  the exported events of a document or of rows: after a restart only new events are exported
//	internal/hints     warns about settings that do not fit the files, each once
//
// An idle stream is suspended: it releases its parser state. Its lines are replayed before the next one.
//
// One configuration in a traces and a logs pipeline is one receiver: files are read once.
package agentstreamreceiver
