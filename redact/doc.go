// Package redact removes secrets from events: keys and tokens by their shape, other values by their names.
//
// It takes an events.DisplayEventSource or any text and returns the same with a marker in place of each secret: "[redacted]"
// for the value of a secret-like name, "[redacted:github]" for a secret of a known shape. The name, the host of a URL and the
// scheme of a header are kept. Texts are redacted before they are cut. Only events.Tool.Summary arrives cut: it is computed
// again from the output. If that is impossible, a secret at its end needs less evidence. docs/redaction.md lists what is found
// and what is not.
//
// The package knows nothing about the JSON of providers, telemetry or the format of settings.
//
// # How a secret is found
//
// One pass over the text finds anchors: the fixed parts of shapes ("ghp_"), parts of names ("token"), "://", "BEGIN", flags of
// commands. Only there a rule reads the text around the anchor, forwards and backwards within limits, so the time is linear in
// the text. Regular expressions are used only for [Settings.Rules] and [Settings.Allow].
//
//	internal/find     the index of the anchors and the pass
//	internal/shape    the table of vendors' keys, JSON web tokens, private key blocks
//	internal/token    the tokenizer: identifier, separator, value
//	internal/secret   the rules: whether a value is a secret
//	internal/text     bytes, escapes, controls, markers
//
// A text with control bytes is searched a second time without them, since a renderer removes them and would join the halves of
// a secret. A text in which an escape (%3D, \u0022, &quot;) follows a name is searched again with its escapes decoded. A text
// that is one JSON document is searched string by string, decoded, so that it stays valid JSON. The passes repeat until one
// finds nothing, so redaction is idempotent.
//
// # Lifetime and goroutines
//
// One [Redactor] serves all goroutines. A [Source], a [Joiner] and a [Lines] serve one stream from one goroutine. A Source
// remembers the last IDs and model that contain no secret, since most events repeat them. Arguments are never modified. If
// nothing is found, the result is the argument itself and nothing is allocated, except for JSON documents with an anchor and
// bytes with controls, which are copied.
//
// # Limits
//
// Names up to 80 bytes, URL credentials up to 1 KiB, private key blocks up to 64 KiB, JSON in JSON strings up to 8 levels, 8
// passes. The first 8 KiB of a quoted value and 512 bytes of any other are examined; a longer value is redacted as a whole.
// [JoinSettings] has the limits of a [Joiner].
//
// # Where the shapes come from
//
// Each line of internal/shape/shapes.txt is a fact with its source and date.
package redact
