// Package cicd tracks the pipeline runs that agents work under, and their steps.
//
// A run enters the pipeline and the step that its resource names and leaves them at its end ([Tree.Start], [Tree.End]).
// No format shows when these two end, so their spans are made once, after all runs below have been quiet for a while
// ([Tree.Flush]). Later runs still get them as parents, because their IDs are pure functions of their names.
//
//	pipeline, step  none → open        the first run below
//	                open → emitted     no run below is active, and none was for a while
//	                emitted → accepted the span was acknowledged, possibly before a restart ([Tree.Accept], [Tree.Restore])
//
// A span covers the time of all runs below and has the worst of their results. A limit bounds the pipelines that are
// remembered and the steps of each. The oldest whose spans were accepted are evicted.
//
// A [Tree] is safe for concurrent use. It reads no clock.
package cicd
