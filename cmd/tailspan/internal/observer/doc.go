// Package observer watches what the program of `tailspan run` does, beside its log and its export: it warns and stops by limits
// (package guard), and knows in the end what became of the run (packages verdict and summary).
//
// # In and out
//
// In go the bytes of the program's output ([Start]), read at a speed of its own: neither a terminal that is paused nor an endpoint that
// hangs keeps it from stopping a program. They take the pipeline's way, with the settings of the export, so that ids and outcomes are
// those that are exported. Out come lines for people ([Settings.Report]) and the wish to stop ([Settings.Stop]); in the end
// ([Observer.End]) a [Result].
//
// # Goroutines
//
// An observer has three: one reads, one waits for the next time at which a limit is due, one reports, so that a report that nobody
// reads delays no stop. Of reports that pile up at most [maxReports] wait; the rest is dropped. None is left after End.
package observer
