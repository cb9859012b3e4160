// Package parser turns the lines that agents write into events. It knows the providers and detects which of them wrote a stream.
//
// A [Source] reads one stream. Lines go in; events (package events) come out. The lines of a stream of no known provider are
// returned unchanged. Each provider has its own folder, which knows only its own format. To add a provider, add a folder and an
// entry in the registry.
//
// # Providers
//
// A provider's parser implements decode.Parser (parser/internal/decode): Parse returns the Result of a line, State what the stream
// keeps between two lines. The parser embeds a decode.Decoder, the memory of the current line, which its parts share. Each part
// (calls, usage, pending texts) is a type with its own state and file. The dispatch in parser.go leads to the switches over the
// types of lines. Shared code is in parser/internal: the JSON scanner (scan), tables of the keys of an object (fields), texts and
// deltas (lines), command lines (command), the SDK stream of Claude Code and Qwen Code (sdkstream), keys of usage objects (usage)
// and causes of failures (cause).
//
// # Detection
//
// Provider "auto" buffers the lines of a stream until they identify the provider. It then returns the events of all of them at
// once. It gives up after [DetectLines] lines that are objects or arrays, after [DetectNoise] lines or [DetectBytes] bytes in
// total, or at the end of the stream. Then the lines pass unchanged, as all lines of provider "none" do. Plain text before the
// first object, such as an installer's warnings, does not count towards [DetectLines].
//
// # Torn lines
//
// A record that was torn by a crash or a full disk has no newline, so the next record follows it on the same line. The torn record
// counts as malformed. The whole records after it are parsed, in time linear in the length of the line.
//
// # The end of a stream
//
// [Source.Flush] returns the pending events of an ended stream. [Source.Incomplete] reports whether a run has begun without the end
// that its format promises: the program was killed, or its last write was cut. The parser emits no event for that, since only the
// reader of the stream knows whether it has ended.
//
// # Lifetime
//
// The results of [Source.ParseEvents] and [Source.Raw] are valid until the next call of the same source. The caller must not change
// the line that it passed until then. A Source must be used by one goroutine at a time; it starts none.
//
// # Limits
//
// The reader of the lines limits their length. Each provider's package document lists the limits of its parser.
package parser
