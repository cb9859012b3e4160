// Package agentrenderexporter is the OpenTelemetry Collector exporter agent_render: it writes what agents do for people
// to read, from the log records that the receiver agent_stream makes of events.
//
// In go log records of any origin; records that are not tailspan's are left out and counted. Out goes text, to standard
// output, standard error, a file that is appended to, or files by attribute; package render makes it. Records are written
// in the order of their numbers in their stream (package reorder), else in that of the batch. Each batch is one write to each output, and nothing complete stays back after it, but for the
// tool lines that the throttle of the activity style keeps for at most its interval, and the records that are held for
// reorder_window.
//
// # Sessions
//
// Records of several sessions may be in one batch. Each session, identified by its resource and its session
// id, has its own stream in the log of its output, so that an unfinished text of one is not glued to that of another. The
// least recently used stream beyond max_streams (256) is closed, and its run summed up; at shutdown streams are stopped, and
// what they did is summed up where the end of their runs is exported. At most max_open_files (64) files are open.
//
// # Delivery
//
// A failed write is returned to the collector, which tries again. What was rendered and not written yet (at most one
// batch) is kept and written first; no further batch is taken before, also where another output failed. The last
// dedup_cache_size (16384) records are remembered by their log.record.uid, as 64-bit hashes, and are not written a second
// time, be it by our own retry or because the sender sends them again; a batch of more records makes room for all of them.
// A file that was removed or rotated by others is opened anew before the next write. Records without a uid are written as
// often as they come.
//
// When the reader of standard output or standard error closes it, that is logged once, and records are accepted, dropped
// and counted: the process does not end and the pipeline does not wait.
//
// # Goroutines
//
// Calls are serialised. The exporter starts no goroutine of its own; timers write a line that the throttle kept and records
// that were held, and rotation packs and removes old files in a goroutine that ends when the file is closed.
package agentrenderexporter
