// Package discover finds files.
//
// A [Globs] is a set of absolute doublestar patterns: what to read and what to exclude. A [Scan] lists the folders that can
// hold a match and yields each [Found] path; [Serve] runs scans on request in a separate goroutine. A [Watcher] reports file
// system events of folders, for as many folders as the system allows.
//
// The package also answers two questions about links: whether a path is a link to a file that is matched under its own name
// ([Globs.HasOwnName]), and whether a file lies outside of the folders of the patterns ([Outside]).
//
// Globs are read-only and, like a Watcher, safe for concurrent use; a Scan is for use by one goroutine. A nil Watcher watches
// nothing. Package fileset decides which known file a found path is.
package discover
