// Package program runs the programs that tools and their tests measure and check: it starts one, waits until it is ready,
// asks it for its counters, measures what it costs and ends it. Nothing waits without a limit, and an error repeats the
// end of the program's log.
package program
