// Package meter updates the receiver's own metrics: what was read, not parsed, sent, retried and dropped, and how many bytes
// are not acknowledged yet. metadata.yaml declares them.
//
// A [Meter] is safe for concurrent use. It decides nothing: whoever drops a span counts it here, with a reason.
package meter
