// Package observer watches the program of `tailspan run`, independently of its log and export: it warns and stops at limits
// (package guard), and reports what became of the run (packages verdict and summary).
//
// # In and out
//
// Input is the bytes of the program's output ([Start]), read at the observer's speed: neither a paused terminal nor a hanging
// endpoint keeps it from stopping a program. They take the pipeline's path with the settings of the export, so IDs and outcomes
// equal the exported ones. Output is lines for people ([Settings.Report]), requests to stop ([Settings.Stop]) and finally a
// [Result] ([Observer.End]).
//
// # Goroutines
//
// An observer has three goroutines: one reads, one waits for the next due limit, one reports, so that a report that nobody reads
// delays no stop. At most [maxReports] reports wait; further ones are dropped. None is left after End.
package observer
