// Package pipelinefuzz has the fuzz test of the whole receiver: many made-up and mutated sessions in one receiver, and the
// invariants that hold for any input. `make fuzz-pipeline` runs it for a while.
//
// A round is a function of its seed: a folder of session files (recordings as they are, mutations of them, concatenations,
// generated sessions that reuse each other's ids), settings, and an order of writing. The receiver reads the folder, some
// files while they grow, and is stopped when every complete line was acknowledged; in some rounds it is stopped once before,
// and another goes on with its storage. Then hold the invariants listed at FuzzPipeline.
//
//	TAILSPAN_FUZZ_FOR  how long TestPipelineForAWhile runs rounds, such as 1h; without it the test is skipped
//	TAILSPAN_SEED      the first round's seed; random if it is not set, and printed
package pipelinefuzz
