// Command bench measures the whole programs: a collector with the agent_stream receiver, compared with a collector
// configured with file_log and json_parser, which a user would use instead. `make bench-collector` runs it;
// docs/performance.md has the results.
//
// Parts, each selectable with -part:
//
//	throughput  both collectors in turn over generated transcripts and repeated recordings: bytes per CPU second, memory
//	export      the same, to OTLP over HTTP without compression, with gzip and with zstd: bytes per CPU second, bytes sent
//	latency     from the write of a line to the consumer, while many files are written to
//	idle        the cost of many files that nobody writes to, and of discovering them
//	backfill    both collectors in turn over many old sessions, and the cost of a restart over them
//	size        of the programs, and what the receiver adds to a collector
//	start       the time until the command prints something
//	usage       the time that the command takes to add up a history
//
// Everything that is compared is measured in the same run, in turn, because the machine is never idle. CPU time is
// that of the whole process, including its start, from /proc, so it runs only on Linux. The content of each data set
// is counted in advance; a run that reads anything else is an error. Generated data depends only on its size.
package main
