// Package parser turns lines into events: it knows the providers and detects which of them wrote a stream.
//
// A [Source] is one stream. In go its lines, out come events (package events) and, for a stream of no known provider,
// the lines as they are. Each provider has a folder of its own, which knows its format and nothing else; a new one is one
// folder and one entry of the registry.
//
// # Providers
//
// A provider's parser implements decode.Parser (parser/internal/decode): Parse gives the Result of a line, State what the
// stream holds between two lines. It embeds a decode.Decoder, the memory of the line at work, which its parts share: each
// part (its calls, its usage, its pending texts) is a type with its own state in a file of its own. Its dispatch, in parser.go,
// leads to the switches over the types of lines. What several providers share is in parser/internal: the JSON scanner (scan),
// tables of the keys of an object (fields), texts and deltas (lines), command lines (command), bounded tables (memory), the
// SDK stream of Claude Code and Qwen Code (sdkstream), keys of usage objects (usage) and causes of failures (cause).
//
// # Detection
//
// Provider "auto" buffers the lines of a stream until they show their provider, then returns the events of all of them at
// once. After [DetectLines] lines that are objects or arrays, [DetectNoise] lines in all, or [DetectBytes] bytes, or at the
// end of the stream, it gives up: the lines pass, as all lines of provider "none" do. Plain words before the first object,
// such as an installer's warnings, do not count as candidates.
//
// # Torn lines
//
// A record that was torn, by a crash or on a full disk, has no newline, so the next one is behind it on the same line.
// The torn record counts as malformed, and the whole records behind it are read, in time linear in the line.
//
// # The end
//
// [Source.Flush] returns the pending events of an ended stream. [Source.Incomplete] reports that a run began whose end the
// format promises and does not contain: the program was killed, or its last write was cut. No event is made of that here, since
// only who reads the stream knows whether it has ended.
//
// # Lifetime
//
// What [Source.ParseEvents] and [Source.Raw] return is valid until the next call of the same source, and the line that
// was passed must stay as it is until then. A Source serves one goroutine; it starts none.
//
// # Limits
//
// The reader of the lines bounds their length. A parser's own limits are in its package doc.
package parser
