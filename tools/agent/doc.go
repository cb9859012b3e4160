// Command agent plays the sample agents of the stack: it writes recorded sessions again and again, moved to now and with ids
// of their own, into the files that the collector follows. Every -every each pipeline begins a run; its sessions are files
// SESSIONS/<pipeline>/<run>/<step>.jsonl. Files are removed an hour after their last line.
//
// With -play it is one agent: it writes one recording to standard output and, with -kill, ends by a signal. The sessions
// that are killed run this way below `tailspan run`.
package main
