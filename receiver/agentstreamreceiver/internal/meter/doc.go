// Package meter feeds the metrics that the receiver has of itself: what was read, not parsed, sent, retried, dropped, and how
// many bytes are not acknowledged yet. metadata.yaml declares them.
//
// A [Meter] may be used by several goroutines. It decides nothing: who drops a span counts it here, with a reason.
package meter
