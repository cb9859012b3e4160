// Package outcome decides how runs, sub-agents and tool calls ended.
//
// [Evidence] is everything that shows how a run ended: its end line, the [Signs] of its last events, the exit of its
// process, and the reason for which it was closed. [Evidence.Verdict] alone decides. An outcome is a success only if a
// line shows it. The first matching row counts:
//
//	shown                            exit of the process        outcome       close reason
//	-                                SIGINT, or code 130        interrupted   interrupted
//	no success                       the user interrupted it    interrupted   interrupted
//	-                                a signal                   killed        killed
//	no success                       tailspan stopped it        killed        killed
//	success                          another code than 0        error         result
//	nothing                          another code than 0        error         no_result
//	nothing                          output was lost            incomplete    truncated
//	nothing                          -                          incomplete    what closed it; no_result for an end line
//	an interruption                  -                          interrupted   interrupted
//	a success, a failure, a kill     -                          what is shown result
//
// What is shown is the outcome of the end line, or else that of the last sign. A success of a sign counts only if no call is open, and a weak one
// only if no output was lost: then another line may have followed.
//
// A sub-agent ends as its call does ([Call.Verdict]), as the notice of its end reports ([OfNotice]), or for a reason ([Closed]). A
// [Verdict] combines outcome, cause, text and close reason. A [Call] is the same for a tool call.
//
// The package does not know spans or streams. Its values are plain data and not safe for concurrent use.
package outcome
