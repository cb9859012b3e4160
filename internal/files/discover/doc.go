// Package discover finds files.
//
// A [Globs] is a set of doublestar patterns, absolute, of what to read and what to leave out. A [Scan] lists the folders that
// can hold a match and yields each [Found] path; [Serve] runs scans on request in a goroutine of its own. A [Watcher] reports
// the system's events of folders, for as many as the system lets it watch.
//
// Two questions about links are answered here as well: whether a path is a link to a file that is matched by its own name
// ([Globs.HasOwnName]), and whether a file lies outside of the folders of the patterns ([Outside]).
//
// Globs are read-only and safe for use by many goroutines, as is a Watcher; a Scan serves one. A nil Watcher watches nothing.
// Which known file a found path is, package fileset decides.
package discover
