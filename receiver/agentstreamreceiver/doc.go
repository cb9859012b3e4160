// Package agentstreamreceiver implements the collector receiver agent_stream, which follows the files that coding agents write
// and exports what the agents did as spans, log records and metrics.
//
// The package connects others: package tail reads lines, package parser turns them into events, package telemetry turns events
// into spans and log records, and this package sends those to the consumers of its pipelines. The offset of a file moves only
// after every consumer has acknowledged the output of its lines. While a consumer refuses, the file waits, with back-off and
// bounded memory. A batch that a consumer rejects permanently is dropped, counted and logged.
//
// It also reads pipes (FIFOs, standard input) and the output of agents that it runs itself. Both go through spool files
// (internal/spooled), so that a writer never waits for a consumer. A spool is removed once all of it was acknowledged. The
// next start resumes a spool that a pipe or, with a spool directory, a command left.
//
//	agentStream        the receiver: what its streams share, start and stop, and background work
//	stream             one input from lines to acknowledged output: a pipeline.Pipeline, and its stored state (state.go)
//	sources            the files, documents and databases that the settings name
//	unrecognized       whether lines of no known provider are exported
//	internal/delivery  the consumers of all pipelines, each with its own retry loop; the component status
//	internal/meter     the receiver's own metrics
//	internal/spooled   pipes and commands
//	internal/restated  exported events of a document or of rows, so that a restart exports only new events
//	internal/hints     warnings about settings that do not fit the files, each once
//
// An idle stream is suspended: it releases its parser state, and its lines are replayed before the next one.
//
// A configuration used in several pipelines is one receiver, so files are read once.
package agentstreamreceiver
