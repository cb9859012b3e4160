// Package batch hands batches of spans, log records and metrics to a consumer in parts that it takes.
//
// A size is that of the OTLP protobuf encoding, without compression. A batch over [Sender.Limit] is halved by its elements
// (spans, log records, data points) until each part is within the limit or is one element. The size of a batch of many elements
// is computed only if a sample of them shows that it may be near the limit. A part that the consumer refuses for its size
// ([IsTooLarge]) is halved in the same way; one element is cut, longest value first, and marked.
//
// The package does not wait, count or log: the consumer's function does. It knows nothing of what the elements mean.
//
// A part belongs to the consumer's function until it returns. What is done to it after a refusal is done to a copy, because
// a consumer behind a fan-out may still read it. A [Sender] may be used by several goroutines; a batch by one.
package batch
