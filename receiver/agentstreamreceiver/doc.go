// Package agentstreamreceiver is the collector receiver agent_stream: it follows the files that coding agents write and
// hands on what the agents did as spans and log records.
//
// It is glue. Package source gives lines, package parser makes events of them, package telemetry folds the events into
// spans and log records, and this package hands those to the consumers of its pipelines. A file's position moves only
// after every consumer has accepted what its lines gave: a consumer that refuses makes the file wait, with back-off and
// bounded memory. A permanent refusal is counted and logged, and what was refused is gone.
//
// Besides files it reads pipes (FIFOs, standard input), and the output of agents that it runs itself: both go through spool
// files (package source/spool), so that whoever writes never waits for a consumer. A spool is removed when all of it was
// accepted; one that a pipe or, with a spool directory, a command left is read on by the next start.
//
//	component      from lines to consumers
//	fold.Stream    one stream: parser, joiner, redaction, telemetry (also of `tailspan run`)
//	stream         a fold.Stream with acceptance, and what is kept over a restart (state.go)
//	given          the events that a document or rows gave, so that a restart gives only what they tell beyond them
//	delivery       the consumers of all pipelines, each with its own retry loop
//	spooled        a stream out of a spool
//	pipe, life     a pipe, and what one of its writers wrote
//	command        a program of ours (commandspool.go: what an earlier run of it left)
//	adviser        tells the user of settings that do not fit the files, each once
//
// A stream that was quiet for long rests (rest.go): what its lines tell is let go of, and folded again before the next one.
// Health and lag tell the collector how the receiver is and how far behind it reads.
//
// One configuration that stands in a traces and a logs pipeline is one receiver: files are read once.
package agentstreamreceiver
