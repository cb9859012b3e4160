// Package opencodetree reads the folders in which OpenCode kept its sessions before it had a database, one small JSON
// file for each session, message and part.
//
// In goes a folder, out come rows: one JSON object each, in the form that the database's rows have (the table's name
// and the columns; the column data holds the file as text). The package reads no more of a file than it must to put
// sessions in order, and makes no events. A tree is read once: OpenCode copied it into the database when it was
// updated, and writes it no more.
//
// # Layouts
//
//	since 0.6, storage/                     up to 0.5, project/<slug>/storage/session/
//	session/<project>/<session>.json        info/<session>.json
//	message/<session>/<message>.json        message/<session>/<message>.json
//	part/<message>/<part>.json              part/<session>/<message>/<part>.json
//
// A folder may be passed at any level: the data folder with both (~/.local/share/opencode), storage, project, a project's
// folder. A session that both layouts hold, which the update of 0.6 copied, comes from the newer one.
//
// # Order
//
// Sessions of users come before those of their sub-agents, each by the time they were made, then by id. A session's row
// is followed by its messages in order of their ids, and each message by its parts in order of theirs. Messages whose
// session has no file come last. Parts whose message has no file are not found.
//
// # Failures
//
// A file that can't be read is an error of its own, and the rows after it follow; a removed file is skipped. The content of
// a file is not checked but for sessions: one that is no JSON still yields its messages.
//
// # Limits
//
// Files of more than 64 MiB are refused. Names of all sessions of a tree are held, of messages and parts those of one
// folder at a time. Links are not followed below the folder that is passed.
//
// # Sources
//
// Trees left by npm opencode-ai 1.1.65 and 0.5.29, seen 2026-11-27.
package opencodetree
