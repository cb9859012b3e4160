// Package opencode reads what OpenCode writes: the stream of `opencode run --format json`, the document of
// `opencode export`, rows of its database and event log, files of its older storage trees in the form of such rows
// (package poll/opencodedb makes them), and the event stream of `opencode serve`.
//
// In go lines or whole documents, out come events. The package knows no files, no database and no other provider. A
// [Parser] serves one stream, dump or document from one goroutine.
//
// # Forms
//
//	shown by             is                                         example
//	type, part           a line of the stream                       {"type":"text","timestamp":…,"sessionID":…,"part":{…}}
//	table                a row: the table's name and the columns    {"table":"part","id":…,"message_id":…,"data":"{…}"}
//	info, messages       an export                                  {"info":{…},"messages":[{"info":{…},"parts":[…]}]}
//	properties           an event of the server                     {"type":"message.updated","properties":{…}}
//
// All carry the same parts, and one function reads them. What a part is: docs/formats/opencode.md.
//
//	part         gives
//	text         Text; Prompt in a message of the user, if synthetic, and in the message that sums up for a compaction
//	reasoning    Reasoning
//	tool         ToolUse, ToolResult
//	step-finish  Usage; in stores TurnDone, if the reason is not tool-calls
//	subtask      Prompt
//	compaction   Notice
//	retry        Notice
//
// # Ends
//
// A stream ends with the last step_finish whose reason is not tool-calls, or with an error. Either can be followed by a
// step_start: then it was a compaction, or an error that one overcame. So SessionEnded is held until Flush, until a line
// of another session, or until the reader asks with [Parser.Quiet] since nothing has come for a while. Stores have no
// end of a session; a turn's end is TurnDone.
//
// # Quirks
//
//   - A call is known by the id of its part. Its callID is what the model's server sent: mostly unique, sometimes empty.
//   - A command that failed or ran out of time is "completed"; only metadata.exit shows it. Unknown tools and unreadable
//     arguments are completed calls of a tool "invalid". Streams of 1.1 lack failed calls altogether.
//   - Lines of a stream come in order of completion; times of parts and states are the real ones.
//   - Parts do not name whose message they are in. A text of a message that was not seen is the user's if it has no time.
//   - A sub-agent is a session of its own. The task call names it in state.metadata.sessionId; the session names only
//     its parent. Where the call does not, the session's title does: "<description> (@<agent> subagent)".
//   - In dumps all messages of a session are before all parts, in logs a message is written again with each change. Errors
//     and tokens that only the message has come out when its parts have been seen.
//   - Up to 0.5 a message holds all steps of a turn, and its tokens are those of the last one.
//
// # Lifetime
//
// As in package events; [events.Tool.Input] points into the line that was passed or into memory of the parser, so the
// line must stay as it is until the next call.
//
// # Limits
//
// A parser remembers 65,536 parts, 16,384 messages, 4,096 sessions and as many open calls; the oldest are forgotten
// first. Of a call's arguments 256 are looked at.
//
// # Sources
//
// Captures of npm opencode-ai 1.18.33, 1.1.65 and 0.5.29, made 2026-11-27; the types of @opencode-ai/sdk 1.19.3 for what
// was not seen (retry and subtask parts, requests for permission, questions).
package opencode
