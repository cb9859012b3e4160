// Package opencodetree reads the folders in which OpenCode kept its sessions before it had a database, one small JSON
// file for each session, message and part.
//
// It turns a folder into rows: one JSON object each, in the form of the database's rows (the table's name and the columns; the
// column data holds the file as text). It reads only as much of a file as the order of sessions needs, and makes no events. A
// tree does not change: OpenCode copied it into the database on update and no longer writes it.
//
// # Layouts
//
//	since 0.6, storage/                     up to 0.5, project/<slug>/storage/session/
//	session/<project>/<session>.json        info/<session>.json
//	message/<session>/<message>.json        message/<session>/<message>.json
//	part/<message>/<part>.json              part/<session>/<message>/<part>.json
//
// A folder may be passed at any level: the data folder with both (~/.local/share/opencode), storage, project, a project's folder.
// A session that both layouts hold, because the update to 0.6 copied it, comes from the newer one.
//
// # Order
//
// Users' sessions come before those of their sub-agents, each sorted by creation time, then by ID. A session's row is followed by
// its messages in order of their IDs, and each message by its parts in order of theirs. Messages whose session has no file come
// last. Parts whose message has no file are not found.
//
// # Failures
//
// A file that cannot be read yields an error, and the rows after it follow; a removed file is skipped. Only the content of
// session files is checked: one that is no JSON still yields its messages.
//
// # Limits
//
// Files of more than 64 MiB are refused. The names of all sessions of a tree are held in memory, those of messages and parts for
// one folder at a time. Links below the folder that is passed are not followed.
//
// # Sources
//
// Trees left by npm opencode-ai 1.1.65 and 0.5.29, seen 2026-11-27.
package opencodetree
