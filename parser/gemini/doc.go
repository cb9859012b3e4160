// Package gemini parses what Gemini CLI writes: the stream of `gemini -p --output-format stream-json`, the single
// document of `--output-format json`, and the transcripts under ~/.gemini/tmp/<project>/chats, as JSONL (0.39 and
// later) and as a JSON document that is rewritten in place (before 0.39).
//
// A [Parser] turns the lines of one stream, transcript or document into events, in one goroutine; the "line" of a
// document is the whole document. If a document is rewritten, pass each version to the same Parser, which emits what is
// new. The package knows nothing about files, arrival times or other providers.
//
// # Records
//
// The stream has a type on each line:
//
//	init         SessionStarted
//	message      Prompt (user), Text (assistant; always a piece, Delta)
//	tool_use     ToolUse
//	tool_result  ToolResult
//	error        Notice
//	result       Usage (totals, one per model), SessionEnded
//
// A transcript's objects are distinguished by their keys:
//
//	sessionId, projectHash   the header, or with messages a whole document: SessionStarted, then the messages
//	id                       a message, by its type: Text, Reasoning, ToolUse, ToolResult, Usage (gemini); Prompt (user);
//	                         Notice (info, warning, error)
//	$set                     Notice if its messages are a compaction, otherwise nothing
//	$rewindTo                Notice: no event is withdrawn
//
// The document of --output-format json has response, stats and error: Text, Usage, Notice (warnings), SessionEnded.
// docs/formats/gemini.md lists each type and field; a test compares it with this package.
//
// # Quirks
//
//   - A transcript rewrites a whole message under its ID: first with its text, then with calls and results. The text and
//     each call are emitted once, whatever is repeated (case gemini-jsonl-set-rewind).
//   - History is copied: in $set.messages on resume, compaction and loop detection; and, when old tool output is masked,
//     as new lines with new IDs and array contents, without tokens, model and calls. Copies yield nothing.
//   - The stream's text has neither IDs nor an end. The parser numbers the model messages: the results of its calls end
//     a message. Text that is blank throughout is omitted.
//   - A failed shell command is a success in the stream. The transcript has its exit code as text, in the lines after
//     the output, which the command's own output may imitate.
//   - Results of a batch of calls are written together, after the slowest has ended.
//   - A sub-agent's transcript does not name the call that started it; from 0.39 on its session ID is the agent ID of that
//     call's result. Its folder names the session ([ParentSession]).
//
// # Lifetime
//
// As in package events. In addition, [events.Tool.Input] points into the line that was passed, so the caller must not
// change the line until the next call.
//
// # Limits
//
// A parser remembers 16,384 messages and as many calls. The oldest are evicted first: a document with more would emit
// its oldest ones again after each rewrite. It reads 256 members of an object. White space at the beginning of a text
// is held back until more text follows, up to 4 KiB.
//
// # Sources
//
// Captures of npm @google/gemini-cli 0.61.0, 0.38.2 and 0.24.0, made 2026-11-27; for everything that these do not contain ($rewindTo,
// info, warning and error messages, cancelled calls), the types and the recording service of @google/gemini-cli-core 0.61.0.
package gemini
