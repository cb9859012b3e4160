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
// One pass looks at every second pair of bytes and the pair behind it, in two tables of 128 KiB. Each anchor (the fixed
// part of a shape such as "ghp_", a part of a name such as "token") has two of its pairs in the tables, so that one of them
// is met whatever the offset. At a met pair the anchor is compared, and only then its rule looks at what is around it,
// forwards and backwards by bounded steps; a long run of bytes is read once, however many anchors are in it. No regular
// expression takes part but those of [Settings.Rules] and [Settings.Allow]. The tables are built once, from shapes.txt
// and the names, so that sample.txt has few such pairs.
//
//	found                          looks at
//	-----                          --------
//	a shape ("ghp_", "AKIA")       the runs of bytes that the shape allows, their lengths, what is before it
//	a name ("token", "passw")      the whole identifier, what separates it from its value, the value
//	"://"                          user and password before the @
//	"BEGIN"                        a private key block, line by line
//	" -u", " -p"                   the command before the flag
//	"IDENTIFIED", ":5432:"         the statement, the line
//
// Texts with control bytes are looked at a second time without them, since a renderer takes them out and would join the
// halves of a secret. So are texts with an escape (%3D, \u0022, &quot;) behind a name, with their escapes decoded. Text that is one JSON document is taken apart, so that it stays valid: each string is looked at as
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
// Names up to 80 bytes, URL credentials up to 1 KiB, private key blocks up to 64 KiB, JSON in JSON strings up to 8 levels, 8
// passes. Of a value 8 KiB in quotes and 512 bytes without are looked at; a longer one is redacted as a whole. The limits of [Joiner] stand in [JoinSettings].
//
// # Where the shapes come from
//
// Each line of shapes.txt is a fact with its source and date.
package redact
