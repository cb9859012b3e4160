// Package summary writes what a run did as Markdown, for the page of a CI job.
//
// # In and out
//
// In goes what the pipeline made of the agent's stream ([Reader.Read]); out comes a page ([Reader.Markdown]) with the verdict, the
// agent, time, tokens and cost, the tools, what failed, the last words, and a link to the trace.
//
// What an agent wrote stands in code blocks, or in a table with every character that has a meaning in Markdown or HTML replaced by its
// entity: it makes no link, no image and no mention of its own, and no control character is left.
//
// # Limits
//
// A page has at most [MaxTools] tools, [MaxFailures] failures of [MaxLine] runes, and [MaxWords] runes of the last words.
//
// A [Reader] serves one goroutine at a time.
package summary
