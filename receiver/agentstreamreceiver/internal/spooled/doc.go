// Package spooled reads inputs that must never wait for a consumer: FIFOs, standard input, and the output of commands that the
// receiver runs. All are copied to a spool (package spool), a file that is followed like any other.
//
//	Inputs    the pipes and commands of a receiver
//	pipe      a FIFO or standard input; each of its writers has a separate stream and spool
//	command   a program that the receiver runs; its output is a stream that its exit ends
//	folder    where the spools of one input are, locked for this process
//	reading   one spool on its way to the consumers, with its stored position
//
// # The life of a spool
//
//	from      on                                                  to
//	----      --                                                  --
//	-         a writer's first bytes, or the start of a command   written
//	written   the writer, the command or the receiver ends        finished
//	written   its limit is reached or the disk is full            written; further input is drained, dropped and counted
//	finished  all of it was acknowledged                          removed, with its stored position
//	finished  the receiver stops before that, or reading fails    kept
//	kept      the next start, with spool::directory               finished, and read from the stored position
//
// The spools of an input are read in order, except that spools left by earlier runs of a command are read concurrently with
// the current run. Lines before the stored position are replayed. The exit of a command is stored too, without standard error.
//
// The package does not know formats or telemetry: [Stream] is what the receiver makes of lines. The goroutines that an
// [Inputs] starts in Start end with Stop.
package spooled
