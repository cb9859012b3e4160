// Package opencode parses what OpenCode writes: the stream of `opencode run --format json`, the document of
// `opencode export`, rows of its database and event log, files of its older storage trees in the form of such rows
// (package poll/opencodedb creates them), and the event stream of `opencode serve`.
//
// A [Parser] turns the lines of one stream or dump, or a whole document, into events, in one goroutine. The package
// knows nothing about files, databases or other providers.
//
// # Forms
//
//	identified by        is                                         example
//	type, part           a line of the stream                       {"type":"text","timestamp":…,"sessionID":…,"part":{…}}
//	table                a row: the table's name and the columns    {"table":"part","id":…,"message_id":…,"data":"{…}"}
//	info, messages       an export                                  {"info":{…},"messages":[{"info":{…},"parts":[…]}]}
//	properties           an event of the server                     {"type":"message.updated","properties":{…}}
//
// All forms carry the same parts, which one function parses. docs/formats/opencode.md describes the parts.
//
//	part         events
//	text         Text; Prompt in a message of the user, if synthetic, and in a message that summarizes for a compaction
//	reasoning    Reasoning
//	tool         ToolUse, ToolResult
//	step-finish  Usage; in stores TurnDone, unless the reason is tool-calls
//	subtask      Prompt
//	compaction   Notice
//	retry        Notice
//
// # Ends
//
// A stream ends with the last step_finish whose reason is not tool-calls, or with an error. If a step_start follows,
// that was a compaction or an error from which the agent recovered. Therefore SessionEnded is held back until Flush,
// until a line of another session, or until the caller calls [Parser.Quiet] because nothing has arrived for a while.
// Stores have no end of a session; TurnDone ends a turn.
//
// # Quirks
//
//   - The ID of its part identifies a call. Its callID comes from the model's server: mostly unique, sometimes empty.
//   - A command that failed or ran out of time is "completed"; only metadata.exit shows it. Unknown tools and unreadable
//     arguments are completed calls of a tool "invalid". Streams of 1.1 lack failed calls.
//   - Lines of a stream come in order of completion; times of parts and states are the real ones.
//   - Parts do not name the role of their message. A text of an unknown message is the user's if it has no time.
//   - A sub-agent is a separate session. The task call names it in state.metadata.sessionId; the session names only its
//     parent. If the call does not name it, the session's title identifies the call: "<description> (@<agent> subagent)".
//   - In dumps all messages of a session come before all parts; logs repeat a message with each change. Errors and tokens
//     that only the message has are emitted after its parts.
//   - Up to 0.5 a message holds all steps of a turn, and its tokens are those of the last step.
//
// # Lifetime
//
// As in package events. In addition, [events.Tool.Input] points into the line that was passed or into memory of the
// parser, so the caller must not change the line until the next call.
//
// # Limits
//
// A parser remembers 65,536 parts, 16,384 messages, 4,096 sessions and as many open calls. The oldest are evicted
// first. It reads 256 arguments of a call.
//
// # Sources
//
// Captures of npm opencode-ai 1.18.33, 1.1.65 and 0.5.29, made 2026-11-27; for everything that these do not contain
// (retry and subtask parts, permission requests, questions), the types of @opencode-ai/sdk 1.19.3.
package opencode
