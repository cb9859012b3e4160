// Command bench measures the whole programs: a collector with the agent_stream receiver beside a collector with what a
// user would configure without it, file_log and json_parser. `make bench-collector` calls it; docs/performance.md has
// the results.
//
// Parts, each by itself with -part:
//
//	throughput  both collectors in turn over made transcripts and over repeated recordings: bytes per CPU second, memory
//	export      the same, into OTLP over HTTP with no compression, gzip and zstd: bytes per CPU second, bytes sent
//	latency     from the write of a line to the consumer, while many files are written to
//	idle        what many files cost that nobody writes to, and what it costs until they are known
//	backfill    what it takes to read many old sessions, and to start again over them
//	size        of the programs, and what the receiver adds to a collector
//	start       how long the command takes to say something
//	usage       how long the command takes to add up a history
//
// All that is compared is measured in the same run, in turn: the machine is never alone. CPU time is that of the whole
// process, start included, from /proc, so it runs on Linux only. What a run must read is counted beforehand, and a run
// that read anything else is an error, not a figure. Made data depends on nothing but its size.
package main
