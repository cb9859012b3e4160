// Package sdkstream reads the objects that Claude Code and Qwen Code write: those of their SDK stream
// (--output-format stream-json), which have the same shapes, and those of their transcripts, which share the envelope and
// write the rest in camelCase.
//
// An [Envelope] is one object of a line as raw spans: nothing is judged while it is read, since its type may come last and
// its end may be missing. A [Block] is one element of message.content, or of message.parts in Qwen Code's transcripts. The
// spans point into the line.
package sdkstream
