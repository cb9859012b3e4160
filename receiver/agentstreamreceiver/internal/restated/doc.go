// Package restated records which events of a restated stream (a document, rows) were exported. After a restart no offset
// divides such a stream, because a row or a message may contain more than before. Each event is identified by its content.
//
// [Events.Split] divides events into those that a previous process exported and new ones. If a text has grown, its added part
// is new. An event is marked by its name (kind, session, item or message ID, and number among those of its name) and by the
// length and hash of its text. The number of marks per stream is limited; the oldest are evicted first.
//
// An Events is for one stream and one goroutine.
package restated
