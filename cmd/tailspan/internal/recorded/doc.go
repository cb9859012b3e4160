// Package recorded reads recorded agent sessions and turns them into spans and log records.
//
// All files of one [Reader] share a registry, so sub-agents in separate files are linked to their callers in any order of files:
// output that waits for another file is delivered when the Reader is closed. Reading a session again gives the same IDs. Lines of
// unknown formats are dropped and counted, since a history or a journal may contain what nobody meant to export.
//
// A Reader is used by one goroutine.
package recorded
