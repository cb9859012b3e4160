// Package summary writes the work of a run as Markdown, for the page of a CI job.
//
// # In and out
//
// Input is the pipeline's output for the agent's stream ([Reader.Read]). Output is a page ([Reader.Markdown]) with the verdict,
// the agent, time, tokens and cost, the tools, failures, the last words, and a link to the trace.
//
// Text of an agent is in code blocks, or in a table with every special character of Markdown and HTML replaced by its entity: it
// cannot make links, images or mentions, and contains no control characters.
//
// # Limits
//
// A page has at most [MaxTools] tools, [MaxFailures] failures of [MaxLine] runes, and [MaxWords] runes of the last words.
//
// A [Reader] serves one goroutine at a time.
package summary
