// Package redact removes secrets from events: keys and tokens by their shape, other values by their names.
//
// It takes an events.DisplayEventSource or any text and returns the same with a marker in place of each secret:
// "[redacted]" for the value of a secret-like name, "[redacted:github]" for one of a known shape. The name, the host of a
// URL and the scheme of a header stay. Texts are redacted before they are cut. The one text that arrives cut,
// events.Tool.Summary, is computed again from the output; where that is not possible, a secret at its end needs less
// evidence. docs/redaction.md lists what is found and what is not.
//
// The package knows no JSON of any provider, no telemetry and no settings format.
//
// # How a secret is found
//
// One pass over the text finds anchors: the fixed parts of shapes ("ghp_"), parts of names ("token"), "://", "BEGIN", flags of
// commands. Only there a rule reads the text around the anchor, forwards and backwards by bounded steps, so the time is
// linear in the text. Regular expressions are used only for [Settings.Rules] and [Settings.Allow].
//
//	internal/find     the index of the anchors and the pass
//	internal/shape    the table of vendors' keys, JSON web tokens, private key blocks
//	internal/token    the tokenizer: identifier, separator, value
//	internal/secret   the rules: whether a value is a secret
//	internal/text     bytes, escapes, controls, markers
//
// A text with control bytes is searched a second time without them, since a renderer removes them and would join the
// halves of a secret. A text with an escape (%3D, \u0022, &quot;) behind a name is searched again with its escapes decoded.
// A text that is one JSON document is searched string by string, decoded, so that it stays valid JSON. Passes repeat until
// one finds nothing: redaction is idempotent.
//
// # Lifetime and goroutines
//
// One [Redactor] serves all goroutines. A [Source] and a [Joiner] serve one stream from one goroutine; a Source remembers the
// last ids and model without a secret, since most events repeat them. Arguments are never written to. Where nothing is
// found, the result is the argument itself and nothing is allocated, except for JSON documents with an anchor and for bytes
// with controls: those are copied.
//
// # Limits
//
// Names up to 80 bytes, URL credentials up to 1 KiB, private key blocks up to 64 KiB, JSON in JSON strings up to 8 levels, 8
// passes. The first 8 KiB of a quoted value and 512 bytes of another decide; a longer value is redacted as a whole.
// [JoinSettings] has the limits of a [Joiner].
//
// # Where the shapes come from
//
// Each line of internal/shape/shapes.txt is a fact with its source and date.
package redact
