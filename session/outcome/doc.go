// Package outcome decides how runs, sub-agents and tool calls ended.
//
// [Evidence] is all that shows how a run ended: its end line, the [Signs] of its last events, the exit of its process, and what
// closed it. [Evidence.Verdict] is the one place that decides; an outcome is a success only where a line shows it. The first row
// that holds counts:
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
// What is shown is the outcome of the end line; else that of the last sign, of which a success counts only if no call is open.
//
// A sub-agent ends as its call does ([Call.Verdict]), as the notice of its end says ([OfNotice]), or for a reason ([Closed]).
// A [Verdict] holds outcome, cause, text and close reason, which travel together; a [Call] the same of a tool call.
//
// The package knows no spans and no streams. Its values are plain, and are used by one goroutine at a time.
package outcome
