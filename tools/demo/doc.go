// Command demo runs the collector over the sample sessions and shows what comes out: the readable log while it runs, then
// where the spans and log records are and a table of what is in them. It ends by itself. `make demo` calls it.
//
// It follows one order:
//
//	sample files ─► lines expected
//	free ports   ─► [Jaeger up] ─► collector up ─► its counter of lines reaches what is expected
//	interrupt    ─► collector has handed on all it holds ─► files read back, structure checked, table
//	             ─► [every trace found through Jaeger's query API] ─► [wait for Ctrl-C]
//
// The collector's own counter says when everything was read, and its orderly end says that everything was handed on:
// no pause is guessed. Each wait has a time limit, and its error names what was waited for. Ports are asked of the system
// and given to the two programs by the environment (DEMO_*, see deploy/config/demo.yaml); another program could take one
// of them in the moment between, which shows as a start that fails.
package main
