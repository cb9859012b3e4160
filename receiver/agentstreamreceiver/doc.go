// Package agentstreamreceiver is the collector receiver agent_stream: it follows the files that coding agents write and
// hands on what the agents did as spans and log records.
//
// It is glue. Package source gives lines, package parser makes events of them, package telemetry folds the events into
// spans and log records, and this package hands those to the consumers of its pipelines. A file's position moves only
// after every consumer has accepted what its lines gave: a consumer that refuses makes the file wait, with back-off and
// bounded memory. A permanent refusal is counted and logged, and what was refused is gone.
//
// One configuration that stands in a traces and a logs pipeline is one receiver: files are read once.
package agentstreamreceiver
