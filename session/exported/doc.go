// Package exported remembers which ids were exported, so that none is a second time.
//
// A [Table] is shared by all streams: two files that are accounts of one session (a stream and a transcript, a copy) give the same
// ids, and each id is exported once ([Table.FirstSpan], [Table.FirstRecord]). It also knows what models said ([Table.Said]),
// by an [Item]: what an item of the model shares with a copy of it in another session.
//
// A [Seen] is of one stream: how often an id came before, since the same id twice gives two span ids.
//
// Both keep hashes and no ids, under a seed of the process, and remember the newest up to a limit:
//
//	what                                limit            evicted
//	spans and records, all streams      Limits.IDs       the oldest, which would be exported again
//	items of models, all streams        Limits.Items     the oldest, whose copy would be exported
//	each kind of id of a stream         Limits.Items     the oldest, counted ([Seen.Evicted])
//
// The package knows no streams and no lines. A Table is safe for use by many goroutines, a Seen by one at a time.
package exported
