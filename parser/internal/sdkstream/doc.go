// Package sdkstream reads the objects that Claude Code and Qwen Code write. The objects of their SDK streams
// (--output-format stream-json) have the same shapes. Those of their transcripts share the envelope and use camelCase for
// the rest.
//
// An [Envelope] holds one object of a line as raw spans. It interprets nothing while it reads, since the type may come
// last and the end may be missing. A [Block] is one element of message.content, or of message.parts in Qwen Code's
// transcripts. The spans point into the line.
package sdkstream
