// Package gemini reads what Gemini CLI writes: the stream of `gemini -p --output-format stream-json`, the one document
// of `--output-format json`, and the transcripts under ~/.gemini/tmp/<project>/chats, as JSONL (0.39 and later) and as
// one JSON document that is rewritten in place (before).
//
// In go lines, out come events; the "line" of a document is the whole document. The package knows no files, no times of
// arrival and no other provider. A [Parser] serves one stream, transcript or document from one goroutine; later states
// of a document that is rewritten go to the same Parser, which gives what is new in them.
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
//	result       Usage (totals, one a model), SessionEnded
//
// A transcript's objects are distinguished by their keys:
//
//	sessionId, projectHash   the header, or with messages a whole document: SessionStarted, then the messages
//	id                       a message, by its type: Text, Reasoning, ToolUse, ToolResult, Usage (gemini); Prompt (user);
//	                         Notice (info, warning, error)
//	$set                     Notice where its messages are a compaction, else nothing
//	$rewindTo                Notice: nothing is taken back
//
// The document of --output-format json has response, stats and error: Text, Usage, Notice (warnings), SessionEnded.
// docs/formats/gemini.md has each type and field; a test holds it and this package together.
//
// # Quirks
//
//   - A message of a transcript is written again, whole, under its id: first with its text, then with calls and results.
//     A message's text and each call come out once, whatever is repeated (case gemini-jsonl-set-rewind).
//   - History is copied: in $set.messages on resume, compaction and loop detection; as new lines with new ids and array
//     contents, without tokens, model and calls, when old tool output is masked. Copies give nothing.
//   - The stream's text has neither ids nor an end. Its model messages are numbered here: a message ends with the results
//     of its calls. A text that is blank to its end is left out.
//   - A failed shell command is a success in the stream. The transcript has its exit code as text, in the lines behind
//     the output, which the command's own output may imitate.
//   - Results of a batch of calls are written together, when the slowest has ended.
//   - A sub-agent's transcript does not name the call that started it; its session id is the agent id of that call's
//     result, from 0.39 on. Its folder names the session ([ParentSession]).
//
// # Lifetime
//
// As in package events; [events.Tool.Input] points into the line that was passed, so the line must stay as it is until
// the next call.
//
// # Limits
//
// A parser remembers 16,384 messages and as many calls, the oldest are evicted first; a document with more would give
// its oldest again each time that it is rewritten. Of an object's members 256 are looked at. White space that begins a
// text waits for what follows it, up to 4 KiB.
//
// # Sources
//
// Captures of npm @google/gemini-cli 0.61.0, 0.38.2 and 0.24.0, made 2026-11-27; the types and the recording service of
// @google/gemini-cli-core 0.61.0 for what was not seen ($rewindTo, info, warning and error messages, cancelled calls).
package gemini
