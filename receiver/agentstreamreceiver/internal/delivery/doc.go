// Package delivery takes the output of streams to the consumers of the receiver's pipelines, and says what becomes of it: sent,
// retried, split, cut or dropped.
//
// [Delivery.Deliver] returns when every consumer has acknowledged an output, or rejected it permanently. Each consumer has its
// own retry loop, endless by default; the caller waits meanwhile, which is what bounds memory. A consumer's reply is one of
// four:
//
//	accepted   the loop ends
//	too large  the part is split; a single element is cut
//	temporary  the part is sent again after a wait, unless retry_on_failure ends
//	permanent  the part is dropped, counted and logged, unless on_permanent_error is "retry"
//
// Metrics are offered once; what is refused is part of the next export. [Health] reports the receiver's status to the collector.
//
// A Delivery knows nothing of where output comes from. It may be used by several goroutines.
package delivery
