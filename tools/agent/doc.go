// Command agent plays the sample agents of the stack: it writes recorded sessions repeatedly, moved to the current time and
// with new IDs, to the files that the collector follows. Every -every each pipeline begins a run, whose sessions are files
// SESSIONS/<pipeline>/<run>/<step>.jsonl. Files are removed an hour after their last line.
//
// With -play it acts as one agent: it writes one recording to standard output and, with -kill, ends by a signal. The
// sessions that are killed run this way under `tailspan run`.
package main
