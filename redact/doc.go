// Package redact takes secrets out of events: keys and tokens by their shape, values by the names they are given to.
//
// It wraps an events.DisplayEventSource, so that nothing downstream sees a secret, and it works before every cut, so
// that no half of one is left. The package holds its place in the layout; redaction is on the roadmap (see README) and
// nothing is redacted yet.
package redact
