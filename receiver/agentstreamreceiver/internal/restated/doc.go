// Package restated knows which events of a restated stream (a document, rows) were exported. When such a stream is read again after
// a restart, no offset divides it: a row or a message may contain more than before. So each event is identified by its content.
//
// [Events.Split] divides events into those that a previous process exported and those that are new. The added part of a text that
// has grown is new. An event is marked by its name (kind, session, item or message id, number among those of its name), and
// by the length and hash of its text. The marks of a stream are bounded; the oldest are evicted first.
//
// An Events serves one stream and one goroutine.
package restated
