// Package spooled reads inputs that must never wait for a consumer: FIFOs, standard input, and the output of commands that the
// receiver runs. All are copied to a spool (package spool), a file that is followed like any other.
//
//	Inputs    the pipes and commands of a receiver
//	pipe      a FIFO or standard input; each of its writers is a stream of its own, in a spool of its own
//	command   a program that the receiver runs, whose output is a stream; its exit ends the stream
//	folder    where the spools of one input lie, locked for this process
//	reading   one spool on its way to the consumers, with its stored position
//
// # The life of a spool
//
//	from      on                                                  to
//	----      --                                                  --
//	-         a writer's first bytes, or the start of a command   written
//	written   the writer or the command ends, or the receiver     finished
//	written   its limit or the disk is full                       written, and further input is drained, dropped and counted
//	finished  all of it was acknowledged                          removed, with its stored position
//	finished  the receiver stops before, or reading fails         kept
//	kept      the next start, with spool::directory               finished, and read from the stored position
//
// Each input is read in the order of its spools, but for the spools that earlier runs of a command left: they are read beside
// the run. The lines before the stored position are replayed. Of a command the exit is stored too, without standard error.
//
// The package knows nothing of formats and telemetry: [Stream] is what the receiver makes of lines. An [Inputs] starts
// goroutines in Start, which end with Stop.
package spooled
