// Package redact takes secrets out of events: keys and tokens by their shape, values by the names they are given to.
//
// In goes an events.DisplayEventSource or any text, out comes the same with a marker in place of each secret:
// "[redacted]" for a value that was given to a secret-like name, "[redacted:github]" for one that has a known shape. The
// name, the host of a URL and the scheme of a header stay. What goes in is whole: cuts come after redaction. The one
// text that arrives cut already, events.Tool.Summary, is made again from the output, or a secret at its end is taken
// for one on less evidence. Package docs: docs/redaction.md tells what is found, what is not, and what it costs.
//
// The package knows no JSON of any provider, no telemetry and no settings format.
//
// # How a secret is found
//
// One pass looks at every second pair of bytes in a table of 64 KiB. Each anchor (the fixed part of a shape such as
// "ghp_", a part of a name such as "token") has two of its pairs in the table, so that one of them is met whatever the
// offset. At a met pair the anchor is compared, and only then its rule looks at what stands around it, forwards and
// backwards by bounded steps. No regular expression takes part but those of [Settings.Rules] and [Settings.Allow].
//
//	found                          looks at
//	-----                          --------
//	a shape ("ghp_", "AKIA")       the run of bytes that the shape allows, its length, what stands before it
//	a name ("token", "passw")      the whole identifier, what separates it from its value, the value
//	"://"                          user and password before the @
//	"BEGIN"                        a private key block, line by line
//	" -u", " -p"                   the command before the flag
//
// Texts with control bytes are looked at a second time without them, since a renderer takes them out and would join the
// halves of a secret. Text that is one JSON document is taken apart, so that it stays valid: each string is looked at as
// the text that it stands for. Passes repeat until one finds nothing, so that redacting twice is redacting once.
//
// # Lifetime and goroutines
//
// One [Redactor] serves all goroutines. A [Source] and a [Joiner] serve one stream from one goroutine; a Source remembers the
// ids and the model in which it found nothing last, since most events repeat them. What goes in is never written to. Where
// nothing is found the result is the argument itself, and nothing is allocated, but for JSON documents that have an anchor
// in them and for bytes that have controls: those are copied.
//
// # Limits
//
// Names up to 80 bytes, URL credentials up to 1 KiB, quoted values up to 8 KiB, private key blocks up to 64 KiB, JSON in
// JSON strings up to 8 levels, 8 passes. The limits of [Joiner] stand in [JoinSettings].
//
// # Where the shapes come from
//
// Each is what the issuer documents or prints; docs/redaction.md lists them. They were looked at in November 2026.
package redact
