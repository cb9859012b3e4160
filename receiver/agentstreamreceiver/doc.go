// Package agentstreamreceiver is the collector receiver agent_stream: it follows the files that coding agents write and
// hands on what the agents did as spans and log records.
//
// It is glue. Package source reads lines, package parser turns them into events, package telemetry turns events into spans
// and log records, and this package exports those to the consumers of its pipelines. The offset of a file moves only after
// every consumer has acknowledged the output of its lines: when a consumer refuses, the file waits, with back-off and
// bounded memory. A batch that a consumer rejects permanently is dropped, counted and logged.
//
// Besides files it reads pipes (FIFOs, standard input), and the output of agents that it runs itself: both go through spool
// files (package spool), so that a writer never waits for a consumer. A spool is removed when all of it was
// acknowledged. The next start resumes one that a pipe or, with a spool directory, a command left.
//
//	type             from lines to consumers
//	pipeline.Pipeline      one stream: parser, joiner, redaction, telemetry (also of `tailspan run`)
//	stream           a pipeline.Pipeline with acknowledgement, and its state over a restart (state.go)
//	exportedEvents   the exported events of a document or of rows: after a restart only new events are exported
//	delivery         the consumers of all pipelines, each with its own retry loop
//	spooled          a stream that is read from a spool
//	pipe             a pipe; writerSession is the input of one of its writers
//	command          a program that the receiver runs (commandspool.go: spools of its previous runs)
//	configHints      warns about settings that do not fit the files, each once
//	health, lag      report the status of the receiver, and the bytes that are not acknowledged yet
//
// An idle stream is suspended (suspend.go): it releases its parser state. Its lines are replayed before the next one.
//
// One configuration in a traces and a logs pipeline is one receiver: files are read once.
package agentstreamreceiver
