// Package exported remembers the exported IDs, so that nothing is exported twice.
//
// All streams share a [Table]. Two files can be accounts of one session, such as a stream and a transcript, or a copy,
// and produce the same IDs; each ID is exported once ([Table.FirstSpan], [Table.FirstRecord]). The Table also remembers
// what models said ([Table.Said]) as an [Item]: the part that a model's item shares with its copy in another session.
//
// A [Seen] belongs to one stream and counts the occurrences of an ID, because two occurrences get two span IDs.
//
// Both store hashes under a seed of the process and keep the newest up to a limit:
//
//	what                                limit            evicted
//	spans and records, all streams      Limits.IDs       the oldest, which would be exported again
//	items of models, all streams        Limits.Items     the oldest, whose copy would be exported
//	each kind of id of a stream         Limits.Items     the oldest, counted ([Seen.TakeEvicted])
//
// The package does not know streams or lines. A Table is safe for concurrent use, a Seen is not.
package exported
