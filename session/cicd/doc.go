// Package cicd has the pipeline runs that agents work under, and their steps.
//
// Runs enter and leave the pipeline and the step that their resource names ([Tree.Start], [Tree.End]). No format has the end of
// either, so their spans are made once, when all below has been quiet for a while ([Tree.Flush]); what comes later lies below them
// all the same, since their ids are pure functions of their names.
//
//	pipeline, step  none → open        the first run below
//	                open → emitted     nothing below is at work, and nothing moved for a while
//	                emitted → accepted the span was acknowledged, also before a restart ([Tree.Accept], [Tree.Restore])
//
// A span has the time of all runs below, and the result of the worst. A limit bounds the pipelines that are remembered, and the
// steps of one; the oldest whose spans were accepted are evicted.
//
// A [Tree] is used by one goroutine at a time. It reads no clock.
package cicd
