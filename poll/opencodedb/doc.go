// Package opencodedb reads the SQLite database in which OpenCode stores its sessions (since 1.2:
// ~/.local/share/opencode/opencode.db), while OpenCode writes it.
//
// It turns the path of a database into rows. Each row is one JSON object with the name of the table ("table") and the columns;
// columns that hold JSON are kept as text. The package creates no events. A [Follower] returns all rows and then, scan by
// scan, those that are new or changed; a [Reader] returns all rows once, as lines.
//
// # What is read
//
// The package reads only the tables session, message and part, and only the columns that it names. It never queries others,
// because the database also holds accounts, credentials and the secrets of shared sessions. A database without these tables is
// not OpenCode's ([ErrNoSessions]). The event log is not read, because it repeats the same rows.
//
// # Nothing is written
//
// The database is opened read-only, and only for the duration of one scan. Queries are short and none is open while rows are
// delivered, so neither OpenCode's writes nor its checkpoints wait. Without a write-ahead log, the file is read as immutable:
// SQLite takes no locks and creates no files beside it, and what was read is discarded if the file changed meanwhile.
//
// # Order
//
// A family is a session with those of its sub-agents. Families are returned in the order of their creation. Within a family a
// parent comes before its children, and a session's row before its messages, each of which comes before its parts. A message
// that was delivered before and changed comes after its parts, because it may say how they ended.
//
// # What is new
//
// The position in a session is a row time (time_updated, in ms). Rows from [overlap] before it on are scanned again, because a
// row may be committed later than one with a later time; those unchanged since they were acknowledged are omitted. What was
// written since the last scan is scanned even if a row lies in the future, so a clock that is set back hides nothing. A
// session is scanned when its own row changed, when a message or part was added to it, and for [activeFor] after that. A row
// that changes later than that without an added row is therefore found only with the next added row. Removed rows are not
// reported.
//
// With [Settings.Since], rows from before that time are returned only if later rows need them: the session and the message
// that a part belongs to.
//
// # Goroutines
//
// A [Follower] and a [Reader] are for use by one goroutine.
//
// # Limits
//
// Rows whose data is larger than [Settings.MaxRowSize] are skipped and counted. Memory is bounded by one batch of rows, the
// IDs of one family, a hundred bytes for each session, and the IDs of messages in families that were not released
// ([Follower.Release]).
//
// # Sources
//
// Databases of npm opencode-ai 1.18.33, seen 2026-11-27. The driver is modernc.org/sqlite, SQLite translated to Go;
// docs/decisions.md says why.
package opencodedb
