// Package poll follows sources that are no files of lines: documents that are rewritten in place, and OpenCode's databases. A
// [Poller] delivers their lines to a [tail.Handler], as package tail does those of files. A source is identified by its path, and
// by its inode when it is renamed; one that is missing for [tail.Settings.UnlinkGrace] is closed, and new when it comes again. It
// is polled when its size or time changed: at once where its folder can be watched (of a database also the files that SQLite keeps
// beside it), and at each [tail.Settings.PollInterval]. A document that stays incomplete for long is counted and logged.
//
//	source    a stream is             its lines are                  they come again
//	--------  ----------------------  -----------------------------  ------------------------------------------------
//	document  the document            one: all of it, at offset 0    whole, when it changed and its brackets match
//	database  a session with those    rows, as JSON                  row by row, when a row is new or was changed
//	          of its sub-agents
//
// So the consumer of a document or of rows must recognize what it received before; see packages parser/gemini and
// parser/opencode. A half-written document waits for its next change. With [tail.StartAtEnd] a document that exists at start is
// delivered whole when it changes; of a database, the rows that are written after the start and those that they refer to.
//
// One goroutine polls all of them in turn, a batch at a time; it waits for the handler, so memory is bounded by one batch or
// one document. Delivery, retries and closing are as those of [tail.Tailer].
//
// # Restarts
//
// A [tail.Settings.Store] has a checkpoint of each stream, under the key "item/" and its id: how far it was acknowledged (of a
// document a hash of its content, of a family the times of rows) and the state of its consumer. An unchanged source is not
// opened, unless its consumer has pending output. Else the acknowledged lines are replayed as they are now
// ([tail.Stream.Restated]), and then the new ones follow. With [tail.StartAtEnd], what was written after the last checkpoint is
// new, and so is what was not there at the last start, as in [tail.Tailer].
package poll
