// Package batch sends batches of spans, log records and metrics to a consumer in parts of acceptable size.
//
// A size is that of the OTLP protobuf encoding without compression. A batch over [Sender.Limit] is halved by its elements
// (spans, log records, data points) until each part is within the limit or is one element. The size of a batch of many
// elements is computed only if a sample of them shows that it may be near the limit. A part that the consumer refuses for its
// size ([IsTooLarge]) is halved in the same way; a single element is cut, longest value first, and marked.
//
// The package does not wait, count or log; the caller's function does. It does not know what the elements mean.
//
// A part belongs to the consumer's function until it returns. After a refusal, only a copy of the part is changed, because a
// consumer behind a fan-out may still read it. A [Sender] is safe for concurrent use; a batch is for use by one goroutine.
package batch
