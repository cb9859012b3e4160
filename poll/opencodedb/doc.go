// Package opencodedb reads the SQLite database in which OpenCode keeps its sessions (since 1.2:
// ~/.local/share/opencode/opencode.db), while OpenCode writes it.
//
// In goes the path of a database, out come rows: one JSON object each, with the name of the table ("table") and the
// columns; columns that hold JSON stay the text that they are. The package makes no events. A [Follower] returns all rows
// and then, scan by scan, those that are new or were changed; a [Reader] returns all rows once, as lines.
//
// # What is read
//
// Three tables, session, message and part, and of those the columns that are named in this package. All others are never
// asked for: the database also holds accounts, credentials and the secrets of shared sessions. A database without these
// tables is not OpenCode's ([ErrNoSessions]). The event log is not read: it repeats the same rows.
//
// # Nothing is written
//
// The database is opened read-only, and only for the time of one scan. Queries are short, and none is open while rows are
// delivered, so neither OpenCode's writing nor its checkpoints wait. Where there is no write-ahead log the file is
// read as immutable, without locks and without the files that SQLite would make beside it, and what was read is
// discarded if the file changed meanwhile.
//
// # Order
//
// A family is a session with those of its sub-agents. Families come in the order in which they were made, in them the
// parent before its children, of a session its row, then its messages, each before its parts. A message that was
// delivered before and changed comes after its parts: it may say how they ended.
//
// # What is new
//
// The position in a session is a row time (time_updated, in ms): rows from [overlap] before it on are scanned again,
// since a row may be committed later than one with a later time, and left out if they are as they were when they were
// accepted. What was written since the last scan is scanned even if a row lies in the future, so a clock that is set back
// hides nothing. A session is scanned when its own row changed, when a message or part was added to it, and for [activeFor]
// after that; so a row that changes later than that, alone, without one that is added, is seen with the next one that is.
// Removed rows are not reported.
//
// With [Settings.Since], rows from before that time are returned only where later ones need them: the session and the
// message that a part belongs to.
//
// # Goroutines
//
// A [Follower] and a [Reader] serve one goroutine.
//
// # Limits
//
// Rows whose data is larger than [Settings.MaxRowSize] are left out and counted. Memory is bounded by one batch of rows,
// one family's ids, a hundred bytes for each session, and the ids of messages in families that were not released
// ([Follower.Release]).
//
// # Sources
//
// Databases of npm opencode-ai 1.18.33, seen 2026-11-27. The driver is modernc.org/sqlite, SQLite itself translated to
// Go; docs/decisions.md says why.
package opencodedb
