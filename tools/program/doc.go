// Package program runs the programs that tools and their tests measure and check. It starts a program, waits until it is
// ready, reads its counters, measures its cost and ends it. Every wait has a limit, and an error includes the end of the
// program's log.
package program
