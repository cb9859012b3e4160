// Command demo runs the collector over the sample sessions and shows the result: the readable log while it runs, then
// where the spans and log records are, and a table of their contents. It ends by itself. `make demo` runs it.
//
// It performs these steps:
//
//	sample files ─► lines expected
//	free ports   ─► [Jaeger up] ─► collector up ─► its counter of lines reaches the expected number
//	interrupt    ─► collector has exported everything ─► files read back, structure checked, table
//	             ─► [every trace found through Jaeger's query API] ─► [wait for Ctrl-C]
//
// The collector's own counter shows when everything has been read, and its orderly end that everything has been exported,
// so no pause is needed. Each wait has a time limit, and its error names what it waited for. The system assigns the
// ports, which the two programs receive in the environment (DEMO_*, see deploy/config/demo.yaml). If another program
// takes one of them in the meantime, the start fails.
package main
