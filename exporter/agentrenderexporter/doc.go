// Package agentrenderexporter is the OpenTelemetry Collector exporter agent_render: it writes what agents do for people
// to read, from the log records that the receiver agent_stream makes of events.
//
// In go log records of any origin; records that are not tailspan's are left out and counted. Out goes text, to standard
// output, standard error or a file that is appended to; package render makes it. Records are written in the order of the
// batch. Each batch is one write, and nothing complete stays back after it.
//
// # Sessions
//
// Records of several sessions may stand in one batch. Each session, told by the identity on its resource and its session
// id, has its own renderer, so that an unfinished text of one is not glued to that of another. The least recently used
// renderer beyond max_sessions (256) is closed.
//
// # Delivery
//
// A failed write is returned to the collector, which tries again. What was rendered and not written yet (at most one
// batch) is kept and written first; no further batch is taken before. The last recent_records (16384) records are
// remembered by their log.record.uid, as 64-bit hashes, and are not written a second time, be it by our own retry or
// because the sender sends them again. Records without a uid are written as often as they come.
//
// # Goroutines
//
// Calls are serialised; the exporter starts no goroutine of its own.
package agentrenderexporter
