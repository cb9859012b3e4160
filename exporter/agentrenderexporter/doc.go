// Package agentrenderexporter implements the OpenTelemetry Collector exporter agent_render, which writes what agents do as
// readable text, from the log records that the receiver agent_stream exports.
//
// It accepts log records of any origin; records that are not tailspan's are ignored and counted. Package render turns the
// others into text, which is written to standard output, standard error, a file that is appended to, or files by attribute.
// Records are written in the order of their numbers in their stream (package reorder), or in the order of the batch if they
// have none. Each batch is one write to each output. After it nothing complete remains unwritten, except tool lines that the
// throttle of the activity style holds for at most its interval, and records held for reorder_window.
//
// # Sessions
//
// A batch may contain records of several sessions. Each session, identified by its resource and session ID, has a separate
// stream in the log of its output, so that text is never appended to an unfinished text of another session. The least recently
// used stream beyond max_streams (256) is closed, and its run summarized. Shutdown stops streams without a summary, which
// follows where the end of their runs is exported. At most max_open_files (64) files are open.
//
// # Delivery
//
// A failed write is returned to the collector, which retries. Text that was rendered but not written yet (at most one batch)
// is kept and written first. No further batch is accepted before that, even if only one of several outputs failed. The last
// dedup_cache_size (16384) records are remembered by their log.record.uid, as 64-bit hashes, and are not written again,
// whether we retry or the sender sends them again; a larger batch makes room for all its records. Records without a uid are
// written as often as they arrive. A file that others removed or rotated is reopened before the next write.
//
// If the reader of standard output or standard error closes it, that is logged once, and records are accepted, dropped and
// counted: the process does not end and the pipeline does not wait.
//
// # Goroutines
//
// Calls are serialized. The exporter starts no goroutines, but timers write lines held by the throttle and records held for
// reordering, and rotation compresses and removes old files in a goroutine that ends when the file is closed.
package agentrenderexporter
