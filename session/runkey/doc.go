// Package runkey identifies the runs of a stream.
//
// A [Key] is a pure function of the format's IDs and of what the model said first, so reading a session again, in any order, from another
// place or from another of its files yields the same key. [Of] returns the key of the run that begins with some events:
//
//	the run has                       its key
//	a model message with an ID        that ID
//	a turn                            the turn's ID
//	a session and a line with an ID   both
//	a session                         the session's ID with the number of the run in its stream
//	nothing of that                   a hash of the stream's beginning with the offset of the run
//
// A hash of the model's first words or call is appended, unless the program itself makes unique IDs of messages. Events wait until the key
// is known (package pending).
//
// [Item] is what an item of a model shares with its copy in another session, by which copied history is recognized. The functions are pure.
package runkey
