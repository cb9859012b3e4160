// Package codex reads what OpenAI's Codex CLI writes: the stream of `codex exec --json` and the rollouts under
// ~/.codex/sessions and ~/.codex/archived_sessions.
//
// In go lines, out come events. The package knows no files, no times of arrival and no other provider. A [Parser] serves
// one stream or rollout from one goroutine.
//
// # Dialects
//
//	E1     stream of --json up to 0.42: {"id":"0","msg":{"type":...}}, two lines of settings and prompt before it
//	E2     stream of --experimental-json of 0.42: items with item_type, no turns
//	E3     stream of --json since 0.44: thread.started, turn.*, item.*
//	R1     rollout of 0.29: response items bare, a time on the first line alone
//	R2     rollout of 0.34 to 0.58: {"timestamp","type","payload"}
//	R3     rollout of 0.125: R2 with task_started and task_complete
//	R4     rollout of 0.171: R3 with ordinals, item_completed and token_usage_record ("paginated")
//
// Each line shows its dialect, so one may follow another in the same file. docs/formats/codex.md lists every type and
// what becomes of it; a test keeps it and the switches here in step.
//
// # One source each
//
// Rollouts contain the same thing up to four times. Texts, reasoning and calls are taken from the response items, which
// every version has; prompts too, and from user_message where no item has them. The result of a call is taken where it is
// first known: at item_completed, if that has a status, else at the output. Calls that a script of code mode makes have
// an item_completed alone, which gives both.
//
// In R4 an assistant message counts as text only if an AgentMessage with its id went before it: the answer to a request
// for a summary (compaction) is stored as a message like any other and was never shown.
//
// # Identity
//
//   - SessionID is the thread; of a sub-agent the root thread, and AgentID is its own. The result of the call that
//     started a sub-agent has that id (Tool.AgentID), and ToolProgress when the sub-agent's work ended.
//   - TurnID is the turn of the root thread (root_turn_id), which a sub-agent's turns name too. Streams have none.
//   - MessageID is the id of the first item of a model response, in R4 only: the response's own id comes behind its last
//     item, as the ItemID of its Usage. Calls made by scripts have none.
//   - ItemID is the id of a response item. The item_N of streams count anew in each run of a thread, so they are call
//     ids but no ItemIDs.
//   - The turn's end is TurnDone in rollouts, also when it was interrupted; in streams it is SessionEnded.
//
// # Quirks
//
//   - A web_search item has the key id twice: its own, then the API's.
//   - turn.completed has the tokens of the whole thread, over all runs, in a fork its parent's too (UsageScopeSession).
//     token_count has a running total, up to 0.125 twice for each response.
//   - Arguments are JSON in a string, at times cut off; outputs are a string, an array, or JSON in a string; an exit code
//     is in words before the text. A status "completed" on a call says that the model finished writing it.
//   - An error line is a retry ("Reconnecting...") or what turn.failed repeats; an item of type error is a warning.
//   - The stream shows no refused calls, the rollout no retries, and E1 no end but that of a failure.
//   - Before R4 a fork, and a sub-agent that received its parent's context, copy the parent's lines: see replay.
//
// # Lifetime
//
// As in package events; [events.Tool.Input] may point into the line that was passed, so the line must stay as it is until
// the next call.
//
// # Limits
//
// A parser remembers 16,384 calls, 4,096 shown messages, 4,096 model responses, 1,024 prompts and 1,024 sub-agents; the
// oldest are evicted first. Of an object's members 256 are looked at. Rollouts of the TypeScript CLI (0.1, one
// document each) are not read.
//
// # Sources
//
// Captures of npm @openai/codex 0.171.0, 0.125.0, 0.58.0, 0.42.0, 0.34.0 and 0.29.0, made 2026-11-27; the types of
// @openai/codex-sdk 0.163.0 and the published protocol types for what was not seen (the detailed events in rollouts,
// approvals). Copied history: public reports of forked rollouts of 0.12x to 0.14x, 2026.
package codex
