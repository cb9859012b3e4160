// Package pipelinefuzz has the fuzz test of the whole receiver: many generated and mutated sessions in one receiver, and the
// invariants that hold for any input. `make fuzz-pipeline` runs it for a while.
//
// A round is a function of its seed: a folder of session files (unchanged recordings, mutations of them, concatenations,
// generated sessions that reuse each other's IDs), settings, and an order of writing. The receiver reads the folder, some
// files while they grow, and is stopped when every complete line has been acknowledged. In some rounds it is stopped
// earlier, and another receiver continues with its storage. Then the invariants listed at FuzzPipeline are checked.
//
//	TAILSPAN_FUZZ_FOR  how long TestPipelineForAWhile runs rounds, such as 1h; without it the test is skipped
//	TAILSPAN_SEED      the first round's seed; random by default, and printed
package pipelinefuzz
