// Package delivery sends the output of streams to the consumers of the receiver's pipelines, and retries, splits, cuts or
// drops what they refuse.
//
// [Delivery.Deliver] returns when every consumer has acknowledged an output or rejected it permanently. Each consumer has its
// own retry loop, endless by default. The caller waits meanwhile, which bounds memory. A consumer's reply is one of four:
//
//	accepted   the loop ends
//	too large  the part is split; a single element is cut
//	temporary  the part is sent again after a wait, until retry_on_failure ends
//	permanent  the part is dropped, counted and logged, unless on_permanent_error is "retry"
//
// A [FinalBatch] collects the last output of many streams. Metrics are offered once; the next export includes refused ones.
// [Health] reports the receiver's status to the collector.
//
// A Delivery does not know where output comes from. It is safe for concurrent use.
package delivery
