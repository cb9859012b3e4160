// Package emit writes the spans, records and metrics of one stream.
//
// The layers of a stream decide what exists and when it begins and ends; an [Emitter] turns that into plain values of package otlp. It writes
// a span once, whichever stream has it, and nothing while [Emitter.Suppressed] is set: a replayed line was exported before. What the metrics
// count is also reported as [Used], with what metrics lack. [Counts] are the irregularities that left no separate span.
//
//	a sub-agent, a run, a call, a model call is over    [Emitter.Agent], [Emitter.Call], [Emitter.Chat]
//	an event, the end of a run that no line ends        [Emitter.Record], [Emitter.End]
//	the process of the stream has exited                [Emitter.Exit]
//
// The package decides nothing about runs, and reads no clock. An Emitter is not safe for concurrent use; those of different streams may be
// used concurrently.
package emit
