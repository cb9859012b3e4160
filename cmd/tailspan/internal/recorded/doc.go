// Package recorded reads recorded sessions of agents, and turns them into spans and log records.
//
// All files of one [Reader] share a registry, so that sub-agents in files of their own are linked to their callers, whatever the
// order of the files: what waits for another file comes out when the Reader is closed. Reading a session again gives the same ids.
// Lines of no known format are dropped and counted, since a history or a journal may contain what nobody meant to export.
//
// A Reader is used by one goroutine.
package recorded
