// Package poll follows sources that are not files of lines: documents that are rewritten in place, and OpenCode databases. A
// [Poller] delivers their lines to a [tail.Handler], as package tail does for files. A source is identified by its path, or by its
// inode after a rename. A source missing for [tail.Settings.UnlinkGrace] is closed, and counts as new if it reappears. A source is
// polled when its size or time changes: at once if its folder can be watched (for a database this includes the files that SQLite
// keeps beside it), and every [tail.Settings.PollInterval]. A document that stays incomplete for long is counted and logged.
//
//	source    a stream is             its lines are                  they are delivered again
//	--------  ----------------------  -----------------------------  ------------------------------------------------
//	document  the document            one: all of it, at offset 0    whole, after a change, once its brackets match
//	database  a session with those    rows, as JSON                  row by row, if a row is new or changed
//	          of its sub-agents
//
// The consumer of documents or rows must therefore recognize what it received before; see packages parser/gemini and
// parser/opencode. An incomplete document waits for its next change. With [tail.StartAtEnd], a document that exists at start is
// delivered whole when it changes; a database delivers the rows written after the start and those that they refer to.
//
// One goroutine polls all sources in turn, one batch at a time. It waits for the handler, so memory is bounded by one batch or one
// document. Delivery, retries and closing are as in [tail.Tailer].
//
// # Restarts
//
// A [tail.Settings.Store] holds a checkpoint of each stream under the key "item/" and the stream ID: how far the stream was
// acknowledged (for a document a hash of its content, for a family of sessions the times of rows) and the state of its consumer. An
// unchanged source is not opened unless its consumer has pending output. Otherwise the acknowledged lines are replayed as they are
// now ([tail.Stream.Restated]), followed by the new ones. With [tail.StartAtEnd], what was written after the last checkpoint and
// what did not exist at the last start is new, as in [tail.Tailer].
package poll
